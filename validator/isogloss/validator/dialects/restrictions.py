"""What a dialect does not take of a request that the reference allows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from isogloss.validator.dialects.model import Dialect, Restriction
from isogloss.validator.dialects.places import places
from isogloss.validator.findings import Severity
from isogloss.validator.pointer import Pointer
from isogloss.validator.quoting import name
from isogloss.validator.rules import Hit

__all__ = ["Restricted", "hits", "restricted"]


_SAYS = {
    "official-sdk": "its documentation",
    "official-docs": "its documentation",
    "third-party": "what its users report",
    "unverified": "what nobody has verified",
}
"""Who says so, where it was not seen, by the confidence of the source."""


class Restricted(NamedTuple):
    """A place of a request, what stands there, and the restriction it does not keep."""

    pointer: Pointer
    value: object
    restriction: Restriction


def restricted(dialect: Dialect, request: object) -> Iterator[Restricted]:
    """The places of a request that the dialect rejects or ignores. What is null counts as not asked for."""
    for restriction in dialect.restrictions:
        if restriction.when is not None and not restriction.concerns(request):
            continue
        for pointer, value in places(request, restriction.at):
            if value is not None and (restriction.schema is None or not restriction.accepts(value)):
                yield Restricted(pointer, value, restriction)


def hits(dialect: Dialect, request: object) -> Iterator[Hit]:
    """The restrictions that a request does not keep, as hits of the rule ``dialect-restriction``.

    An error is only what was seen to be rejected; documentation alone makes a warning.
    """
    for pointer, value, restriction in restricted(dialect, request):
        rejected = restriction.effect == "rejected"
        verb = "does not take" if rejected else "ignores"
        what = name(restriction.at) if restriction.schema is None else f"this value of {name(restriction.at)}"
        why = f" ({restriction.note.rstrip('.')})" if restriction.when is not None and restriction.note else ""
        by = "" if restriction.observed else f", by {_SAYS[restriction.confidence]}"
        severity = Severity.ERROR if rejected and restriction.observed else Severity.WARNING
        yield Hit(f"{dialect.name} {verb} {what}{why}{by}", pointer, value, severity=severity)
