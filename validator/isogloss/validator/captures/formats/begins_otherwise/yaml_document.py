"""Read a YAML file that holds HTTP pairs, or requests beside their answers, as ``structures/search.py`` finds them.

The recorder of ``responses`` (Python) writes such a file: a list ``responses`` of objects with a ``response`` each,
which has ``body``, ``content_type``, ``method``, ``status`` and ``url`` (README.rst of getsentry/responses, read
2026-11). A payload alone is not read: nobody sends YAML, so it is an example, or a short form that a test completes.
Of a test of Tavern, only the requests are read: its responses have what the test expects, which may be a few properties
of an answer (basics.md in the documentation of taverntesting/tavern, read 2026-11).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from msgspec.structs import replace

from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.document import Document, documents
from isogloss.validator.captures.limits import Unreadable
from isogloss.validator.captures.yaml.beginnings import may_hold_exchanges
from isogloss.validator.captures.yaml.text import NotYaml
from isogloss.validator.exchange import NO_HTTP, Exchange, Skipped, Why
from isogloss.validator.kinds import kind_of, why_no_payload

__all__ = ["NAME", "read", "recognise"]

NAME = "yaml"

_CALLED_YAML = (".yaml", ".yml")
_ENDINGS = (*_CALLED_YAML, ">")
"""The endings of names of YAML, and of the name of standard input."""
_ONLY_A_PAYLOAD = Why(
    "a payload written as YAML, and no exchange: payloads are sent as JSON",
    advice="write it as JSON, or with its request beside it as `request` and `response`",
)
_OF_TEST = frozenset({"test_name", "stages"})
"""Keys of a test of Tavern."""
_EXPECTED = Why("what a test expects of an answer")
_NO_YAML = rb"""(?mx)^ (?:
      (?! ["'\#&*!|>?%b%%-] | %b{1,200}:\s | [ \t\r] | \.\.\.\s ) [^\r\n]+
    | b? (?: '(?:[^'\\\r\n]|\\[^\r\n])++' | "(?:[^"\\\r\n]|\\[^\r\n])++" )
    ) \r?\n"""
"""A line that is neither indented nor a key, an item, a comment or a value, or is one string. Texts and logs have such
lines."""
_BRACKETS_AND_KEYS = {True: (rb"", rb"[^\s:{\[]"), False: (rb"{\[\]}", rb"[^\r\n:]")}
"""The brackets of values, and what keys are made of.

They differ for a file with the name of a text (``True``): there, a line with only a bracket is no YAML but the edge of
what a program printed, and a key is one word, since several are a sentence.
"""
_KEY_AT_START = rb"(?m)^[\w.-]{1,60}:(?=[ \r\n])"
_OPEN_BRACKET = rb"(?m)[ \t]\{[ \t]*\r?$"
"""A line that ends with a bracket. In such a file, what a program printed begins there."""


def recognise(capture: Capture) -> int:
    """Recognise YAML that mentions Chat Completions and has a key that traffic has. Other YAML is not parsed."""
    if not may_hold_exchanges(capture.start):
        return 0
    if capture.has_ending(_CALLED_YAML):
        return 30
    if (capture.is_called_like_text and re.search(_OPEN_BRACKET, capture.head)) or _repeats_keys(capture.head):
        return 0
    lines = capture.head + b"\n" if capture.whole_head else capture.head
    return 0 if re.search(_NO_YAML % _BRACKETS_AND_KEYS[capture.is_called_like_text], lines) else 30


def _repeats_keys(data: bytes) -> bool:
    """Return whether keys are repeated that are not indented, in one document. In a text, they are labels."""
    keys = re.findall(_KEY_AT_START, data)
    return len(set(keys)) < len(keys) and re.search(rb"(?m)^---", data) is None


def _documents(capture: Capture) -> Iterator[Document]:
    """Yield the documents. Raises :class:`Unreadable`.

    Headers with a text behind them, such as the metadata of packages, begin like YAML. So if a file is not called like
    YAML, and nothing in it is YAML, the error says no more than that it is no capture.
    """
    has_documents = False
    try:
        for document in documents(capture):
            yield document
            has_documents = True
    except NotYaml as error:
        if has_documents or capture.has_ending(_ENDINGS):
            raise
        from isogloss.validator.captures.unrecognised import why_unrecognised

        raise Unreadable(why_unrecognised(capture)) from error


def _as_expected(found: Exchange | Skipped) -> Exchange | Skipped:
    """Return what a test holds without the answer that it expects."""
    if isinstance(found, Skipped):
        return found
    if found.request is None:
        return Skipped(file=found.file, number=found.number, why=_EXPECTED)
    return replace(found, response=None, http=NO_HTTP)


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of each document of the file, or a :class:`Skipped` for a document without any."""
    from isogloss.validator.captures.structures import search

    number = 0
    for document in _documents(capture):
        part = document.root
        why = _ONLY_A_PAYLOAD if kind_of(part.value) is not None else why_no_payload(part.value)
        found = search.exchanges_within(capture, number, part, may_be_pair=True)
        if isinstance(part.value, dict) and part.value.keys() >= _OF_TEST:
            found = map(_as_expected, found)
        for one in chain([next(found, Skipped(file=capture.name, number=number, why=why))], found):
            yield one
            number += one.parts
