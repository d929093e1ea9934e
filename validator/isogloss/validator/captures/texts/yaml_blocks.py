"""Read a block of YAML in a page: a cassette, or a part of one, as documentation and threads show them."""

from __future__ import annotations

from isogloss.validator.captures.capture import Capture, Unreadable
from isogloss.validator.captures.document import Document
from isogloss.validator.captures.structures.search import exchanges_within
from isogloss.validator.captures.yaml.beginnings import may_hold_exchanges
from isogloss.validator.captures.yaml.text import yaml_documents
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.text import Text

__all__ = ["exchanges_of_yaml"]


def exchanges_of_yaml(capture: Capture, number: int, text: Text) -> list[Exchange | Skipped]:
    """Return the exchanges of a block. In YAML that holds none, and in other text, nothing is found."""
    found: list[Exchange | Skipped] = []
    if not may_hold_exchanges(text.data):
        return found
    try:
        for document in map(Document, yaml_documents(text)):
            found += exchanges_within(capture, number + len(found), document.root, may_be_pair=True)
    except Unreadable:  # what follows is no YAML
        pass
    return found
