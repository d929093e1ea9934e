"""Leave out what stands behind a body: the prompt of the shell, what curl and time add, or the words of a person."""

from __future__ import annotations

import re
from collections import deque

from isogloss.validator.captures.bodies.objects import objects_in
from isogloss.validator.captures.document import adjoining_objects
from isogloss.validator.decode import looks_like_sse
from isogloss.validator.exchange import Cause, Why
from isogloss.validator.text import Text

__all__ = ["WORDS_BEHIND", "has_words_behind", "without_counts", "without_prompt", "without_words"]

WORDS_BEHIND = Why("words behind an answer, as people and programs write them", Cause.OTHER)
"""Why a part is skipped that :func:`without_words` leaves out."""

_PROMPT = rb"""[^"'`={}<\r\n]{0,100}(?:[#$%>]|\xe2\x8f\x8e)(?:\s(?s:.)*)?|\([\w.-]{1,30}\)"""
"""A prompt, and the next command, which may have several lines. Markup is no prompt: a server can send it.

Where a body ends without a line end, zsh puts ``%`` behind it and fish ``⏎``, and the prompt on the next line.
Of a prompt that begins with the name of an environment of Python, some copy only this: ``(base)``.
"""
_OF_CURL = rb"""curl: \(\d{1,3}\) [^\r\n]{0,300}(?:\r?\n[^"'`={}<\r\n]{0,100}[#$%>])?\Z"""
"""What ``curl`` prints when a connection breaks, wherever the body ends then, and perhaps a prompt."""
_LONGEST_OF_CURL = 500
_OF_TIME = rb"real\s+\d+m[\d.,]+s\s+user\s+\d+m[\d.,]+s\s+sys\s+\d+m[\d.,]+s|Elapsed time: [\d.e-]+s"
"""What ``time`` prints behind a command, and HTTPie with ``-vv`` or ``--meta`` behind an answer."""
_WORDS = rb"""(?<=\n)(?!(?:data|event|id|retry)?:)[^"{}<]{1,500}"""
"""What a person wrote on lines of their own, or a script printed: a heading, or how long it took."""
_UP_TO_LAST_LINES = rb"(?s).*\n\r?\n"
_COUNT = rb"[A-Za-z][\w ]{0,30}[:=][ ]?[\d.]{1,20}(?:[ ]?m?s\b)?+"
_COUNTS = rb"[1-5]\d\d|(?!(?:data|event|id|retry):)%b(?:\s+%b)*" % (_COUNT, _COUNT)
"""What ``curl --write-out`` adds: the status alone, or numbers with their names (``HTTP_CODE:200``)."""
_LONGEST_COUNTS = 1000
_LEADING = b"\xef\xbb\xbf \t\r\n"
"""The bytes that may stand before a body: an editor or a shell of Windows writes a mark there."""
_BLANKS = r"\s*"
_BETWEEN = r"[\s,]*"
"""What may stand between objects that follow each other."""
_OF_JSON = (b"", b"{", b"[", b"}", b"]", b":", b'"')
"""How something goes on behind an object that is JSON, perhaps with a fault."""


def has_words_behind(data: bytes) -> bool:
    """Return whether words stand behind the JSON object, or the objects, that a text begins with.

    They may follow directly, as in the copy of a page whose blocks follow each other.
    """
    position = data.find(b"{")
    for _, _, following in adjoining_objects(data, position, _BETWEEN):
        position = following
    return data[position : position + 1] not in _OF_JSON


def without_prompt(text: Text, *, before_message: bool = False) -> Text:
    """Return the text of a body in a copy of a terminal, without the prompt of the shell behind it.

    The prompt may stand behind a JSON object, also on its last line, or be the last lines behind events. Before another
    message, it may be any words on lines of their own.
    """
    content = text.data.rstrip()
    if content[-1:] in (b"}", b"]", b""):
        return text
    if said := re.compile(_OF_CURL).search(content, max(0, len(content) - _LONGEST_OF_CURL)):
        return text.slice(0, said.start())
    patterns = (_OF_TIME, _PROMPT, _WORDS) if before_message else (_OF_TIME, _PROMPT)
    return _without(text, content, b"|".join(patterns))


def without_words(text: Text) -> Text:
    """Return the text of a body without the words behind it, for a file of texts. A body has no such lines itself."""
    content = text.data.rstrip()
    return text if content[-1:] in (b"}", b"]", b"") else _without(text, content, _WORDS)


def without_counts(text: Text) -> Text:
    """Return the text of a JSON object or of events without what ``curl --write-out`` added behind it.

    That is the status or other numbers.
    """
    if not text.data[-_LONGEST_COUNTS:].rstrip()[-1:].isalnum():
        return text
    end = _end_of_body(text, text.data.rstrip())
    return text.slice(0, end) if end and re.fullmatch(_COUNTS, text.data[end:].strip()) else text


def _without(text: Text, content: bytes, pattern: bytes) -> Text:
    """Return a text without what stands behind the body, if that has the pattern. ``content`` is without its blanks."""
    end = _end_of_body(text, content)
    start = len(content) - len(content[end:].lstrip(b"\r\n"))
    return text.slice(0, end) if end and re.compile(pattern).fullmatch(content, start) else text


def _end_of_body(text: Text, content: bytes) -> int:
    """Return where the JSON objects end that a text begins with, or the last event before a blank line, or 0."""
    if looks_like_sse(text.data):
        events = re.match(_UP_TO_LAST_LINES, content)
        return events.end() if events else 0
    value = next(objects_in(text), None) if text.data.lstrip(_LEADING).startswith(b"{") else None
    if value is None:
        return 0
    start = text.data.index(b"{")
    last = deque(adjoining_objects(text.data, start, _BLANKS), maxlen=1)
    return last[0][1] if last else start + len(value.data)
