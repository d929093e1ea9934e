"""What an engine is, and what violates a schema: the types that all modules here share."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from isogloss.validator.pointer import Pointer

__all__ = ["Engine", "SchemaError"]


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
    """Checks payloads against the schema of their kind, which has the constraints of every severity in it."""

    name: str

    def validator(self, kind: str) -> Callable[[object], bool]:
        """Return a function that tests whether a payload of a kind violates nothing."""
