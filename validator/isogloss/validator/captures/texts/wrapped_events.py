"""Join the lines over which a terminal wrote one event: its copy has a line end wherever the terminal was too narrow.

All lines but the last are as long as the terminal was wide.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from isogloss.validator.captures.capture import without
from isogloss.validator.decode import decode_json
from isogloss.validator.text import Text

__all__ = ["with_whole_events"]

_EVENT = b"data:"
_NARROWEST = 40
_MOST_LINES = 1000


def with_whole_events(lines: Iterable[Text]) -> Iterator[Text]:
    """Yield lines, and in place of those over which an event goes on, one with the whole event."""
    held: list[Text] = []
    open_braces = 0
    for line in lines:
        if not held and not line.data.startswith(_EVENT):
            yield line
            continue
        if held and _goes_on(held, line):
            held.append(line)
            open_braces += _open_braces(line)
            if open_braces == 0 or _width(line) < _width(held[0]):
                yield from _whole(held)
                held = []
            continue
        yield from held
        open_braces = _open_braces(line)
        held = [line] if open_braces and _begins(line) else []
        if not held:
            yield line
    yield from held


def _begins(line: Text) -> bool:
    """Return whether a line begins with an event whose JSON does not end on it."""
    data = line.data
    if not data.startswith(_EVENT) or len(data) < _NARROWEST:
        return False  # behind lines that are held, any line may come
    return data[len(_EVENT) :].lstrip().startswith(b"{") and decode_json(data[len(_EVENT) :]) is None


def _goes_on(held: list[Text], line: Text) -> bool:
    """Return whether a line follows directly on those that are held, which are full, and is not longer."""
    width = _width(held[0])
    return (
        line.line == held[-1].line + 1
        and _width(held[-1]) == width
        and 0 < _width(line) <= width
        and len(held) < _MOST_LINES
        and not line.data.startswith(_EVENT)
    )


def _whole(held: list[Text]) -> list[Text]:
    """Return a line with the event that these lines make, or these lines if they make no JSON."""
    text = Text(b"\n".join([line.data for line in held]), held[0].line, held[0].column)
    whole = without(text, [found.span() for found in re.finditer(rb"\r?\n", text.data)])
    return held if decode_json(whole.data[len(_EVENT) :]) is None else [whole]


def _open_braces(line: Text) -> int:
    return line.data.count(b"{") - line.data.count(b"}")


def _width(line: Text) -> int:
    return len(line.data.rstrip(b"\r").decode("utf-8", "replace"))
