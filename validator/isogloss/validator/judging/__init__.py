"""The verdict on one exchange: what was found, explained by dialects and placed."""
