"""The view of clients: which of them were seen to break on a corpus."""
