"""Validate with jsonschema, the reference engine.

It serves platforms without jsonschema-rs, and tests compare the fast engine with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import jsonschema

from isogloss import schemas
from isogloss.validator.nesting import shallow

__all__ = ["make_test", "test_of_kind"]


def make_test(schema: Mapping[str, Any]) -> Callable[[object], bool]:
    """Return a function that tests whether a value satisfies a schema."""
    is_valid = jsonschema.Draft202012Validator(schema).is_valid

    def valid(value: object) -> bool:
        try:
            return is_valid(value)
        except RecursionError:  # the message of an error quotes the value, however deep it is
            return is_valid(shallow(value))

    return valid


@cache
def test_of_kind(kind: str) -> Callable[[object], bool]:
    """Return a function that tests whether a payload of a kind violates nothing."""
    return make_test(schemas.validation_document(kind))
