"""Leave out hits that follow from a misspelt name in a request, so that the two are one finding.

A hit follows from the name if it is not found in the same exchange with the name that was meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from isogloss.validator.examining.examined import UNKNOWN, RuleHit
from isogloss.validator.exchange import Exchange
from isogloss.validator.pointer import ABSENT, Pointer, read

if TYPE_CHECKING:
    from isogloss.validator.examining.placing import ExchangePart

__all__ = ["names_in_request", "with_name_that_was_meant", "without_consequences_of_name"]

_MOST_NAMES = 4
"""In a request with more names, the exchange would have to be examined too often."""


def names_in_request(hits: Iterable[RuleHit]) -> Sequence[RuleHit]:
    """Return the hits about unknown properties of a request that look like others, if they are few."""
    found = [one for one in hits if one.part == "request" and one.rule == UNKNOWN and one.hit.other_pointers]
    return found if len(found) <= _MOST_NAMES else ()


def with_name_that_was_meant(exchange: Exchange, misspelt: RuleHit) -> Exchange | None:
    """Return the exchange with another name of a property of its request, or ``None`` if the request has that, too."""
    request, pointer, meant = exchange.request, misspelt.hit.pointer, misspelt.hit.other_pointers[0]
    if request is None or read(request.value, meant) is not ABSENT:
        return None
    value = _renamed(request.value, pointer[:-1], pointer[-1], meant[-1])
    return replace(exchange, request=replace(request, value=value))


def _renamed(value: Any, at: Pointer, old: str | int, new: str | int) -> object:
    """Return a value with another name of a property of the object at a pointer. Only what holds it is copied."""
    if not at:
        return {new if name == old else name: inner for name, inner in value.items()}
    step, *inside = at
    copy = value.copy()
    copy[step] = _renamed(value[step], tuple(inside), old, new)
    return copy


def without_consequences_of_name(hits: list[RuleHit], misspelt: RuleHit, hits_of_meant: list[RuleHit]) -> list[RuleHit]:
    """Return hits without those that are not found with the name that was meant.

    The hit about the name names their rules, and is as severe as the most severe of them. A hit about what is missing
    that points to the name remains: the other one is a part of it.
    """
    remaining = {_identity(one) for one in hits_of_meant}
    pointer = misspelt.hit.pointer
    following = [
        one
        for one in hits
        if _identity(one) not in remaining and one is not misspelt and pointer not in one.hit.other_pointers
    ]
    if not following:
        return hits
    rules = sorted({f"`{one.rule}`" for one in following})
    message = f"{misspelt.hit.message} From this follows {', '.join(rules)}"
    severity = max(misspelt.severity, *(one.severity for one in following))
    cause = replace(misspelt, hit=replace(misspelt.hit, message=message, severity=severity))
    left_out = {*map(id, following)}
    return [cause if one is misspelt else one for one in hits if id(one) not in left_out]


def _identity(one: RuleHit) -> tuple[str, ExchangePart, Pointer]:
    return one.rule, one.part, one.hit.pointer
