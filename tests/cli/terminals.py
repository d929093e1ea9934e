"""A terminal in memory, which keeps what is written to it."""

from __future__ import annotations

import io


class Terminal(io.StringIO):
    """A text stream that says that it is a terminal."""

    def isatty(self) -> bool:
        """Return that it is."""
        return True
