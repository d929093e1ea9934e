"""Show the progress of a probe in one line, if standard error is a terminal."""

from __future__ import annotations

from typing import TextIO

from isogloss.cli.probe.outcome import Outcome

__all__ = ["Progress"]


class Progress:
    """Writes one line again and again, with the name of the server if there are several. ``close`` clears the line."""

    def __init__(self, cases: int, out: TextIO, server: str | None = None) -> None:
        self._case_count = cases
        self._out = out
        self._prefix = f"{server}  " if server else ""
        self._done = 0
        self._is_terminal = out.isatty()

    def done(self, outcome: Outcome) -> None:
        """Count a case that has ended."""
        self._done += 1
        self._show(f"{self._prefix}{self._done}/{self._case_count}  {outcome.case.name}: {outcome.standing}")

    def close(self) -> None:
        """Leave an empty line behind."""
        self._show("")

    def _show(self, line: str) -> None:
        if self._is_terminal:
            self._out.write(f"\r\x1b[K{line}")
            self._out.flush()
