"""The view of coverage: what a corpus exercises of the reference, with one module for each output format."""
