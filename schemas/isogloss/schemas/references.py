"""Follow a ``$ref`` inside one JSON Schema document."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

__all__ = ["resolve", "steps"]


def steps(reference: str) -> tuple[str, ...]:
    """Return the steps from the root of the document to the value that ``#`` or ``#/…`` refers to."""
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in unquote(reference).split("/")[1:])


def resolve(document: Any, reference: str) -> Any:
    """Return the value in the document that ``#`` or ``#/…`` refers to. Raises ``LookupError`` if there is none."""
    node = document
    for step in steps(reference):
        if isinstance(node, dict):
            node = node[step]
        elif isinstance(node, list) and step.isascii() and step.isdigit() and len(step) < 9:
            node = node[int(step)]
        else:
            raise LookupError(reference)
    return node
