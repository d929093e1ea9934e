"""Read a block of YAML in a page: a cassette, or a part of one, as documentation and threads show them."""

from __future__ import annotations

from msgspec.structs import replace

from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.document import Document
from isogloss.validator.captures.limits import Unreadable
from isogloss.validator.captures.structures.search import exchanges_within
from isogloss.validator.captures.yaml.beginnings import may_hold_exchanges
from isogloss.validator.captures.yaml.text import yaml_documents
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.text import Text

__all__ = ["exchanges_of_yaml"]


def exchanges_of_yaml(capture: Capture, number: int, text: Text) -> list[Exchange | Skipped]:
    """Return the exchanges of a block that have a request and an answer: an answer alone is a rule of a mock server.

    In YAML that holds none, and in other text, nothing is found.
    """
    found: list[Exchange] = []
    if not may_hold_exchanges(text.data):
        return []
    try:
        for document in map(Document, yaml_documents(text)):
            within = exchanges_within(capture, 0, document.root, may_be_pair=True)
            found += (one for one in within if isinstance(one, Exchange) and one.request and one.response)
    except Unreadable:  # what follows is no YAML
        pass
    return [replace(one, number=number + position) for position, one in enumerate(found)]
