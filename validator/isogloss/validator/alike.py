"""Completions that are alike: they have the same names and types throughout, and differ in values alone.

In a log most are. What the names and types of one decide, they decide of the others as well; so a completion like an
earlier one is recognised by a schema made from that one, which takes an engine a microsecond.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cache
from typing import Any

from isogloss.validator.engines import predicate
from isogloss.validator.engines.loosened import patterns
from isogloss.validator.examine import Found

__all__ = ["Alike", "told"]

_BY_NAMES_AND_TYPES = frozenset({"unknown-property", "missing-property", "documented-property-absent", "null-value"})
"""Rules that decide by the names and types in a payload, and quote no value of it."""

_DEEPEST = 16
_LONGEST = 8
_TYPES = {str: "string", int: "integer", bool: "boolean", type(None): "null"}


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

        Raises ``ValueError`` for what is nested too deep, or too long.
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


@cache
def _matching(name: str, pattern: str) -> Callable[[object], bool]:
    return predicate({"properties": {name: {"pattern": pattern}}})


def _schema(value: object, levels: int) -> dict[str, Any]:
    """A schema of those values that have the same names and types as this one."""
    if isinstance(value, dict):
        if not levels:
            raise ValueError("nested too deep")
        properties = {name: _schema(part, levels - 1) for name, part in value.items()}
        return {
            "type": "object", "properties": properties, "minProperties": len(value), "additionalProperties": False
        }  # fmt: skip
    if isinstance(value, list):
        if not levels or len(value) > _LONGEST:
            raise ValueError("nested too deep, or too long")
        items = {"prefixItems": [_schema(part, levels - 1) for part in value], "minItems": len(value)} if value else {}
        return {"type": "array", "maxItems": len(value), **items}
    if isinstance(value, float):
        return {"type": "integer"} if value.is_integer() else {"type": "number", "not": {"type": "integer"}}
    return {"type": _TYPES[type(value)]}
