"""Read snapshots of tests: what a test compared, written down by insta (Rust), or by Jest and Vitest.

A file of insta has one value behind lines of metadata, between two lines ``---``: ``source``, ``expression`` and so on
(insta/src/snapshot.rs of mitsuhiko/insta). One of Jest or Vitest has a template literal for each value
(packages/jest-snapshot-utils/src/utils.ts of jestjs/jest; both read 2026-11): a string in quotes, or a value as
``pretty-format`` writes it, which is JSON but for commas behind last items and, from older versions, the words
``Object`` and ``Array``. Each value is read like a block of a page, if it is JSON, events or HTTP messages. Nobody
knows whether the test kept it as it was sent, so rules about the bytes that were sent are not applied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from isogloss.validator.captures.capture import Capture, without
from isogloss.validator.captures.texts.blocks import block_of, exchanges_of_block
from isogloss.validator.captures.traffic import NOTHING_COMPARED
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.text import Text

__all__ = ["NAME", "WORDS", "read", "recognise"]

NAME = "snapshot"
WORDS = (b"\nsource:", b"\nexpression:", b"exports[`")

_METADATA = rb"---\r?\n(?:(?:[a-z_]{1,40}:[^\n]*|[ -][^\n]*)\n){1,60}?---\r?\n"
_OF_INSTA = rb"(?m)^(?:source|expression):"
_JAVASCRIPT = rb"(?:[ \t]*(?://[^\n]*)?\r?\n)*exports\[`"
_VALUE = re.compile(rb"(?m)^exports\[`(?:[^`\\]|\\.)*`\] = `((?:[^`\\]|\\[\s\S])*)`;?[ \t]*\r?$")
_ESCAPED_IN_LITERAL = rb"\\(?=[`\\$])[`\\$]"
_ESCAPED_IN_STRING = rb"\\[\"\\]"
_NOT_IN_JSON = (
    rb'(?m)^[ \t]*(?:"[^"\n]*": )?(?P<word>(?:Object|Array) )(?=[{\[](?:[}\]],?)?[ \t\r]*$)'
    rb"|(?P<comma>,)(?=[ \t\r]*\n[ \t]*[}\]])"
)


def recognise(capture: Capture) -> int:
    """Recognise the metadata of insta, or the first value of Jest or Vitest."""
    metadata = re.match(_METADATA, capture.start)
    if metadata is not None:
        return 60 if re.search(_OF_INSTA, metadata[0]) else 0
    return 60 if re.match(_JAVASCRIPT, capture.start) else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of the values, in order. Other values are not reported."""
    number = 0
    for value in _values(capture.text):
        for found in exchanges_of_block(capture, number, value, damaged=False):
            if isinstance(found, Exchange):
                yield replace(found, dumped=True)
                number += 1
    if not number:
        yield Skipped(file=capture.name, reason=NOTHING_COMPARED)


def _values(text: Text) -> Iterator[Text]:
    start = len(text.data) - len(text.data.lstrip(b"\xef\xbb\xbf \t\r\n"))
    if metadata := re.compile(_METADATA).match(text.data, start):
        yield block_of(text, [(metadata.end(), len(text.data))])
        return
    for match in _VALUE.finditer(text.data):
        yield _value(_unescaped(text.slice(*match.span(1)), _ESCAPED_IN_LITERAL))


def _value(text: Text) -> Text:
    """Return the text of a string, or the JSON that ``pretty-format`` wrote in its own way."""
    data = text.data.strip()
    start = text.data.find(data)
    if len(data) > 1 and data.startswith(b'"') and data.endswith(b'"'):
        inner = text.slice(start + 1, start + len(data) - 1)
        is_escaped = re.search(rb'(?<!\\)"', inner.data) is None
        inner = _unescaped(inner, _ESCAPED_IN_STRING) if is_escaped else inner
        return block_of(inner, [(0, len(inner.data))])
    return without(text, [match.span(match.lastgroup or 0) for match in re.finditer(_NOT_IN_JSON, text.data)])


def _unescaped(text: Text, escaped: bytes) -> Text:
    """Return a text without the backslashes of these escapes."""
    return without(text, [(match.start(), match.start() + 1) for match in re.finditer(escaped, text.data)])
