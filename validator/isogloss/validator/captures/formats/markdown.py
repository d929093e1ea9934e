"""Read Markdown: each fenced block is read like a file of its own, if it holds JSON, events or HTTP messages.

A block that is marked as ``json``, ``jsonl`` or ``sse`` is read even if it is damaged, and is reported as skipped if it
holds nothing of Chat Completions. Any other block is read only if it holds sound JSON or events of Chat Completions: it
may be a program. In a copy of a terminal, which is not marked as a program, an answer may be a line among others.

Pages are recognised by their names. A page is read only if the user names the page itself, since many folders have
pages about other things. Findings have the line and column of the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from isogloss.validator.captures.capture import MARKDOWN, Capture
from isogloss.validator.captures.document import Document
from isogloss.validator.captures.json_lines import documents_in, exchanges_of_lines
from isogloss.validator.captures.objects import payload_on_line
from isogloss.validator.captures.records import exchanges
from isogloss.validator.captures.terminal import begins_as_terminal, begins_as_wire, exchanges_of_messages
from isogloss.validator.decode import looks_like_sse, stream
from isogloss.validator.exchange import Exchange, NotJson, Payload, Skipped, Stream
from isogloss.validator.kinds import is_stream, kind_of, why_no_stream
from isogloss.validator.secrets import mask
from isogloss.validator.text import Text

__all__ = ["NAME", "read", "recognise"]

NAME = "markdown"

_FENCE = rb"(?P<before>[ \t>*+-]{0,40}?(?:\d{1,9}[.)] {0,4})?)(?P<fence>`{3,100}|~{3,100})[ \t]*(?P<info>[^`\r\n]*)"
_MARKED = ("json", "jsonl", "ndjson", "sse", "event-stream", "text/event-stream")
_TERMINALS = (
    "", "bash", "console", "log", "output", "plaintext", "sh", "shell", "shell-session", "terminal", "text", "txt",
)  # fmt: skip
"""The words by which copies of a terminal are marked."""


class _Block(Struct, frozen=True):
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
        is_marked = block.language in _MARKED
        parts = list(_read(capture, number, block.text, damaged=is_marked))
        if not any(isinstance(part, Exchange) for part in parts) and block.language in _TERMINALS:
            parts = list(_read_lines(capture, number, block.text))
        for found in parts:
            if is_marked or isinstance(found, Exchange):
                yield found
                number += 1
    if not number:
        yield Skipped(file=capture.name, reason="Markdown without a fenced block of JSON or of events")


def _read(capture: Capture, number: int, text: Text, *, damaged: bool) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of a block. ``damaged`` says whether JSON that is damaged is read, too."""
    if looks_like_sse(text.data):
        body = stream(text)
        if capture.kind is None and not (is_stream(body.values) and _has_payload(body)):
            yield Skipped(file=capture.name, number=number, reason=why_no_stream(body.values))
        else:
            yield Exchange(file=capture.name, number=number, text=text, response=body)
        return
    if begins_as_wire(text.data) or begins_as_terminal(text.data):
        whole = [found for found in exchanges_of_messages(capture, text) if _is_whole(found)]
        yield from (replace(found, number=number + position) for position, found in enumerate(whole))
        return
    if documents := documents_in(text):
        yield from exchanges_of_lines(capture, [documents], number)
        return
    document = Document(text)
    if damaged or document.sound:
        yield from exchanges(capture, number, document.part(document.value), capture.kind)


def _has_payload(body: Stream) -> bool:
    """Return whether a stream has an event besides ``[DONE]``, which other APIs send, too."""
    return any(not isinstance(value, NotJson) for value in body.values)


def _is_whole(found: Exchange | Skipped) -> bool:
    """Return whether an exchange has bodies, and none with dots or other words in place of what was sent.

    Without a path, one of them must be of Chat Completions: pages show the failures of all APIs.
    """
    if not isinstance(found, Exchange):
        return False
    bodies = [body for body in (found.request, found.response) if body is not None]
    if found.path is None and all(isinstance(body, Payload) and kind_of(body.value) is None for body in bodies):
        return False  # a failure of any API
    are_whole = [body.sound if isinstance(body, Payload) else isinstance(body, Stream) for body in bodies]
    return bool(are_whole) and all(are_whole)


def _read_lines(capture: Capture, number: int, text: Text) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of the lines that are a payload. Rules about the bytes that were sent are not applied."""
    lines = (text.slice(*match.span()) for match in re.finditer(rb"[^\r\n]+", text.data))
    payloads = list(chain.from_iterable(map(payload_on_line, lines)))
    for found in exchanges_of_lines(capture, [payloads] if payloads else [], number):
        yield replace(found, dumped=True) if isinstance(found, Exchange) else found


def _blocks(text: Text) -> Iterator[_Block]:
    """Yield the blocks of a page. A block that is not closed ends with the page."""
    data, start, fence = text.data, 0, re.compile(_FENCE)
    opened: re.Match[bytes] | None = None
    lines: list[tuple[int, int]] = []
    for line in data.splitlines(keepends=True):
        end = start + len(line)
        if opened is None:
            opened, lines = fence.match(data, start, end), []
        elif _is_closing(line, opened):
            yield _block(text, opened, lines)
            opened = None
        else:
            lines.append((start + _indentation(line, opened), end))
        start = end
    if opened is not None:
        yield _block(text, opened, lines)


def _is_closing(line: bytes, opened: re.Match[bytes]) -> bool:
    bare = line.strip(b" \t>\r\n")
    return bare.startswith(opened["fence"]) and not bare.strip(opened["fence"][:1])


def _indentation(line: bytes, opened: re.Match[bytes]) -> int:
    """Return the number of blanks and ``>`` before the column of the fence in a line, as in lists and quotations."""
    prefix = line[: len(opened["before"])]
    return len(prefix) - len(prefix.lstrip(b" \t>"))


def _block(text: Text, opened: re.Match[bytes], lines: list[tuple[int, int]]) -> _Block:
    words = opened["info"].split()
    language = words[0].decode("utf-8", "replace").lower().strip("{}.") if words else ""
    segments, size = [], 0
    for start, end in lines:
        segments.append((size, start))
        size += end - start
    data = b"".join(text.data[start:end] for start, end in lines)
    if looks_like_sse(data):
        data += b"\n"  # the blank line behind the last event, which pages leave out
    return _Block(language, Text.derived(mask(data), text, segments or [(0, opened.end())]))
