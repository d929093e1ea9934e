"""Follow a stream chunk by chunk, fold it into a completion, and mask the keys that it sends in pieces."""
