"""What a stream says, in order: its trace, the completion it folds into, and secrets it sends in pieces."""
