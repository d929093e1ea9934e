"""Find the decision that covers a difference.

``openai/decisions.json`` beside the reference schemas has a row for each difference that a decision covers: the number
of the decision in ``DECISIONS.md``, the aspect, the paths, and the names or values that differ. In a path, ``*``
matches anything. A row covers something new only by its name, so that no row covers what nobody has decided.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from isogloss import schemas
from isogloss.cli.drift.differences import Difference

__all__ = ["decision"]


def decision(difference: Difference) -> int | None:
    """Return the number of the decision that covers a difference, or ``None``."""
    kind_and_path = f"{difference.kind} {difference.at}"
    for row, pattern in _rows():
        matches_what = difference.what in row.get("what", (difference.what,))
        if row["aspect"] == difference.aspect and matches_what and pattern.fullmatch(kind_and_path):
            return int(row["decision"])
    return None


@cache
def _rows() -> list[tuple[dict[str, Any], re.Pattern[str]]]:
    return [(row, _pattern(row["at"])) for row in schemas.decisions()]


def _pattern(paths: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(path).replace(r"\*", ".*") for path in paths))
