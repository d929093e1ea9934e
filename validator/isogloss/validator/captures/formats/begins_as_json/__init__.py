"""The formats whose captures begin with a JSON object or array."""
