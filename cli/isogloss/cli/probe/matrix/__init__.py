"""Report several servers side by side: the standing of each case on each server, why, and what changed."""
