"""The two JSON Schema engines behind one protocol: ``fast`` decides, ``reference`` is what it is held equal to."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, Protocol

from isogloss.validator.pointer import Pointer

__all__ = ["NAMES", "Engine", "SchemaError", "load", "predicate", "shallow"]

NAMES = ("jsonschema-rs", "jsonschema")


class SchemaError(NamedTuple):
    """One violated keyword: where in the instance, and where the keyword stands in the schema document."""

    pointer: Pointer
    schema: Pointer

    @property
    def keyword(self) -> str:
        """The violated JSON Schema keyword."""
        return str(self.schema[-1])


class Engine(Protocol):
    """Holds payloads against the schema of a kind, with every severity's constraints in it."""

    name: str

    def valid(self, kind: str, value: object) -> bool:
        """Whether the payload violates nothing."""

    def fits(self, kind: str, value: object) -> bool:
        """Whether the payload violates nothing but what its names and types decide."""

    def errors(self, kind: str, value: object) -> Iterator[SchemaError]:
        """Every violated keyword, in no particular order."""


def load(name: str | None = None) -> Engine:
    """The engine of that name; without a name the fast one, or the reference one where it is not installed.

    Raises ``ModuleNotFoundError`` when the fast engine is asked for by name and not installed.
    """
    if name == "jsonschema" or (name is None and importlib.util.find_spec("jsonschema_rs") is None):
        from isogloss.validator.engines.reference import ReferenceEngine

        return ReferenceEngine()
    from isogloss.validator.engines.fast import FastEngine

    return FastEngine()


def predicate(schema: Mapping[str, Any]) -> Callable[[object], bool]:
    """Whether values satisfy a schema of our own making, as a function; by the fast engine where it is installed."""
    if importlib.util.find_spec("jsonschema_rs") is None:
        import jsonschema

        return jsonschema.Draft202012Validator(schema).is_valid
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator(dict(schema)).is_valid


_DEEPEST = 64
"""Levels of a payload that the engines need to see: several times as deep as any of the schemas describes."""


def shallow(value: object, levels: int = _DEEPEST) -> object:
    """The payload with every array and object below that many levels emptied.

    Both engines give up on one nested some hundreds deep, though only to put it into the words of an error.
    """
    if isinstance(value, dict):
        return {name: shallow(member, levels - 1) for name, member in value.items()} if levels else {}
    if isinstance(value, list):
        return [shallow(item, levels - 1) for item in value] if levels else []
    return value
