"""Make the verdict on one exchange: its findings, explained by dialects, with their places."""
