"""Cassettes of vcrpy, pydantic-ai, go-vcr and Symfony AI: ``interactions``, in YAML or JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator

from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.document import documents
from isogloss.validator.captures.interactions import interactions
from isogloss.validator.exchange import Exchange, Skipped

__all__ = ["NAME", "read", "recognise"]

NAME = "vcrpy"

_KEY = re.compile(rb"""^interactions:|^\s*\{.{0,400}?"interactions"\s*:\s*\[""", re.MULTILINE | re.DOTALL)


def recognise(capture: Capture) -> int:
    """Whether ``interactions`` is one of its first members."""
    head = capture.head[:4096]
    return 90 if b"interactions" in head and _KEY.search(head) else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """The interactions of the cassette."""
    for document in documents(capture):
        yield from interactions(capture, document.part(document.value).member("interactions"))
        if damage := document.damage(capture.name):
            yield damage
