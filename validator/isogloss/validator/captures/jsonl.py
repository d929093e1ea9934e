"""JSON Lines: payloads or exchange records, one a line. Lines of chunks that follow each other are one stream."""

from __future__ import annotations

from collections.abc import Iterator

import orjson

from isogloss.validator.captures.records import exchanges
from isogloss.validator.captures.source import Capture
from isogloss.validator.decode import decode, stream_of_lines
from isogloss.validator.exchange import Exchange, Response, Skipped
from isogloss.validator.kinds import kind_of
from isogloss.validator.text import Text

__all__ = ["NAME", "read", "recognise"]

NAME = "jsonl"


def recognise(capture: Capture) -> int:
    """Whether the first line is a JSON document by itself, and another line follows."""
    first, newline, rest = capture.head.lstrip().partition(b"\n")
    if not first.startswith(b"{"):
        return 0
    if not newline:
        return 0 if capture.whole_head else 60  # a first line longer than the head: hardly anything else
    if not rest.strip() or rest.lstrip()[:1] not in (b"{", b".", b"["):
        return 0
    try:
        orjson.loads(first)
    except orjson.JSONDecodeError:
        return 60 if rest.lstrip().startswith(b'{"') and first.rstrip().endswith(b"}") else 0
    return 70


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """The exchanges, a line at a time."""
    number = 0
    chunks: list[Text] = []
    for line in capture.lines():
        decoded = decode(line.data)
        kind = capture.kind or kind_of(decoded.value)
        if kind == "chunk" or (chunks and not decoded.sound and not isinstance(decoded.value, dict)):
            chunks.append(line)
            continue
        if chunks:
            yield _stream(capture.name, number, chunks)
            number += 1
            chunks = []
        for found in exchanges(capture.name, number, line, decoded, capture.kind):
            yield found
            number += 1
    if chunks:
        yield _stream(capture.name, number, chunks)


def _stream(file: str, number: int, lines: list[Text]) -> Exchange:
    return Exchange(file=file, number=number, text=lines[0], response=Response(body=stream_of_lines(lines)))
