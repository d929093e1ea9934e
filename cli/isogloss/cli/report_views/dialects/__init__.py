"""The view of dialects: which of them a corpus speaks, and what they do not explain."""
