"""Completions that are alike: they have the same names and types throughout, and differ in values alone.

In a log most are. What the names and types of one decide, they decide of the others as well; so a completion like an
earlier one is recognised by a schema made from that one, which an engine decides at once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cache
from typing import Any, Generic, TypeVar

from isogloss.validator.engines import predicate
from isogloss.validator.engines.loosened import patterns
from isogloss.validator.examining.examiner import Found

__all__ = ["Alike", "Remembered", "told"]

_BY_NAMES_AND_TYPES = frozenset({"unknown-property", "missing-property", "documented-property-absent", "null-value"})
"""Rules that decide by the names and types in a payload, and quote no value of it."""

_MOST = 16
"""Kinds of completions, alike among themselves, that are remembered at once: each is asked for in turn."""

_DEEPEST = 16
_LONGEST = 8
_WIDEST = 64
_TYPES = {str: "string", int: "integer", bool: "boolean", type(None): "null"}

_Said = TypeVar("_Said")


def told(found: Found) -> bool:
    """Whether a finding about a completion is the same in all that are alike and have the same marks."""
    return found.rule in _BY_NAMES_AND_TYPES or (
        found.rule == "wrong-format" and len(found.hit.pointer) == 1 and found.hit.pointer[0] in patterns("completion")
    )


class Alike:
    """The completions that are alike: ``accepts`` tells them, ``marks`` what of their values counts nevertheless."""

    __slots__ = ("_marks", "_matches", "accepts")

    def __init__(self, value: dict[str, Any], marks: Callable[[object], Hashable] | None) -> None:
        """Of the completions like `value`; `marks` is for what else of their values counts.

        Raises ``ValueError`` for what is nested too deep, or has too many members or items at a place.
        """
        self.accepts = predicate(_schema(value, _DEEPEST))
        self._marks = marks
        self._matches = [_matching(name, pattern) for name, pattern in patterns("completion").items() if name in value]

    def marks(self, value: dict[str, Any]) -> Hashable:
        """Which patterns of the reference its members match, and what else counts."""
        return (
            *[matches(value) for matches in self._matches],
            self._marks(value) if self._marks is not None else None,
        )


class Remembered(Generic[_Said]):
    """What was said of completions, for those that are alike and have the same marks.

    ``marks`` gives, for a completion, what of the values of those with its names and types counts besides patterns.
    """

    def __init__(self, marks: Callable[[dict[str, Any]], Callable[[object], Hashable] | None]) -> None:
        self._marks = marks
        self._alike: list[Alike] = []
        self._said: dict[tuple[Alike, Hashable], _Said] = {}

    def of(self, value: dict[str, Any]) -> _Said | None:
        """What was said of one that is alike."""
        alike = self._like(value)
        return self._said.get((alike, alike.marks(value))) if alike is not None else None

    def keep(self, value: dict[str, Any], said: _Said) -> None:
        """Remember what was said of a completion, unless there are many that differ already."""
        alike = self._like(value)
        if alike is None:
            if len(self._alike) >= _MOST:
                return
            try:
                alike = Alike(value, self._marks(value))
            except ValueError:
                return
            self._alike.append(alike)
        self._said[alike, alike.marks(value)] = said

    def forget(self) -> None:
        """Begin anew; what completions are alike is still known, unless there was room for no more."""
        self._said.clear()
        if len(self._alike) >= _MOST:
            self._alike.clear()

    def _like(self, value: dict[str, Any]) -> Alike | None:
        return next((one for one in self._alike if one.accepts(value)), None)


@cache
def _matching(name: str, pattern: str) -> Callable[[object], bool]:
    return predicate({"properties": {name: {"pattern": pattern}}})


def _schema(value: object, levels: int) -> dict[str, Any]:
    """A schema of those values that have the same names and types as this one."""
    if isinstance(value, dict):
        if not levels or len(value) > _WIDEST:
            raise ValueError("nested too deep, or too wide")
        properties = {name: _schema(part, levels - 1) for name, part in value.items()}
        return {
            "type": "object", "properties": properties, "minProperties": len(value), "additionalProperties": False
        }  # fmt: skip
    if isinstance(value, list):
        if not levels or len(value) > _LONGEST:
            raise ValueError("nested too deep, or too wide")
        items = {"prefixItems": [_schema(part, levels - 1) for part in value], "minItems": len(value)} if value else {}
        return {"type": "array", "maxItems": len(value), **items}
    if isinstance(value, float):
        return {"type": "integer"} if value.is_integer() else {"type": "number", "not": {"type": "integer"}}
    return {"type": _TYPES[type(value)]}
