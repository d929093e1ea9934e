"""Tell which exchanges in one record or trace are the same, and which request and answer belong together."""
