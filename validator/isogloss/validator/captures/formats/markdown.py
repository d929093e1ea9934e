"""Read Markdown: each fenced block that is marked as ``json`` or ``sse`` is read like a file of its own.

Pages are recognised by their names. A page is read only if the user names the page itself, since many directories have
pages about other things. Findings have the line and column of the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from isogloss.validator.captures.capture import MARKDOWN, Capture
from isogloss.validator.captures.document import Document
from isogloss.validator.captures.records import exchanges
from isogloss.validator.decode import stream
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.kinds import is_stream, why_no_stream
from isogloss.validator.secrets import mask
from isogloss.validator.text import Text

__all__ = ["NAME", "read", "recognise"]

NAME = "markdown"

_FENCE = rb"(?P<before>[ \t>*+-]{0,40}?(?:\d{1,9}[.)] {0,4})?)(?P<fence>`{3,100}|~{3,100})[ \t]*(?P<info>[^`\r\n]*)"
_JSON, _SSE = ("json",), ("sse", "event-stream", "text/event-stream")


class _Block(NamedTuple):
    """A fenced block: the first word behind the fence, in lower case, and the content of the block."""

    language: str
    text: Text


def recognise(capture: Capture) -> int:
    """Recognise a capture that has a name like Markdown and is not packed in another file."""
    if capture.depth or not capture.name.lower().endswith(MARKDOWN):
        return 0
    return 40 if b"\0" not in capture.head[:1024] else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of the blocks, in order."""
    number = 0
    for block in _blocks(capture.text):
        for found in _read(capture, number, block):
            yield found
            number += 1
    if not number:
        yield Skipped(file=capture.name, reason="Markdown without a fenced block that is marked as json or sse")


def _read(capture: Capture, number: int, block: _Block) -> Iterator[Exchange | Skipped]:
    if block.language in _JSON:
        document = Document(block.text)
        yield from exchanges(capture, number, document.part(document.value), capture.kind)
        return
    body = stream(block.text)
    if capture.kind is None and not is_stream(body.values):
        yield Skipped(file=capture.name, number=number, reason=why_no_stream(body.values))
    else:
        yield Exchange(file=capture.name, number=number, text=block.text, response=body)


def _blocks(text: Text) -> Iterator[_Block]:
    """Yield the blocks that are marked as ``json`` or ``sse``. A block that is not closed ends with the page."""
    data, start, fence = text.data, 0, re.compile(_FENCE)
    opened: re.Match[bytes] | None = None
    lines: list[tuple[int, int]] = []
    for line in data.splitlines(keepends=True):
        end = start + len(line)
        if opened is None:
            opened, lines = fence.match(data, start, end), []
        elif _is_closing(line, opened):
            yield from _block(text, opened, lines)
            opened = None
        else:
            lines.append((start + _indentation(line, opened), end))
        start = end
    if opened is not None:
        yield from _block(text, opened, lines)


def _is_closing(line: bytes, opened: re.Match[bytes]) -> bool:
    bare = line.strip(b" \t>\r\n")
    return bare.startswith(opened["fence"]) and not bare.strip(opened["fence"][:1])


def _indentation(line: bytes, opened: re.Match[bytes]) -> int:
    """Return the number of blanks and ``>`` before the column of the fence in a line, as in lists and quotations."""
    prefix = line[: len(opened["before"])]
    return len(prefix) - len(prefix.lstrip(b" \t>"))


def _block(text: Text, opened: re.Match[bytes], lines: list[tuple[int, int]]) -> Iterator[_Block]:
    words = opened["info"].split()
    language = words[0].decode("utf-8", "replace").lower().strip("{}.") if words else ""
    if language not in (*_JSON, *_SSE):
        return
    segments, size = [], 0
    for start, end in lines:
        segments.append((size, start))
        size += end - start
    data = b"".join(text.data[start:end] for start, end in lines)
    if language in _SSE:
        data += b"\n"  # the blank line behind the last event, which pages leave out
    yield _Block(language, Text.derived(mask(data), text, segments or [(0, opened.end())]))
