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

from isogloss.validator.captures.bodies.trailing import has_words_behind
from isogloss.validator.captures.capture import MARKUP, PAGES, Capture
from isogloss.validator.decode import looks_like_sse
from isogloss.validator.exchange import Cause, Exchange, Skipped, Why
from isogloss.validator.kinds.others import REPORT

__all__ = ["NAME", "read", "recognise"]

NAME = "markdown"

_MARKED = ("json", "jsonl", "ndjson", "sse", "event-stream", "text/event-stream")
_TERMINALS = (
    "", "bash", "bat", "cmd", "console", "log", "output", "plaintext", "powershell", "pwsh", "r", "sh",
    "shell", "shell-session", "terminal", "text", "txt", "zsh",
)  # fmt: skip
"""The words by which copies of a terminal are marked. In blocks of R, output stands below the code, behind ``#>``."""

_OWN_REPORT = b'<meta name="generator" content="isogloss">'
"""What stands in the head of each page that isogloss writes."""
_OF_MARKUP = rb"(?m)^[ \t]{0,40}\.\. [a-z-]{1,40}::|::[ \t\r]*$|^(?:-{4}|\.{4})"
_NO_BLOCK = Why(
    "a page without a block of JSON or of events",
    Cause.OTHER,
    "put the body that the server sent in a block of code that is marked json or sse, or in a file of its own",
)


def recognise(capture: Capture) -> int:
    """Recognise a capture that has a name like Markdown and is not packed in another file.

    If it has a fence, it is a page, whatever other format a block of it is like. So it is if it begins with events, or
    with JSON that words follow.
    """
    if capture.depth or not capture.name.lower().endswith(PAGES) or capture.is_binary:
        return 0
    begins_block = _OF_MARKUP if capture.name.lower().endswith(MARKUP) else rb"(?m)^(?:```|~~~)"
    is_page = re.search(begins_block, capture.start) or looks_like_sse(capture.start)
    return 95 if is_page or (capture.begins_as_json and has_words_behind(capture.start)) else 40


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of the blocks, in order, with the requests of commands above them."""
    from isogloss.validator.captures.texts.command_pairs import with_commands

    return with_commands(capture, _read(capture))


def _read(capture: Capture) -> Iterator[Exchange | Skipped]:
    from isogloss.validator.captures.texts.blocks import (
        answers_among_words,
        as_shown,
        exchanges_of_block,
        exchanges_of_terminal,
    )
    from isogloss.validator.captures.texts.pages import OUTSIDE, blocks_of_page

    if _OWN_REPORT in capture.start:
        yield Skipped(file=capture.name, why=Why(f"not Chat Completions: {REPORT}", Cause.OTHER))
        return
    number, has_traffic = 0, False
    for block in blocks_of_page(capture):
        is_marked = block.language in _MARKED
        if block.language == OUTSIDE:
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
