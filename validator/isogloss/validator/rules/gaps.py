"""Describe gaps: parts of a stream that nobody can read. The function ``gaps`` of a rule finds those that it shows."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from isogloss.validator.rules import Lack
from isogloss.validator.streams.trace import Delta, Fragment, Trace
from isogloss.validator.views import items

__all__ = ["OF_CALL", "OF_DELTA", "OF_TEXT", "Gap", "carried", "strays"]

OF_CALL: frozenset[Lack] = frozenset({"beginning", "call"})
OF_TEXT: frozenset[Lack] = frozenset({"text", "tokens"})
OF_DELTA: frozenset[Lack] = OF_CALL | OF_TEXT


class Gap(Struct, frozen=True):
    """A part of a stream that nobody can read: its event, and what it may have held.

    ``event`` is its number; a gap between two events stands half-way between their numbers.
    """

    event: float
    held: frozenset[Lack]


def carried(delta: Delta) -> frozenset[Lack]:
    """Return what a delta carries of those things that an answer may lack."""
    found: set[Lack] = set()
    fragments = [Fragment(delta.event, delta.at, one) for _, one in items(delta.delta.get("tool_calls"))]
    if delta.delta.get("role") or any(fragment.begins for fragment in fragments):
        found.add("beginning")
    if delta.choice.get("finish_reason"):
        found.add("finish")
    if delta.answer_property in ("tool_calls", "function_call"):
        found.add("call")
    elif delta.answer_property is not None:
        found |= OF_TEXT
    return frozenset(found)


def strays(trace: Trace) -> Iterator[Gap]:
    """Yield the deltas of a stream that belong to one of its choices, and do not say to which."""
    return (Gap(delta.event, carried(delta)) for delta in trace.strays)
