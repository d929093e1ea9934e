"""Find the values of a request that the reference allows, but that a dialect rejects or ignores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
        if restriction.effect == "taken" or (restriction.when is not None and not restriction.concerns(request)):
            continue
        for pointer, value in _values(restriction, request):
            if value is not None and not restriction.accepts(value):
                yield BrokenRestriction(pointer, value, restriction)


def _values(restriction: Restriction, request: object) -> Iterable[tuple[Pointer, object]]:
    """Return each pointer in a request that a restriction is about, with the value that must satisfy its schema."""
    found = pointers_and_values(request, restriction.steps)
    if restriction.scope == "order":
        return _joined(restriction.steps.index(None), list(found))
    if restriction.scope == "turn":
        roles = pointers_and_values(request, ("messages", None, "role"))
        last = max((pointer for pointer, role in roles if role == "user"), default=())
        return (one for one in found if one[0][:2] > last[:2])
    return found


def _joined(depth: int, found: list[tuple[Pointer, object]]) -> Iterator[tuple[Pointer, str]]:
    """Yield strings as one, joined by spaces, with the pointer of the array that holds them. Its length is ``depth``.

    Yield nothing if one of them is no string: the schema reports it.
    """
    strings = [value for _, value in found if isinstance(value, str)]
    if strings and len(strings) == len(found):
        yield found[0][0][:depth], " ".join(strings)


def hits(dialect: Dialect, request: object) -> Iterator[Hit]:
    """Yield a hit of the rule ``dialect-restriction`` for each value of a request that breaks a restriction.

    The hit is an error only if the dialect was seen to reject the value. It is a warning if this is only documented or
    reported, or if the dialect ignores the value.
    """
    for pointer, value, restriction in broken_restrictions(dialect, request):
        rejected = restriction.effect == "rejected"
        verb = "does not accept" if rejected else "ignores"
        value_or_order = "order" if restriction.scope == "order" else "value"
        what = ("" if restriction.schema is None else f"this {value_or_order} of ") + quote_name(restriction.at)
        by = "" if restriction.observed else f", by {_SOURCE_NAMES[restriction.confidence]}"
        severity = Severity.ERROR if rejected and restriction.observed else Severity.WARNING
        yield Hit(f"{dialect.name} {verb} {what}{restriction.reason}{by}", pointer, value, severity=severity)
