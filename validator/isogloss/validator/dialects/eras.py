"""Find the time of an exchange, and divide time into eras: facts that have dates hold in some eras only."""

from __future__ import annotations

import datetime
from bisect import bisect_right
from collections.abc import Iterable

from isogloss.validator.dialects.model import Fact
from isogloss.validator.dialects.payloads import KindAndPayload

__all__ = ["Eras", "moment_of"]

_FIRST = datetime.datetime(2022, 11, 30, tzinfo=datetime.UTC).timestamp()
"""No Chat Completions API is older. An earlier ``created`` is not a real time."""
_LAST = datetime.datetime(2100, 1, 1, tzinfo=datetime.UTC).timestamp()


def moment_of(payloads: Iterable[KindAndPayload], recorded: float | None) -> float | None:
    """Return when payloads were exchanged, in seconds since 1970, or ``None`` if it is not known.

    The ``created`` of an answer comes before the time that the recorder wrote. It does not count if it is missing, in
    another unit, or overwritten.
    """
    for kind, payload in payloads:
        created = payload.get("created") if kind != "request" and isinstance(payload, dict) else None
        if isinstance(created, int | float) and _FIRST <= created < _LAST:
            return float(created)
    return recorded


class Eras:
    """The eras of some facts. A new era begins whenever one of these facts begins or ceases to hold."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        moments = {moment for fact in facts for moment in (fact.since, fact.until)}
        self._borders = sorted(moment for moment in moments if moment is not None)

    def era(self, when: float | None) -> float | None:
        """Return when the time begins in which a moment lies, or ``None`` for no moment.

        The same facts hold during all of this time.
        """
        if when is None:
            return None
        position = bisect_right(self._borders, when)
        return self._borders[position - 1] if position else 0.0
