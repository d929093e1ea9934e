"""Convert the dates of dialect files to moments. A date is a year, a month or a day."""

from __future__ import annotations

import datetime

__all__ = ["first_moment", "first_moment_after"]


def first_moment(date: str) -> float:
    """Return the first moment of a year, month or day, in seconds since 1970."""
    year, month, day = _parts(date)
    return _midnight(year, month or 1, day or 1)


def first_moment_after(date: str) -> float:
    """Return the first moment after a year, month or day, in seconds since 1970."""
    year, month, day = _parts(date)
    if day is not None and month is not None:
        return _midnight(year, month, day) + datetime.timedelta(days=1).total_seconds()
    return _midnight(year + 1, 1, 1) if month in (None, 12) else _midnight(year, (month or 0) + 1, 1)


def _parts(date: str) -> tuple[int, int | None, int | None]:
    numbers: list[int | None] = [int(part) for part in date.split("-")]
    year, month, day = (*numbers, None, None)[:3]
    return year or 0, month, day


def _midnight(year: int, month: int, day: int) -> float:
    return datetime.datetime(year, month, day, tzinfo=datetime.UTC).timestamp()
