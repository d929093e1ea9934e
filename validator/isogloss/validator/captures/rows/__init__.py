"""Read rows of text: CSV, and dumps of SQL databases."""
