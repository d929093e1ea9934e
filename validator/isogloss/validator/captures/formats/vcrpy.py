"""Read cassettes of vcrpy, pydantic-ai, go-vcr, Symfony AI and req_cassette: ``interactions``, in YAML or JSON.

The tests of LangChain write cassettes of vcrpy in another form: the ``requests`` in one list, and the ``responses`` in
another (``CustomSerializer`` in libs/standard-tests/langchain_tests/conftest.py of langchain-ai/langchain, read
2026-11). Cassettes whose interactions hold what a client library was called with, as those of agentape (0.1.0, PyPI),
are read by their content.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.document import documents
from isogloss.validator.exchange import Exchange, Skipped

__all__ = ["NAME", "WORDS", "read", "recognise"]

NAME = "vcrpy"
WORDS = (b"interactions", b"requests:")

_KEY = rb"""(?ms)^interactions:|^\s*\{.{0,400}?"interactions"\s*:\s*\["""
_LISTS = rb"(?:---[ \t]*\r?\n)?requests:[ \t]*\r?\n[ \t]*- "


def recognise(capture: Capture) -> int:
    """Recognise a capture with ``interactions`` among its first properties, or a list of ``requests`` as the first."""
    if re.search(_KEY, capture.beginning):
        return 90
    return 90 if not capture.begins_as_json and re.match(_LISTS, capture.start) else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of the interactions of the cassette."""
    from isogloss.validator.captures.structures.objects.http_pairs import is_pair
    from isogloss.validator.captures.structures.pairs import exchanges_of_halves, exchanges_of_list

    for document in documents(capture):
        cassette = document.root
        interactions = cassette.get("interactions")
        if interactions.value and isinstance(interactions.value, list) and not any(map(is_pair, interactions.value)):
            from isogloss.validator.captures.structures.values import exchanges  # hardly any cassette is like that

            yield from exchanges(capture, 0, cassette, capture.kind)
        elif interactions.value is not None:
            yield from exchanges_of_list(capture, interactions, messages=True)
        else:
            yield from exchanges_of_halves(capture, cassette.get("requests"), cassette.get("responses"))
        yield from document.damage(capture.name)
