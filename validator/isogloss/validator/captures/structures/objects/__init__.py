"""Read an exchange, or a half of one, from one JSON object."""
