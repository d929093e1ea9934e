"""Find the blocks of code in a page of Markdown, HTML, reStructuredText or AsciiDoc."""

from __future__ import annotations

import re
from collections.abc import Iterator

from isogloss.validator.captures.capture import MARKUP, Capture
from isogloss.validator.captures.texts.blocks import INDENTED, OUTPUT, OUTSIDE, SPAN, Block, block_of
from isogloss.validator.text import Text

__all__ = ["blocks_of_page"]

_FENCE = (
    rb"(?P<before>[ \t>*+-]{0,40}?(?:\d{1,9}[.)] {0,4})?)"
    rb"(?P<fence>`{3,100}|~{3,100})[ \t]*(?P<info>[^`\r\n]*)(?=[\r\n]|\Z)"
)
_HTML = (".html", ".htm")
"""The endings of names of pages of HTML."""
_SPAN = rb"(?:[a-z]{1,20}[ ]++)?+(?=[ ]?(?:[{\[]|data:))"
"""How a span of code begins that may hold an answer: perhaps with a language, where a copy has lost the line ends."""
_BACKTICKS = rb"`+"
_NAMES_ANSWER = b"chat.completion"


def blocks_of_page(capture: Capture) -> Iterator[Block]:
    """Yield the blocks of a page, as its name says how they are marked, and then the text outside of them.

    Outside of them, Markdown may hold blocks of HTML. In a page of HTML, nothing else is read.
    """
    if capture.has_ending(MARKUP):
        from isogloss.validator.captures.texts.markup import ASCIIDOC, blocks_of_markup  # hardly any is such a page

        yield from blocks_of_markup(capture.text, is_asciidoc=capture.has_ending(ASCIIDOC))
        return
    is_html = capture.has_ending(_HTML)
    for block in [Block(OUTSIDE, capture.text)] if is_html else _blocks(capture.text):
        if block.language == OUTSIDE and re.search(rb"(?i)<pre\b", block.text.data):
            from isogloss.validator.captures.texts.html_blocks import blocks_of_html  # hardly any page has one

            yield from blocks_of_html(block.text)
        if not is_html:
            yield block


def _blocks(text: Text) -> Iterator[Block]:
    """Yield the blocks of a page, and then the text outside of them. A block that is not closed ends with the page."""
    data, fence = text.data, re.compile(_FENCE)
    start = len(data) - len(data.removeprefix(b"\xef\xbb\xbf"))
    opened: re.Match[bytes] | None = None
    lines: list[tuple[int, int]] = []
    indented: list[tuple[int, int]] = []
    outside: list[tuple[int, int]] = []
    is_after_blank, kind = True, INDENTED
    for line in data[start:].splitlines(keepends=True):
        end = start + len(line)
        if opened is None:
            opened, lines = fence.match(data, start, end), []
            width = 0 if opened else _width(line)
            if width and (indented or is_after_blank):
                indented.append((start + width, end))
            elif indented and not line.isspace():
                yield Block(kind, block_of(text, indented))
                indented = []
            elif indented:
                indented.append((end - len(line.lstrip(b" \t")), end))  # a blank line in the block
            if opened is None and not indented:
                outside.append((start, end))
                kind = kind if line.isspace() else INDENTED
            is_after_blank = line.isspace()
        elif _is_closing(line, opened):
            yield _block(text, opened, lines)
            opened, kind = None, OUTPUT
        else:
            lines.append((start + _indentation(line, opened), end))
        start = end
    if opened is not None:
        yield _block(text, opened, lines)
    elif indented:
        yield Block(kind, block_of(text, indented))
    words = block_of(text, outside)
    yield from _spans(words)
    yield Block(OUTSIDE, words)


def _spans(text: Text) -> Iterator[Block]:
    """Yield the spans of code that may hold an answer. A span ends with as many backticks as it begins with."""
    if _NAMES_ANSWER not in text.data:
        return
    span, opened = re.compile(_SPAN), None
    for ticks in re.finditer(_BACKTICKS, text.data):
        if opened is None or len(opened[0]) != len(ticks[0]):
            opened = ticks if opened is None or span.match(text.data, ticks.end()) else opened
            continue
        if begins := span.match(text.data, opened.end(), ticks.start()):
            yield Block(SPAN, block_of(text, [(begins.end(), ticks.start())]))
        opened = None


def _width(line: bytes) -> int:
    """Return the number of bytes by which a line is indented as code, or 0 for any other line."""
    if line.isspace():
        return 0
    return 4 if line.startswith(b"    ") else 1 if line.startswith(b"\t") else 0


def _is_closing(line: bytes, opened: re.Match[bytes]) -> bool:
    bare = line.strip(b" \t>\r\n")
    return bare.startswith(opened["fence"]) and not bare.strip(opened["fence"][:1])


def _indentation(line: bytes, opened: re.Match[bytes]) -> int:
    """Return the number of blanks and ``>`` before the column of the fence in a line, as in lists and quotations."""
    prefix = line[: len(opened["before"])]
    return len(prefix) - len(prefix.lstrip(b" \t>"))


def _block(text: Text, opened: re.Match[bytes], lines: list[tuple[int, int]]) -> Block:
    words = opened["info"].split()
    language = re.split(r"[:,{]", words[0].decode("utf-8", "replace").lower().strip("{}."))[0] if words else ""
    end = _end_before_fence(text.data, opened, lines[-1][1]) if lines else 0
    lines = [(start, min(line_end, end)) for start, line_end in lines if start < end]
    return Block(language, block_of(text, lines, opened.end()))


def _end_before_fence(data: bytes, opened: re.Match[bytes], end: int) -> int:
    """Return where a block ends: before a fence directly behind JSON, where people put one, or at its end."""
    fence = re.compile(rb"(?m)(?<=[}\]])%b[ \t\r]*$" % re.escape(opened["fence"])).search(data, opened.end(), end)
    return fence.start() if fence else end
