"""The coverage view: what a corpus exercises of the reference, with one module for each output format."""
