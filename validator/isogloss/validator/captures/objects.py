"""Find the JSON objects in a line of text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from isogloss.validator.text import Text

__all__ = ["objects_in"]

_OBJECT = re.compile(r'\{\s*"')
_DECODER = json.JSONDecoder()


def objects_in(line: Text) -> Iterator[Text]:
    """Yield the text of each JSON object in a line. If one is not complete, it ends where the line ends."""
    text = line.data.decode("utf-8", "surrogateescape")
    end = offset = 0  # of what was read so far: in the text, and in its bytes
    while begins := _OBJECT.search(text, end):
        try:
            _, object_end = _DECODER.raw_decode(text, begins.start())
        except (ValueError, RecursionError):
            object_end = len(text)
        start = offset + _size(text[end : begins.start()])
        offset, end = start + _size(text[begins.start() : object_end]), object_end
        yield line.slice(start, offset)


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))
