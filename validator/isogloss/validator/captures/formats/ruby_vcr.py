"""Read cassettes of Ruby VCR, and of Betamax in Python: ``http_interactions``, in YAML or JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator

from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.document import documents
from isogloss.validator.exchange import Exchange, Skipped

__all__ = ["NAME", "WORDS", "read", "recognise"]

NAME = "ruby-vcr"
WORDS = (b"interactions",)

_KEY = rb"""(?ms)^http_interactions:|^\s*\{.{0,400}?"http_interactions"\s*:\s*\["""


def recognise(capture: Capture) -> int:
    """Recognise a capture with ``http_interactions`` among its first properties."""
    return 90 if re.search(_KEY, capture.beginning) else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of the interactions of the cassette."""
    from isogloss.validator.captures.structures.pairs import exchanges_of_list

    for document in documents(capture):
        yield from exchanges_of_list(capture, document.root.get("http_interactions"), messages=True)
        yield from document.damage(capture.name)
