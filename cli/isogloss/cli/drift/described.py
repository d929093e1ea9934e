"""Hold a description of the API in the form that is common to all sources: a JSON Schema for each kind of payload."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from isogloss.schemas.references import resolve

__all__ = ["Described", "UnreadableSource", "document_of", "resolved"]


class UnreadableSource(Exception):
    """A description that cannot be read; the message says where and why."""


@dataclass(frozen=True, kw_only=True)
class Described:
    """The API as one source describes it.

    ``documents`` has a JSON Schema for each of ``completion``, ``chunk``, ``request`` and ``error`` that the source
    describes, with references inside the document. ``integers`` says whether the source distinguishes
    integers from other numbers, ``bounds`` whether it gives lengths, ranges and patterns.
    """

    name: str
    documents: Mapping[str, Mapping[str, Any]]
    integers: bool = True
    bounds: bool = False


def document_of(kind: str, schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document of a kind of payload. For errors, packages describe only the object inside of it."""
    if kind == "error":
        schema = {"type": "object", "required": ["error"], "properties": {"error": schema}}
    return {**schema, "$defs": definitions}


def resolved(document: object, reference: str) -> Any:
    """Return what a reference leads to in a document. Raises :class:`UnreadableSource` if it leads nowhere."""
    try:
        return resolve(document, reference)
    except LookupError as error:
        raise UnreadableSource(f"a reference that leads nowhere: {reference}") from error
