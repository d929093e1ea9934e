"""Find the values of a request that the reference allows, but that a dialect rejects or ignores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from isogloss.validator.dialects.model import Dialect, Restriction
from isogloss.validator.findings import Severity
from isogloss.validator.pointer import Pointer, pointers_and_values
from isogloss.validator.quoting import quote_name
from isogloss.validator.rules import Hit

__all__ = ["BrokenRestriction", "broken_restrictions", "hits"]


_SOURCE_NAMES = {
    "official-sdk": "its documentation",
    "official-docs": "its documentation",
    "third-party": "what its users report",
    "unverified": "what nobody has verified",
}
"""The words for the source of a restriction that was not observed, by the confidence of the source."""


class BrokenRestriction(NamedTuple):
    """A value in a request, its pointer, and the restriction that it breaks."""

    pointer: Pointer
    value: object
    restriction: Restriction


def broken_restrictions(dialect: Dialect, request: object) -> Iterator[BrokenRestriction]:
    """Yield each pointer in a request whose value the dialect rejects or ignores. A null counts as a missing value."""
    for restriction in dialect.restrictions:
        if restriction.when is not None and not restriction.concerns(request):
            continue
        for pointer, value in pointers_and_values(request, restriction.steps):
            if value is not None and not restriction.accepts(value):
                yield BrokenRestriction(pointer, value, restriction)


def hits(dialect: Dialect, request: object) -> Iterator[Hit]:
    """Yield a hit of the rule ``dialect-restriction`` for each value of a request that breaks a restriction.

    The hit is an error only if the dialect was seen to reject the value. It is a warning if this is only documented or
    reported, or if the dialect ignores the value.
    """
    for pointer, value, restriction in broken_restrictions(dialect, request):
        rejected = restriction.effect == "rejected"
        verb = "does not accept" if rejected else "ignores"
        what = (
            quote_name(restriction.at) if restriction.schema is None else f"this value of {quote_name(restriction.at)}"
        )
        by = "" if restriction.observed else f", by {_SOURCE_NAMES[restriction.confidence]}"
        severity = Severity.ERROR if rejected and restriction.observed else Severity.WARNING
        yield Hit(f"{dialect.name} {verb} {what}{restriction.reason}{by}", pointer, value, severity=severity)
