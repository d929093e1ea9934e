"""Define the types that all engine modules share: an engine, and a violation of a schema."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from msgspec import Struct

from isogloss.validator.pointer import Pointer

__all__ = ["Engine", "SchemaError"]


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


class Engine(Protocol):
    """Checks payloads by the schema of their kind, which has the constraints of every severity."""

    name: str

    def validator(self, kind: str) -> Callable[[object], bool]:
        """Return a function that tests whether a payload of a kind violates nothing."""
