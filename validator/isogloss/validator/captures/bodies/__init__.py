"""Read the body of a message, in whatever form a recorder or a program wrote it."""
