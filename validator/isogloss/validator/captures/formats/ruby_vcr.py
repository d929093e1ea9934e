"""Cassettes of Ruby VCR, and of Betamax in Python: ``http_interactions``, in YAML or JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator

from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.document import documents
from isogloss.validator.captures.pairs import listed
from isogloss.validator.exchange import Exchange, Skipped

__all__ = ["NAME", "read", "recognise"]

NAME = "ruby-vcr"

_KEY = rb"""(?ms)^http_interactions:|^\s*\{.{0,400}?"http_interactions"\s*:\s*\["""
_LOOKED_AT = 4096
"""Bytes at the beginning in which the property has to stand."""


def recognise(capture: Capture) -> int:
    """Whether ``http_interactions`` is one of its first members."""
    named = capture.head.find(b"http_interactions", 0, _LOOKED_AT) >= 0
    return 90 if named and re.search(_KEY, capture.head[:_LOOKED_AT]) else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """The interactions of the cassette."""
    for document in documents(capture):
        yield from listed(capture, document.part(document.value).member("http_interactions"), messages=True)
        if damage := document.damage(capture.name):
            yield damage
