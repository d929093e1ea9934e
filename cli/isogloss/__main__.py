"""``python -m isogloss``: the command line, with the interpreter that is named."""

from isogloss.cli.start import main

if __name__ == "__main__":
    main()
