"""Limit how deep a JSON value is nested: functions that call themselves cannot read the deepest values of captures."""

from __future__ import annotations

from typing import Any

__all__ = ["shallow"]

_DEEPEST = 64
"""Levels that are enough for what isogloss does with a value: the schemas describe several times fewer levels."""


def shallow(value: Any, levels: int = _DEEPEST) -> Any:
    """Return a copy of a JSON value with at most ``levels`` levels. Objects and arrays below these become empty."""
    if isinstance(value, dict):
        return {name: shallow(part, levels - 1) for name, part in value.items()} if levels else {}
    if isinstance(value, list):
        return [shallow(part, levels - 1) for part in value] if levels else []
    return value
