"""Read snapshots of tests: what a test compared, written down by insta (Rust), go-snaps (Go), or Jest and Vitest.

A file of insta has one value behind lines of metadata, between two lines ``---``: ``source``, ``expression`` and so on
(insta/src/snapshot.rs of mitsuhiko/insta). One of Jest or Vitest has a template literal for each value
(packages/jest-snapshot-utils/src/utils.ts of jestjs/jest; both read 2026-11): a string in quotes, or a value as
``pretty-format`` writes it. That is JSON with three differences: there are commas behind last items; newer versions do
not escape quotes and line ends in strings (seen in Jest 30 and Vitest 4); older versions write the words ``Object`` and
``Array`` before brackets. One of go-snaps has each value between the name of its test in brackets and a line ``---``
(examples/__snapshots__ of gkampitakis/go-snaps, read 2026-11). Each value is read like a block of a page, if it is
JSON, events or HTTP messages. Nobody knows whether the test kept it as it was sent, so rules about the bytes that were
sent are not applied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import orjson

from isogloss.validator.captures.capture import BLANK, Capture, made_of, substituted, without
from isogloss.validator.captures.traffic import NOTHING_COMPARED
from isogloss.validator.decode import is_json_in_any_encoding
from isogloss.validator.exchange import Exchange, Skipped, as_dumped
from isogloss.validator.text import Text

__all__ = ["NAME", "WORDS", "read", "recognise"]

NAME = "snapshot"
WORDS = (b"\nsource:", b"\nexpression:", b"exports[`", b"[Test")

_METADATA = rb"---\r?\n(?:(?:[a-z_]{1,40}:[^\n]*|[ -][^\n]*)\n){1,60}?---\r?\n"
_OF_INSTA = rb"(?m)^(?:source|expression):"
_JAVASCRIPT = rb"(?:[ \t]*(?://[^\n]*|\r)?\n)*exports\[`"
_VALUE = re.compile(rb"(?m)^exports\[`(?:[^`\\]|\\.)*`\] = `((?:[^`\\]|\\[\s\S])*)`;?[ \t]*\r?$")
_OF_GO = rb"(?:\xef\xbb\xbf)?\s*\[(?:Test|Fuzz|Benchmark|Example)[^\]\n]* - \d{1,6}\]\r?\n"
_END_OF_GO = rb"(?m)^---\r?\n"
_ESCAPED_IN_LITERAL = rb"\\(?=[`\\$])[`\\$]"
_ESCAPED_IN_STRING = rb"\\[\"\\]"
_NOT_IN_JSON = (
    rb'(?m)^[ \t]*(?:"[^"\n]*": )?(?P<word>(?:Object|Array) )(?=[{\[](?:[}\]],?)?[ \t\r]*$)'
    rb"|(?P<comma>,)(?=[ \t\r]*\n[ \t]*[}\]])"
)
_STRING_BEGINS = rb'[ \t]*(?:"[^"\n]*": "|"(?![^"\n]*": ))'
_STRING_ENDS = (b'",\n', b'",\r\n')
_NEXT_LINE = rb'[ \t]*["\d{}\[\]tfnOA-]'
"""How a line begins behind a string: with a key, a value or a bracket."""
_ESCAPED_IN_JSON = rb'[\x00-\x1f"\\]'


def recognise(capture: Capture) -> int:
    """Recognise the metadata of insta, or the first value of Jest, Vitest or go-snaps."""
    metadata = re.match(_METADATA, capture.start)
    if metadata is not None:
        return 60 if re.search(_OF_INSTA, metadata[0]) else 0
    return 60 if re.match(_JAVASCRIPT, capture.start) or re.match(_OF_GO, capture.head) else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of the values, in order. Other values are not reported."""
    from isogloss.validator.captures.texts import blocks

    number = 0
    for value in _values(capture.text):
        for found in blocks.exchanges_of_block(capture, number, value, may_be_faulty=False):
            if isinstance(found, Exchange):
                yield as_dumped(found)
                number += 1
    if not number:
        yield Skipped(file=capture.name, why=NOTHING_COMPARED)


def _values(text: Text) -> Iterator[Text]:
    from isogloss.validator.captures.texts import blocks

    start = len(text.data) - len(text.data.lstrip(BLANK))
    if metadata := re.compile(_METADATA).match(text.data, start):
        yield blocks.block_of(text, [(metadata.end(), len(text.data))])
        return
    if re.match(_OF_GO, text.data):
        position = 0
        for end in re.finditer(_END_OF_GO, text.data):
            name = re.compile(_OF_GO).match(text.data, position)
            yield blocks.block_of(text, [(name.end() if name else position, end.start())])
            position = end.end()
        return
    for match in _VALUE.finditer(text.data):
        yield _value(_unescaped(text.slice(*match.span(1)), _ESCAPED_IN_LITERAL))


def _value(text: Text) -> Text:
    """Return the text of a string, or the JSON that ``pretty-format`` wrote in its own way."""
    from isogloss.validator.captures.texts import blocks

    data = text.data.strip()
    start = text.data.find(data)
    if len(data) > 1 and data.startswith(b'"') and data.endswith(b'"'):
        inner = text.slice(start + 1, start + len(data) - 1)
        is_escaped = re.search(rb'(?<!\\)"', inner.data) is None
        inner = _unescaped(inner, _ESCAPED_IN_STRING) if is_escaped else inner
        return blocks.block_of(inner, [(0, len(inner.data))])
    value = _json_of(text)
    return value if is_json_in_any_encoding(value.data) else _json_of(_with_escapes(text))


def _json_of(text: Text) -> Text:
    """Return a text without what ``pretty-format`` writes, and JSON does not have."""
    return without(text, [match.span(match.lastgroup or 0) for match in re.finditer(_NOT_IN_JSON, text.data)])


def _with_escapes(text: Text) -> Text:
    """Return a text whose strings, which may have quotes and go over several lines, are written as in JSON."""
    return made_of(text, _escaped_parts(text.data))


def _escaped_parts(data: bytes) -> Iterator[tuple[int, bytes]]:
    for start, end, is_string in _parts(data):
        if is_string:
            yield from substituted(data, _ESCAPED_IN_JSON, lambda one: orjson.dumps(one[0].decode())[1:-1], start, end)
        else:
            yield start, data[start:end]


def _parts(data: bytes) -> Iterator[tuple[int, int, bool]]:
    """Yield each part of a value from its start to its end, and whether it is what stands in a string."""
    lines = data.splitlines(keepends=True)
    position = done = 0
    is_inside = False
    for number, line in enumerate(lines):
        start = position
        position += len(line)
        if not is_inside and (begins := re.match(_STRING_BEGINS, line)):
            is_inside, start = True, start + begins.end()
            yield done, start, False
            done = start
        following = lines[number + 1] if number + 1 < len(lines) else b""
        end = position - len(line) + len(line.rstrip(b",\r\n")) - 1  # of the quote
        if is_inside and line.endswith(_STRING_ENDS) and end >= start and re.match(_NEXT_LINE, following):
            yield done, end, True
            done, is_inside = end, False
    yield done, len(data), is_inside


def _unescaped(text: Text, escaped: bytes) -> Text:
    """Return a text without the backslashes of these escapes."""
    return without(text, [(match.start(), match.start() + 1) for match in re.finditer(escaped, text.data)])
