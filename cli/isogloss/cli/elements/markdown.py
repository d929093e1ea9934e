"""Write text so that Markdown shows it as it is, and tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

__all__ = ["escaped", "table"]

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~&@:])")


def escaped(text: str) -> str:
    """Escape a text so that Markdown shows it as it is, also in a table cell."""
    return _SPECIAL.sub(r"\\\1", text).replace("\\<", "&lt;").replace("\\>", "&gt;")


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], most: int | None = None) -> Iterator[str]:
    """Yield the lines of a table. Its cells are Markdown already. Beyond ``most`` rows, say how many more there are."""
    all_rows = [*rows]
    for row in (columns, ("---",) * len(columns), *all_rows[:most]):
        yield f"| {' | '.join(row)} |"
    if most is not None and len(all_rows) > most:
        yield f"\n{len(all_rows) - most:,} more are not listed here."
