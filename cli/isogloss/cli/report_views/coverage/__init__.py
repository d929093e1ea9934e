"""The view of coverage: what a corpus exercises of the reference."""
