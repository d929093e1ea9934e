"""Find the lines of an event stream that look like data or replace them, and that no reader sees."""

from __future__ import annotations

import re

from isogloss.validator.exchange import Stream

__all__ = ["lost_lines"]

_LOST_DATA = (
    rb"(?:\xef\xbb\xbf)?[ \t]*(?:[\[{}\]\"]|(?:b['\"])?(?i:data)[ \t]*:|\w{1,32}:[ \t]*\{|<(?i:!doctype|html)\b)"
)


def lost_lines(stream: Stream) -> list[int]:
    """Return the offsets of the unknown lines that look like data.

    This is JSON, also under a field that does not exist (`error:`), `data:` that is written in another way, such as
    Python's `b'data:`, or a page that a gateway sends in place of the rest.
    """
    if stream.framing is None or not stream.framing.unknown_lines:
        return []
    text, match = stream.text.data, re.compile(_LOST_DATA).match
    return [offset for offset in stream.framing.unknown_lines if match(text, offset)]
