"""Print which columns of a table are guessed, before the table is read by these columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from isogloss.cli.process import output
from isogloss.cli.reading import stores
from isogloss.cli.reading.corpus import Corpus
from isogloss.cli.reading.jobs import COLUMNAR
from isogloss.validator import captures
from isogloss.validator.captures.tables import open_table
from isogloss.validator.captures.tables.columns import parts_with_columns
from isogloss.validator.exchange import Skipped

__all__ = ["Guesses"]


class Guesses:
    """Prints which columns are guessed, once for all files with the same columns.

    ``looked`` says whether a table was opened.
    """

    def __init__(self, corpus: Corpus, *, quiet: bool) -> None:
        self._corpus = corpus
        self._quiet = quiet
        self._printed: set[str] = set()
        self.looked = False

    def announce(self, paths: Iterable[str | Skipped]) -> Iterator[str | Skipped]:
        """Yield the paths; a table whose columns nobody named is looked at first."""
        for path in paths:
            if isinstance(path, str) and path.endswith(COLUMNAR) and not self._quiet:
                self._print_guess(path)
            yield path

    def _print_guess(self, path: str) -> None:
        if self._corpus.configuration.records(path) is not None:
            return
        self.looked = True
        try:
            with stores.open_file(path, buffered=False) as stream:
                capture = captures.Capture(stream, path)
                columns = open_table(capture).columns
        except (captures.Unreadable, OSError):
            return  # the error is reported when the table is read
        guess = ",".join(f"{part.replace('_', '-')}={column}" for part, column in parts_with_columns(columns))
        guess += "" if columns.as_sent else ",as-sent=false"
        if guess not in self._printed:
            self._printed.add(guess)
            output.say(f"Note: {capture.name}: read with --columns {guess}, as its columns are called")
