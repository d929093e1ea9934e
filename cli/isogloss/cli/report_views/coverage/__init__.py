"""The view of a corpus that says what of the reference it exercises, one module an output format."""
