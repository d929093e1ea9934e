"""Show the progress of a long run: a bar on standard error if that is a terminal, removed when the run ends."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID
    from rich.status import Status as RichStatus

__all__ = ["ProgressBar", "Status"]

_File = TypeVar("_File")

_PATIENCE = 0.5
"""Seconds after which a run shows a bar. Most runs are shorter, and never import the library that draws it."""


_PAUSE = 0.2
"""Seconds for which the bar stays hidden after something was written."""


class ProgressBar:
    """A context manager that shows a bar with the number of files that are done, and how many are done in a second.

    If :meth:`track` was called, the bar shows the number of all files, too.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._total: int | None = None
        self._is_shown = not quiet and sys.stderr.isatty()
        self._started = self._waiting_since = monotonic()
        self._done = 0
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._is_hidden = False

    def __enter__(self) -> ProgressBar:
        return self

    def track(self, files: Iterable[_File]) -> Iterable[_File]:
        """Return the files, and count them first if the bar is shown."""
        if not self._is_shown:
            return files
        files = list(files)
        self._total = len(files)
        return files

    def advance(self, files: int = 1) -> None:
        """Add to the number of files that are done."""
        self._done += files
        if not self._is_shown or monotonic() - self._waiting_since < _PATIENCE:
            return
        if self._bar is None or self._task is None:
            self._start()
        elif self._is_hidden:
            self._bar.start()
            self._is_hidden = False
        if self._bar is not None and self._task is not None:
            seconds = monotonic() - self._started
            rate = f"{self._done / seconds:,.0f} a second" if seconds > 0 else ""
            self._bar.update(self._task, completed=self._done, rate=rate)

    def hide(self) -> None:
        """Hide the bar for a moment, because something is written to the same terminal."""
        if self._bar is not None and not self._is_hidden and sys.stdout.isatty():
            self._bar.stop()
            self._is_hidden = True
            self._waiting_since = monotonic() + _PAUSE - _PATIENCE

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("checking"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("files"),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
        )
        # The bar leaves standard output alone: with a redirection, rich would print it where the bar is.
        self._bar = Progress(
            *columns, console=Console(stderr=True), transient=True, redirect_stdout=False, redirect_stderr=False
        )
        self._task = self._bar.add_task("", total=self._total, rate="")
        self._bar.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None and not self._is_hidden:
            self._bar.stop()
        self._bar, self._is_shown = None, False


class Status:
    """A context manager that shows how far a long search has come: a line on standard error, if that is a terminal."""

    def __init__(self) -> None:
        self._is_shown = sys.stderr.isatty()
        self._waiting_since = monotonic()
        self._status: RichStatus | None = None

    def __enter__(self) -> Status:
        return self

    def show(self, text: str) -> None:
        """Show a text that says how far the search has come. At first, for a short time, nothing is shown."""
        if not self._is_shown or monotonic() - self._waiting_since < _PATIENCE:
            return
        if self._status is None:
            from rich.console import Console

            self._status = Console(stderr=True).status(text)
            self._status.start()
        self._status.update(text)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.stop()
