"""Views of a corpus that ``isogloss report`` prints, one module an output format."""
