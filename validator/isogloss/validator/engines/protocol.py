"""What an engine is, and what it reports: the types that both engines share."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from isogloss.validator.pointer import Pointer

__all__ = ["Engine", "SchemaError", "shallow"]


class SchemaError(NamedTuple):
    """One violated keyword: where in the instance, and where the keyword stands in the schema document.

    ``names`` are the properties that are missing there (of ``required``) or that the schema does not have (of
    ``additionalProperties``).
    """

    pointer: Pointer
    schema: Pointer
    names: tuple[str, ...] = ()

    @property
    def keyword(self) -> str:
        """The violated JSON Schema keyword."""
        return str(self.schema[-1])


class Engine(Protocol):
    """Holds payloads against the schema of a kind, with every severity's constraints in it."""

    name: str

    def validator(self, kind: str) -> Callable[[object], bool]:
        """The test whether a payload of a kind violates nothing."""

    def errors(self, kind: str, value: object) -> list[SchemaError]:
        """Every violated keyword, in the order of places."""


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
