"""Each module is one command of the command line, named after it."""
