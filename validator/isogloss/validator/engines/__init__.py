"""Load the two JSON Schema engines behind one protocol: the fast one and the reference. They give equal results."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import orjson

from isogloss.validator.engines.protocol import Engine, SchemaError

__all__ = ["NAMES", "Engine", "SchemaError", "load", "new_predicate", "predicate"]

NAMES = ("jsonschema-rs", "jsonschema")


def load(name: str | None = None) -> Engine:
    """Return the engine of that name; without a name, the fast one if it is installed, else the reference one.

    Raises ``ModuleNotFoundError`` if the name is that of the fast engine, and this is not installed.
    """
    if name == "jsonschema" or (name is None and importlib.util.find_spec("jsonschema_rs") is None):
        from isogloss.validator.engines.reference import ReferenceEngine

        return ReferenceEngine()
    from isogloss.validator.engines.fast import FastEngine

    return FastEngine()


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
