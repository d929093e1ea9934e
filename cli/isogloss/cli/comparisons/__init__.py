"""The results of ``isogloss compare``, with one module for each output format."""
