"""The formats whose captures never begin with a JSON object or array."""
