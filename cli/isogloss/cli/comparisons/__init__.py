"""What ``isogloss compare`` found, and one module an output format."""
