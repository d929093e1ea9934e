"""Read JSON Lines: one payload or exchange record on each line. Consecutive lines of chunks are one stream."""

from __future__ import annotations

from collections.abc import Iterator

import orjson

from isogloss.validator.captures.capture import BLANK, Capture
from isogloss.validator.exchange import Exchange, Skipped

__all__ = ["NAME", "read", "recognise"]

NAME = "jsonl"


def recognise(capture: Capture) -> int:
    """Recognise a capture whose first line is a JSON object or array by itself, if another such line may follow.

    It is less sure if the first line is longer than the head, or is no JSON but looks like an object.
    """
    begins_with_object = capture.start.startswith(b"{")
    first, newline, rest = capture.start.partition(b"\n")
    if not newline:
        # If the first line is longer than the head, hardly any other format has such lines.
        return 60 if begins_with_object and not capture.whole_head else 0
    rest = rest.lstrip(BLANK)
    second, newline, _ = rest.partition(b"\n")
    if rest[:1] not in (b"{", b".", b"[") or (newline and second.rstrip() in (b"{", b"[")):
        return 0  # in the second line, an indented document begins
    try:
        orjson.loads(first)
    except orjson.JSONDecodeError:
        return 60 if begins_with_object and rest.startswith(b'{"') and first.rstrip().endswith(b"}") else 0
    return 70


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges, a line at a time."""
    from isogloss.validator.captures.texts import json_lines

    return json_lines.exchanges_of_lines(capture, capture.groups_of_lines())
