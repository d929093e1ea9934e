"""Validate with jsonschema-rs, the fast engine, which takes some microseconds for a payload.

If an interrupt arrives during its import, it waits until the import is complete. Otherwise the extension would panic.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from isogloss import schemas
from isogloss.validator.interrupts import hold

with hold():
    import jsonschema_rs

__all__ = ["jsonschema_rs", "test_of_kind"]


@cache
def test_of_kind(kind: str) -> Callable[[object], bool]:
    """Return a function that tests whether a payload of a kind violates nothing."""
    return jsonschema_rs.Draft202012Validator(schemas.validation_document(kind)).is_valid
