"""Read the files in a text archive of Go, each like a file of its own.

A line ``-- name --`` begins each file, and a remark may stand before the first one
(https://pkg.go.dev/golang.org/x/tools/txtar, read 2026-11). Tests of Go programs keep a request, and the bodies of
answers to it, in such files. Nobody knows which of them belong together, so each is an exchange.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from isogloss.validator.captures.capture import Capture
from isogloss.validator.exchange import Exchange, Skipped

__all__ = ["NAME", "WORDS", "read", "recognise"]

NAME = "txtar"
WORDS = (b"-- ",)

_MARKER = re.compile(rb"(?m)^-- [^\r\n]{0,1000}?\S --[ \t]*\r?(?:\n|\Z)")
_BODY = rb"(?:" + _MARKER.pattern.removeprefix(rb"(?m)") + rb")\s{0,9}(?:[{\[]|data:)"
_OF_CHAT = rb'"(?:choices|messages)"'


def recognise(capture: Capture) -> int:
    """Recognise a file that begins with JSON or an event behind a line that names it."""
    if capture.begins_as_json or not re.search(rb"(?m)" + _BODY, capture.head):
        return 0
    return 60 if re.search(_OF_CHAT, capture.head) else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of the files, in order."""
    from isogloss.validator.captures.texts import blocks

    text, number = capture.text, 0
    markers = [*_MARKER.finditer(text.data)]
    ends = [*(marker.start() for marker in markers[1:]), len(text.data)]
    for marker, end in zip(markers, ends, strict=False):
        for found in blocks.exchanges_of_block(capture, number, text.slice(marker.end(), end), may_be_faulty=False):
            yield found
            number += 1
