"""Show the progress of a probe in one line, if standard error is a terminal."""

from __future__ import annotations

from typing import TextIO

from isogloss.cli.probe.outcome import Outcome

__all__ = ["Progress"]


class Progress:
    """Writes a line over and over, with the name of the server if there are several; ``close`` wipes it."""

    def __init__(self, cases: int, out: TextIO, server: str | None = None) -> None:
        self._cases = cases
        self._out = out
        self._of = f"{server}  " if server else ""
        self._done = 0
        self._shown = out.isatty()

    def done(self, outcome: Outcome) -> None:
        """Count a case that has ended."""
        self._done += 1
        self._show(f"{self._of}{self._done}/{self._cases}  {outcome.case.name}: {outcome.standing}")

    def close(self) -> None:
        """Leave an empty line behind."""
        self._show("")

    def _show(self, line: str) -> None:
        if self._shown:
            self._out.write(f"\r\x1b[K{line}")
            self._out.flush()
