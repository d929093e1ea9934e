"""Read Markdown, HTML, reStructuredText and AsciiDoc: each block of code that holds JSON, events or HTTP messages.

A block is read like a file of its own. One that is marked as ``json``, ``jsonl`` or ``sse`` is read even if it is
damaged, and is reported as skipped if it holds nothing of Chat Completions. Any other block, and one that is indented
in place of fences, is read only if it holds sound JSON or events of Chat Completions: it may be a program. In a copy
of a terminal, which is not marked as a program, an answer may be a line among others. If no block holds traffic,
answers outside of blocks that say what they are (`chat.completion`) are read as in such a copy: issues and
transcripts are full of answers without fences.

Pages are recognised by their names. A page is read only if the user names the page itself, since many folders have
pages about other things. Findings have the line and column of the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from isogloss.validator.captures.bodies.trailing import has_words_behind
from isogloss.validator.captures.capture import PAGES, Capture
from isogloss.validator.captures.texts.blocks import (
    answers_among_words,
    as_shown,
    block_of,
    exchanges_of_block,
    exchanges_of_terminal,
)
from isogloss.validator.captures.texts.command_pairs import with_commands
from isogloss.validator.decode import looks_like_sse
from isogloss.validator.exchange import Cause, Exchange, Skipped, Why
from isogloss.validator.kinds.others import REPORT
from isogloss.validator.text import Text

__all__ = ["NAME", "read", "recognise"]

NAME = "markdown"

_FENCE = rb"(?P<before>[ \t>*+-]{0,40}?(?:\d{1,9}[.)] {0,4})?)(?P<fence>`{3,100}|~{3,100})[ \t]*(?P<info>[^`\r\n]*)"
_MARKED = ("json", "jsonl", "ndjson", "sse", "event-stream", "text/event-stream")
_TERMINALS = (
    "", "bash", "bat", "cmd", "console", "log", "output", "plaintext", "powershell", "pwsh", "r", "sh",
    "shell", "shell-session", "terminal", "text", "txt", "zsh",
)  # fmt: skip
"""The words by which copies of a terminal are marked. In blocks of R, output stands below the code, behind ``#>``."""

_MARKUP = (".rst", ".adoc", ".asciidoc")
"""The endings of names of pages of reStructuredText and AsciiDoc."""
_HTML = (".html", ".htm")
"""The endings of names of pages of HTML."""
_OWN_REPORT = b'<meta name="generator" content="isogloss">'
"""What stands in the head of each page that isogloss writes."""
_OF_MARKUP = rb"(?m)^[ \t]{0,40}\.\. [a-z-]{1,40}::|::[ \t\r]*$|^(?:-{4}|\.{4})"
_OUTSIDE = "outside"
_NO_BLOCK = Why(
    "a page without a block of JSON or of events",
    Cause.OTHER,
    "put the body that the server sent in a block of code that is marked json or sse, or in a file of its own",
)


class _Block(Struct, frozen=True):
    """A block of code: the first word behind the fence, in lower case, and the content.

    The word of a block without fences is ``indented``, and that of all the text outside of blocks ``outside``.
    """

    language: str
    text: Text


def recognise(capture: Capture) -> int:
    """Recognise a capture that has a name like Markdown and is not packed in another file.

    If it has a fence, it is a page, whatever other format a block of it is like. So it is if it begins with events, or
    with JSON that words follow.
    """
    if capture.depth or not capture.name.lower().endswith(PAGES) or capture.is_binary:
        return 0
    begins_block = _OF_MARKUP if capture.name.lower().endswith(_MARKUP) else rb"(?m)^(?:```|~~~)"
    is_page = re.search(begins_block, capture.start) or looks_like_sse(capture.start)
    return 95 if is_page or (capture.begins_as_json and has_words_behind(capture.start)) else 40


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of the blocks, in order, with the requests of commands above them."""
    return with_commands(capture, _read(capture))


def _read(capture: Capture) -> Iterator[Exchange | Skipped]:
    if _OWN_REPORT in capture.start:
        yield Skipped(file=capture.name, why=Why(f"not Chat Completions: {REPORT}", Cause.OTHER))
        return
    number, has_traffic = 0, False
    for block in _blocks_of_page(capture):
        is_marked = block.language in _MARKED
        if block.language == _OUTSIDE:
            parts = [] if has_traffic else answers_among_words(capture, number, block.text)
        else:
            parts = list(exchanges_of_block(capture, number, block.text, may_be_faulty=is_marked))
        if not any(isinstance(part, Exchange) for part in parts) and block.language in _TERMINALS:
            parts = exchanges_of_terminal(capture, number, block.text)
        for found in parts:
            if is_marked or isinstance(found, Exchange):
                yield as_shown(found)
                number += 1
                has_traffic = has_traffic or isinstance(found, Exchange)
    if not number:
        yield Skipped(file=capture.name, why=_NO_BLOCK)


def _blocks_of_page(capture: Capture) -> Iterator[_Block]:
    """Yield the blocks of a page, as its name says how they are marked, and then the text outside of them.

    Outside of them, Markdown may hold blocks of HTML. In a page of HTML, nothing else is read.
    """
    name = capture.name.lower()
    if name.endswith(_MARKUP):
        from isogloss.validator.captures.texts.markup import ASCIIDOC, blocks_of_markup  # hardly any is such a page

        blocks = blocks_of_markup(capture.text, is_asciidoc=name.endswith(ASCIIDOC))
        yield from (_Block(language, content) for language, content in blocks)
        return
    for block in [_Block(_OUTSIDE, capture.text)] if name.endswith(_HTML) else _blocks(capture.text):
        if block.language == _OUTSIDE and re.search(rb"(?i)<pre\b", block.text.data):
            from isogloss.validator.captures.texts.html_blocks import blocks_of_html  # hardly any page has one

            yield from (_Block(language, content) for language, content in blocks_of_html(block.text))
        if not name.endswith(_HTML):
            yield block


def _blocks(text: Text) -> Iterator[_Block]:
    """Yield the blocks of a page, and then the text outside of them. A block that is not closed ends with the page."""
    data, fence = text.data, re.compile(_FENCE)
    start = len(data) - len(data.removeprefix(b"\xef\xbb\xbf"))
    opened: re.Match[bytes] | None = None
    lines: list[tuple[int, int]] = []
    indented: list[tuple[int, int]] = []
    outside: list[tuple[int, int]] = []
    is_after_blank = True
    for line in data[start:].splitlines(keepends=True):
        end = start + len(line)
        if opened is None:
            opened, lines = fence.match(data, start, end), []
            width = 0 if opened else _width(line)
            if width and (indented or is_after_blank):
                indented.append((start + width, end))
            elif indented and not line.isspace():
                yield _indented_block(text, indented)
                indented = []
            elif indented:
                indented.append((end - len(line.lstrip(b" \t")), end))  # a blank line in the block
            if opened is None and not indented:
                outside.append((start, end))
            is_after_blank = line.isspace()
        elif _is_closing(line, opened):
            yield _block(text, opened, lines)
            opened = None
        else:
            lines.append((start + _indentation(line, opened), end))
        start = end
    if opened is not None:
        yield _block(text, opened, lines)
    elif indented:
        yield _indented_block(text, indented)
    yield _Block(_OUTSIDE, block_of(text, outside))


def _width(line: bytes) -> int:
    """Return the number of bytes by which a line is indented as code, or 0 for any other line."""
    if line.isspace():
        return 0
    return 4 if line.startswith(b"    ") else 1 if line.startswith(b"\t") else 0


def _indented_block(text: Text, lines: list[tuple[int, int]]) -> _Block:
    return _Block("indented", block_of(text, lines))


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
    end = _end_before_fence(text.data, opened, lines[-1][1]) if lines else 0
    lines = [(start, min(line_end, end)) for start, line_end in lines if start < end]
    return _Block(language, block_of(text, lines, opened.end()))


def _end_before_fence(data: bytes, opened: re.Match[bytes], end: int) -> int:
    """Return where a block ends: before a fence directly behind JSON, where people put one, or at its end."""
    fence = re.compile(rb"(?m)(?<=[}\]])%b[ \t\r]*$" % re.escape(opened["fence"])).search(data, opened.end(), end)
    return fence.start() if fence else end
