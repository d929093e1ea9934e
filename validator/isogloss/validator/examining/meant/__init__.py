"""Leave out hits that follow from an unknown property or from mixed answers, so that they are one finding with it.

A hit follows from an unknown property if it is not found in the same exchange with what was meant: with another name of
the property, with the property in an object inside, or with another role or type of its object. If a payload spells all
its names in another style, such as camelCase, that is one cause. If the chunks of several answers stand in one stream,
what is not found in one of these answers by itself follows from that.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import replace

from isogloss.validator.examining.examined import UNKNOWN, Examined, RuleHit
from isogloss.validator.examining.meant.cause import MOST_CAUSES, Cause
from isogloss.validator.examining.meant.mixed import mixed_answers
from isogloss.validator.examining.meant.properties import (
    misnamed_properties,
    misplaced_properties,
    properties_of_missing_objects,
)
from isogloss.validator.examining.meant.styles import other_style
from isogloss.validator.exchange import Exchange
from isogloss.validator.findings import Severity
from isogloss.validator.pointer import Pointer
from isogloss.validator.rules import group_of

if TYPE_CHECKING:
    from isogloss.validator.examining.placing import ExchangePart

__all__ = ["hits_as_meant"]

_OF_TEXT = ("json", "wire")
"""The groups of rules about the text of an answer, which an answer out of a mixed stream does not have by itself."""

_Identity: TypeAlias = "tuple[str, ExchangePart, Pointer]"
_Explained: TypeAlias = tuple[RuleHit, tuple[str, ...]]
"""A hit, and the dialects that explain it."""


def hits_as_meant(
    hits: Sequence[RuleHit],
    explanations: Sequence[tuple[str, ...]],
    examined: Examined,
    examine: Callable[[Exchange], Examined],
    fixed: Collection[str],
) -> tuple[Sequence[RuleHit], Sequence[tuple[str, ...]]]:
    """Return hits and their explanations, without those that are not found with what was meant.

    The hit about the property, or the one that says what it stands in place of, names the rules of these hits, and is
    as severe as the most severe of them. The same dialects must explain both, and the severity of its rule must not be
    ``fixed`` by the user. So it is with the hit about the ids of mixed answers.
    """
    unknown = [one for one in hits if one.rule == UNKNOWN]
    in_parts = ([one for one in unknown if (one.part == "request") is of_request] for of_request in (True, False))
    exchange = examined.exchange
    possible = chain(
        mixed_answers(hits, exchange),
        chain.from_iterable(_causes(in_part, exchange) for in_part in in_parts if in_part),
        misplaced_properties(hits, exchange),
    )
    causes = [*islice(possible, MOST_CAUSES + 1)]
    if not 0 < len(causes) <= MOST_CAUSES:
        return hits, explanations
    known = {*map(_identity, examined.hits)}
    found = [*zip(hits, explanations, strict=True)]
    for cause in causes:
        remaining = {_identity(one): one.severity for meant in cause.meant for one in examine(meant).hits}
        gone = known - remaining.keys()
        if len(cause.meant) > 1:
            gone = {one for one in gone if group_of(one[0]) not in _OF_TEXT}
        others = [severity for one, severity in remaining.items() if one not in known] if cause.must_conform else []
        if Severity.ERROR not in others:
            gone = set() if others else gone
            found = _without_gone(found, cause, gone, fixed)
    return [one for one, _ in found], [explained_by for _, explained_by in found]


def _causes(unknown: Sequence[RuleHit], exchange: Exchange) -> Iterator[Cause]:
    """Yield what may cause hits in the request or in the answer."""
    if unknown[0].part != "request" and not any(one.hit.other_pointers for one in unknown):
        return  # most are extensions, which stand in place of nothing
    for cause in other_style(unknown, exchange):
        yield cause
        explained = {*map(id, cause.hits)}
        unknown = [one for one in unknown if id(one) not in explained]
    if unknown:
        yield from properties_of_missing_objects(unknown, exchange)
        yield from misnamed_properties(unknown, exchange)


def _without_gone(
    found: list[_Explained], cause: Cause, gone: Collection[_Identity], fixed: Collection[str]
) -> list[_Explained]:
    """Return hits without those that are gone with what was meant, and with the cause in words."""
    causing = {*map(_identity, cause.hits)}
    about = [one for one in found if _is_about(one[0], causing)]
    if not about:  # they follow from another cause
        return found
    lead, explained_by = max(about, key=lambda one: (one[0].rule != UNKNOWN, one[0].severity))
    following = [
        one for one, by in found if by == explained_by and _identity(one) in gone and not _is_about(one, causing)
    ]
    if lead.rule in fixed or not (following or cause.is_whole):
        return found
    message = _with_sentence(lead.hit.message, cause.sentence)
    if following:
        rules = sorted({f"`{one.rule}`" for one in following})
        message = _with_sentence(message, f"From this follows {', '.join(rules)}")
    severity = max(one.severity for one in (lead, *following))
    left_out = {id(one) for one in (*following, *(one for one, by in about if cause.is_whole and by == explained_by))}
    kept: list[_Explained] = []
    for one, by in found:
        if _identity(one) == _identity(lead) and by == explained_by:
            kept.append((replace(one, hit=replace(one.hit, message=message, severity=severity)), by))
        elif id(one) not in left_out:
            kept.append((one, by))
    return kept


def _identity(one: RuleHit) -> _Identity:
    return one.rule, one.part, one.hit.pointer


def _is_about(one: RuleHit, causing: Collection[_Identity]) -> bool:
    """Return whether a hit is one of the cause, or says what unknown properties of the cause stand in place of."""
    stand_ins = ((UNKNOWN, one.part, pointer) for pointer in one.hit.other_pointers)
    return _identity(one) in causing or any(stand_in in causing for stand_in in stand_ins)


def _with_sentence(message: str, sentence: str) -> str:
    return f"{message}{'' if message.endswith('?') else '.'} {sentence}" if sentence else message
