"""Read a YAML file that holds HTTP pairs, or requests beside their answers, as :mod:`~.search` finds them.

The recorder of ``responses`` (Python) writes such a file: a list ``responses`` of objects with a ``response`` each,
which has ``body``, ``content_type``, ``method``, ``status`` and ``url`` (README.rst of getsentry/responses, read
2026-11). A payload alone is not read: nobody sends YAML, so it is an example, or a short form that a test completes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.document import documents
from isogloss.validator.captures.search import exchanges_within
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.kinds import kind_of, why_no_payload

__all__ = ["NAME", "read", "recognise"]

NAME = "yaml"

_ONLY_A_PAYLOAD = "a payload written as YAML, and no exchange: payloads are sent as JSON"
_FIRST_LINE = rb"(?:[ \t]*(?:#[^\n]*)?\r?\n)*(?:---[^\n]*\n|(?:- )?[\"':]?[\w.-]{1,60}[\"']?:[ \r\n]|-\r?\n)"
_PAYLOAD = rb"chat/completions|chat\.completion|choices[\"']?:"
_KEY = (
    rb"(?m)^[ -]{0,40}[\"']?(?:\w{0,20}request\w{0,20}|\w{0,20}response\w{0,20}|messages|choices|input|output|url|uri)"
    rb"[\"']?:(?:[ \r\n]|\Z)"
)
_NO_YAML = rb"(?m)^(?![\"'#&*!|>?{\[\]}%-]|[^\s:]{1,200}:|[ \t\r])[^\r\n]"
"""A line that is neither indented nor a key, an item, a comment or a value. Text has such lines."""


def recognise(capture: Capture) -> int:
    """Recognise YAML that mentions Chat Completions and has a key that traffic has. Other YAML is not parsed."""
    is_yaml = (
        re.match(_FIRST_LINE, capture.start) and re.search(_PAYLOAD, capture.head) and re.search(_KEY, capture.head)
    )
    if not is_yaml or (capture.is_called_like_text and re.search(_NO_YAML, capture.head)):
        return 0
    return 30


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of each document of the file, or a :class:`Skipped` for a document without any."""
    number = 0
    for document in documents(capture):
        part = document.part(document.value)
        reason = _ONLY_A_PAYLOAD if kind_of(part.value) is not None else why_no_payload(part.value)
        found = exchanges_within(capture, number, part, may_be_pair=True)
        for one in chain([next(found, Skipped(file=capture.name, number=number, reason=reason))], found):
            yield one
            number += one.parts if isinstance(one, Skipped) else 1
