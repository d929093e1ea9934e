"""The views of a corpus that ``isogloss report`` prints, with one module for each output format."""
