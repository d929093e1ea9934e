"""Convert the dates of dialect files to moments. A date is a year, a month or a day."""

from __future__ import annotations

import datetime

__all__ = ["first_moment", "first_moment_after"]


def first_moment(date: str) -> float:
    """Return the first moment of a year, month or day, in seconds since 1970."""
    year, month, day = (*map(int, date.split("-")), 1, 1)[:3]
    return _midnight(year, month, day)


def first_moment_after(date: str) -> float:
    """Return the first moment after a year, month or day, in seconds since 1970."""
    year, *rest = map(int, date.split("-"))
    if len(rest) == 2:
        return first_moment(date) + datetime.timedelta(days=1).total_seconds()
    month = rest[0] if rest else 12
    return _midnight(year + month // 12, month % 12 + 1, 1)


def _midnight(year: int, month: int, day: int) -> float:
    return datetime.datetime(year, month, day, tzinfo=datetime.UTC).timestamp()
