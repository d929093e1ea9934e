"""Validate with jsonschema, the reference engine.

It serves platforms without jsonschema-rs, and tests compare the fast engine with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import jsonschema

from isogloss import schemas

__all__ = ["ReferenceEngine", "make_test"]

_DEEPEST = 64
"""Levels of a payload that the engine has to see. The schemas describe several times fewer levels."""


def make_test(schema: Mapping[str, Any]) -> Callable[[object], bool]:
    """Return a function that tests whether a value satisfies a schema."""
    is_valid = jsonschema.Draft202012Validator(schema).is_valid

    def valid(value: object) -> bool:
        try:
            return is_valid(value)
        except RecursionError:  # the message of an error quotes the value, however deep it is
            return is_valid(_shallow(value))

    return valid


def _shallow(value: object, levels: int = _DEEPEST) -> object:
    """Return a copy of the payload in which every array and object below that many levels is empty."""
    if isinstance(value, dict):
        return {name: _shallow(child, levels - 1) for name, child in value.items()} if levels else {}
    if isinstance(value, list):
        return [_shallow(item, levels - 1) for item in value] if levels else []
    return value


@cache
def _test_of_kind(kind: str) -> Callable[[object], bool]:
    return make_test(schemas.validation_document(kind))


class ReferenceEngine:
    """The reference engine: jsonschema, with the library referencing."""

    name = "jsonschema"

    def validator(self, kind: str) -> Callable[[object], bool]:
        """Return a function that tests whether a payload of a kind violates nothing."""
        return _test_of_kind(kind)
