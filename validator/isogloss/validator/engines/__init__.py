"""Load one of two JSON Schema engines: the fast one or the reference. They give equal results."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypeAlias

import orjson
from msgspec import Struct

from isogloss.validator.pointer import Pointer

__all__ = ["NAMES", "Engine", "SchemaError", "load", "new_predicate", "predicate"]

NAMES = ("jsonschema-rs", "jsonschema")

Engine: TypeAlias = Callable[[str], Callable[[object], bool]]
"""Returns, for a kind, a function that tests whether a payload of this kind violates nothing."""


class SchemaError(Struct, frozen=True):
    """One violated keyword: its pointer in the payload, and the pointer of the keyword in the schema document.

    ``names`` are the properties that are missing (for ``required``) or that the schema does not have (for
    ``additionalProperties``).
    """

    pointer: Pointer
    schema: Pointer
    names: tuple[str, ...] = ()

    @property
    def keyword(self) -> str:
        """The violated JSON Schema keyword."""
        return str(self.schema[-1])


def load(name: str | None = None) -> Engine:
    """Return the engine of that name; without a name, the fast one if it is installed, else the reference one.

    Raises ``ModuleNotFoundError`` if the name is that of the fast engine, and this is not installed.
    """
    if name == "jsonschema" or (name is None and importlib.util.find_spec("jsonschema_rs") is None):
        from isogloss.validator.engines import reference

        return reference.test_of_kind
    from isogloss.validator.engines import fast

    return fast.test_of_kind


def predicate(schema: Mapping[str, Any]) -> Callable[[object], bool]:
    """Return a function that tests whether a value satisfies a schema, which must be of our own making.

    It uses the fast engine if that is installed. Schemas are often built anew from the same parts: equal ones are
    compiled once.
    """
    return _compile_text(orjson.dumps(schema))


@lru_cache(1024)  # each function takes up to 50 KB
def _compile_text(schema: bytes) -> Callable[[object], bool]:
    return new_predicate(orjson.loads(schema))


def new_predicate(schema: dict[str, Any]) -> Callable[[object], bool]:
    """Return the same as :func:`predicate` for a schema that differs from all others, so that it is not remembered."""
    if importlib.util.find_spec("jsonschema_rs") is None:
        from isogloss.validator.engines import reference

        return reference.make_test(schema)
    from isogloss.validator.engines.fast import jsonschema_rs

    return jsonschema_rs.Draft202012Validator(schema).is_valid
