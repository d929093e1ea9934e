"""Payloads that are alike: they have the same names and types throughout, and differ in values alone.

In a log most are. What the names and types of one decide, its verdict on the others decides as well; so a payload like
an earlier one is recognised by a schema made from that one, which takes an engine a microsecond.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from isogloss.validator.engines import predicate

__all__ = ["BY_NAMES_AND_TYPES", "Alike"]

BY_NAMES_AND_TYPES = frozenset({"unknown-property", "missing-property", "documented-property-absent", "null-value"})
"""Rules that decide by the names and types in a payload, and quote no value of it."""

_DEEPEST = 16
_LONGEST = 8
_TYPES = {str: "string", int: "integer", bool: "boolean", type(None): "null"}


class Alike:
    """The payloads that are alike: ``accepts`` tells them, ``marks`` what of their values counts nevertheless."""

    __slots__ = ("accepts", "marks")

    def __init__(self, value: dict[str, Any], marks: Callable[[object], Hashable] | None) -> None:
        """Of the payloads like `value`. Raises ``ValueError`` for what is nested too deep, or too long."""
        self.accepts = predicate(_schema(value, _DEEPEST))
        self.marks = marks or _no_marks


def _no_marks(value: object) -> Hashable:
    return None


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
