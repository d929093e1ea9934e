"""Hold a description of the API in the form that is common to all sources: a JSON Schema for each kind of payload."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Described", "UnreadableSource"]


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
