"""Find and decode bodies in Base64, also where nothing says that they are."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

from isogloss.validator.captures.capture import unpacked
from isogloss.validator.captures.document import BODIES_IN_BASE64
from isogloss.validator.captures.limits import Unreadable
from isogloss.validator.text import Text

__all__ = ["BASE64", "bodies_in_base64", "from_base64", "is_base64_of_body", "without_base64"]

BASE64 = r"[A-Za-z0-9+/]{2,}={0,2}"
_AMONG_WORDS = rb"(?<![A-Za-z0-9+/])(?:%b)[A-Za-z0-9+/]{20,}={0,2}(?![A-Za-z0-9+/=])" % b"|".join(BODIES_IN_BASE64)
_BEGINNING = rb"(?:\xef\xbb\xbf)?\s*(?:\{\s*(?:[}\"]|\Z)|\[\s*(?:[\[\]{\"\-\dtfn]|\Z)|(?:data|event|id|retry):)|: "
"""The beginning of a body of JSON or of events. The first byte alone does not show one: the word ``eyes`` begins with a
brace if it is read as Base64."""
_HEAD = 1 << 8
"""How many bytes of a text in Base64 are decoded to see how its body begins."""
_ERLANG_BINARY = b"\x83m"
"""The beginning of the external form of an Erlang binary. Four bytes with its length follow."""


def is_base64_of_body(*parts: bytes) -> bool:
    """Return whether a text, or the parts of one, are Base64 of JSON or of events, although nothing says so.

    Go writes bytes into JSON like that (the documentation of its package ``encoding/json``, read 2026-11).
    """
    is_base64 = re.compile(BASE64.encode()).fullmatch
    if not all(len(part) % 4 == 0 and is_base64(part) for part in parts):
        return False
    return re.match(_BEGINNING, base64.b64decode(parts[0][:_HEAD])) is not None


def bodies_in_base64(text: Text) -> Iterator[Text]:
    """Yield each body in Base64 that stands among other words, although nothing says so.

    At the end of the text, it may be cut off.
    """
    for match in re.finditer(_AMONG_WORDS, text.data):
        start, end = match.span()
        rest = (end - start) % 4
        if not rest or end == len(text.data):
            yield from_base64(text.slice(start, end - rest))


def without_base64(text: Text) -> Text:
    """Return the text that is in Base64, or the text itself if it is not. Nothing says so."""
    return from_base64(text) if is_base64_of_body(text.data) else text


def from_base64(text: Text) -> Text:
    """Decode a Base64 text. All its bytes are at the place where the text begins. Raises :class:`Unreadable`."""
    try:
        data = base64.b64decode(re.sub(rb"\s+", b"", text.data))
    except binascii.Error as error:
        raise Unreadable(f"a body that is marked as base64, and is not: {error}") from error
    if data.startswith(_ERLANG_BINARY):
        data = data[6:]
    return unpacked(data, text)
