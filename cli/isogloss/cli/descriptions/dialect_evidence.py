"""Find how strong and how new the evidence of a dialect is.

The evidence of a dialect comes from the sources of its own facts, not from what it inherits. If a dialect has no facts
of its own, the evidence comes from its sources, such as the source for its hosts. What nobody could verify is not
evidence.
"""

from __future__ import annotations

import calendar
import datetime
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from isogloss import schemas

__all__ = ["STRENGTHS", "EvidenceCount", "Period", "evidence", "last_day", "newest"]

STRENGTHS = {
    "recorded": "recorded",
    "source-code": "source code",
    "official-sdk": "official SDK",
    "official-docs": "documentation",
    "third-party": "third party",
}
"""How strong the sources of facts are, strongest first, each with its name for people."""

_UNITS = {"d": 1, "w": 7, "mo": 30.44, "y": 365.25}


class EvidenceCount(NamedTuple):
    """The sources of one strength: the date of the newest of them, and how many facts come from them."""

    strength: str
    date: str
    facts: int

    def __str__(self) -> str:
        """Return the strength and the date, as people read them."""
        return f"{STRENGTHS[self.strength]} {self.date}"


def evidence(data: Mapping[str, Any]) -> list[EvidenceCount]:
    """Return the evidence of a dialect, the strongest first.

    ``data`` is complete with what the dialect inherits, but inherited facts and sources do not count.
    """
    own = [fact["source"] for name in schemas.FACTS for fact in data[name] if "/" not in fact["source"]]
    keys = own or [key for key in data["sources"] if "/" not in key]
    result = []
    for strength in STRENGTHS:
        keys_of_strength = [key for key in keys if data["sources"][key]["confidence"] == strength]
        if keys_of_strength:
            newest_date = max((data["sources"][key]["date"] for key in keys_of_strength), key=last_day)
            result.append(EvidenceCount(strength, newest_date, len(keys_of_strength) if own else 0))
    return result


def newest(data: Mapping[str, Any]) -> datetime.date:
    """Return the last possible day of the newest evidence of a dialect, or the first of all days if there is none."""
    return max((last_day(source.date) for source in evidence(data)), default=datetime.date.min)


def last_day(date: str) -> datetime.date:
    """Return the last possible day of a date, which may be a year, a month or a day."""
    parts = [int(part) for part in date.split("-")]
    year, month, day = parts + [99] * (3 - len(parts))
    month = min(max(month, 1), 12)
    return datetime.date(year, month, min(max(day, 1), calendar.monthrange(year, month)[1]))


class Period(NamedTuple):
    """A span of time like ``12mo``, ``90d``, ``6w`` or ``2y``."""

    days: float

    @classmethod
    def parse(cls, text: str) -> Period:
        """Parse a span of time. Raises ``ValueError``."""
        found = re.fullmatch(r"(\d{1,4})(d|w|mo|y)", text)
        if found is None:
            raise ValueError(f"{text!r} is not a span of time like 90d, 6w, 12mo or 2y")
        return cls(int(found[1]) * _UNITS[found[2]])

    def before(self, day: datetime.date) -> datetime.date:
        """Return the day that lies this period before another day, or the first of all days if there is none."""
        try:
            return day - datetime.timedelta(days=self.days)
        except OverflowError:
            return datetime.date.min
