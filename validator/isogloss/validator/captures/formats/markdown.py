"""Read Markdown, HTML, reStructuredText and AsciiDoc: each block of code that holds JSON, events or HTTP messages.

A block is read like a file of its own. One that is marked as ``json``, ``jsonl`` or ``sse`` is read even if it is
damaged, and is reported as skipped if it holds nothing of Chat Completions. Any other block, and one that is indented
in place of fences, is read only if it holds sound JSON or events of Chat Completions: it may be a program. In a copy
of a terminal, an answer may be a line among others. It is not marked as a program, or it shows the command that calls
Chat Completions: behind a prompt, or in a block that is marked as JSON. If no block holds traffic,
answers outside of blocks that say what they are (`chat.completion`) are read as in such a copy: issues and
transcripts are full of answers without fences.

Pages are recognised by their names. A page is read only if the user names the page itself, since many folders have
pages about other things. Findings have the line and column of the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from isogloss.validator.captures.bodies.trailing import has_words_behind
from isogloss.validator.captures.capture import MARKUP, PAGES, Capture
from isogloss.validator.decode import looks_like_sse
from isogloss.validator.exchange import Cause, Exchange, Skipped, Why
from isogloss.validator.kinds.others import REPORT_NAME

if TYPE_CHECKING:
    from isogloss.validator.captures.texts.blocks import Block

__all__ = ["NAME", "read", "recognise"]

NAME = "markdown"

_MARKED = ("json", "jsonl", "ndjson", "sse", "event-stream", "text/event-stream")
_TERMINALS = (
    "", "bash", "bat", "cmd", "console", "log", "output", "plaintext", "powershell", "pwsh", "r", "sh",
    "shell", "shell-session", "terminal", "text", "txt", "zsh",
)  # fmt: skip
"""The words by which copies of a terminal are marked. In blocks of R, output stands below the code, behind ``#>``."""

_YAML = ("", "yaml", "yml")
"""The words by which blocks of YAML are marked, if they are."""

_OWN_REPORT = b'<meta name="generator" content="isogloss">'
"""What stands in the head of each page that isogloss writes."""
_OF_MARKUP = rb"(?m)^[ \t]{0,40}\.\. [a-z-]{1,40}::|::[ \t\r]*$|^(?:-{4}|\.{4})"
_NO_BLOCK = Why(
    "a page without a block of JSON or of events",
    Cause.OTHER,
    "put the body that the server sent in a block of code that is marked json or sse, or in a file of its own",
)


def recognise(capture: Capture) -> int:
    """Recognise a capture that has a name like Markdown and is no part of another file.

    If it has a fence, it is a page, whatever other format a block of it is like. So it is if it begins with events, or
    with JSON that words follow.
    """
    if capture.is_part or not capture.has_ending(PAGES) or capture.is_binary:
        return 0
    begins_block = _OF_MARKUP if capture.has_ending(MARKUP) else rb"(?m)^(?:```|~~~)"
    is_page = re.search(begins_block, capture.start) or looks_like_sse(capture.start)
    return 95 if is_page or (capture.begins_as_json and has_words_behind(capture.start)) else 40


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of the blocks, in order, with the requests of commands above them."""
    from isogloss.validator.captures.texts.command_pairs import with_commands

    return with_commands(capture, _read(capture), is_page=True)


def _read(capture: Capture) -> Iterator[Exchange | Skipped]:
    from isogloss.validator.captures.texts.blocks import OUTSIDE, SPAN, as_shown, may_hold_traffic
    from isogloss.validator.captures.texts.pages import blocks_of_page
    from isogloss.validator.captures.texts.sketches import without_sketch

    if _OWN_REPORT in capture.start:
        yield Skipped(file=capture.name, why=Why(f"not Chat Completions: {REPORT_NAME}", Cause.OTHER))
        return
    number, with_traffic = 0, set[str]()
    for block in blocks_of_page(capture):
        is_marked = block.language in _MARKED
        if block.language in (OUTSIDE, SPAN) and with_traffic - {block.language}:
            continue
        if not is_marked and capture.kind is None and not may_hold_traffic(block.text.data):
            continue
        for found in map(without_sketch, _exchanges_of_block(capture, number, block)):
            if is_marked or isinstance(found, Exchange):
                yield as_shown(found)
                number += 1
                with_traffic |= {block.language} if isinstance(found, Exchange) else set()
    if not number:
        yield Skipped(file=capture.name, why=_NO_BLOCK)


def _exchanges_of_block(capture: Capture, number: int, block: Block) -> list[Exchange | Skipped]:
    """Return what the first of the readers that may read a block finds there, of those that find an exchange."""
    from isogloss.validator.captures.bodies.php_dumps import begins_with_dump
    from isogloss.validator.captures.texts import blocks
    from isogloss.validator.captures.texts.terminal import holds_call

    if block.language in (blocks.OUTSIDE, blocks.SPAN):
        read = blocks.answers_among_words if block.language == blocks.OUTSIDE else blocks.answers_in_span
        return read(capture, number, block.text)
    parts = list(blocks.exchanges_of_block(capture, number, block.text, may_be_faulty=block.language in _MARKED))
    if block.language in _YAML and not _has_exchange(parts):
        from isogloss.validator.captures.texts import yaml_blocks  # hardly any page has a cassette

        parts = yaml_blocks.exchanges_of_yaml(capture, number, block.text) or parts
    is_marked = block.language in _MARKED
    if _has_exchange(parts) or (is_marked and not holds_call(block.text.data, needs_prompt=False)):
        return parts
    is_terminal = is_marked or block.language in _TERMINALS or holds_call(block.text.data, needs_prompt=True)
    is_terminal = is_terminal or begins_with_dump(block.text.data)
    read_other = blocks.exchanges_of_terminal if is_terminal else blocks.answers_in_comments
    return read_other(capture, number, block.text) or (parts if is_marked else [])


def _has_exchange(parts: list[Exchange | Skipped]) -> bool:
    return any(isinstance(part, Exchange) for part in parts)
