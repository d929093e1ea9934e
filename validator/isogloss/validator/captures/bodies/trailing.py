"""Leave out what a terminal shows behind a body: the prompt of the shell, or what curl and time add."""

from __future__ import annotations

import re

from isogloss.validator.captures.bodies.objects import objects_in
from isogloss.validator.decode import looks_like_sse
from isogloss.validator.text import Text

__all__ = ["without_counts", "without_prompt"]

_PROMPT = rb"""[^"'`={}<\r\n]{0,100}[#$%>](?:[ ](?s:.)*)?"""
"""A prompt, and the next command, which may have several lines. Markup is no prompt: a server can send it."""
_OF_TOOLS = (
    rb"curl: \(\d{1,3}\) [^\r\n]{0,300}"
    rb"|real\s+\d+m[\d.,]+s\s+user\s+\d+m[\d.,]+s\s+sys\s+\d+m[\d.,]+s"
)
"""What ``curl`` prints when a connection breaks, and what ``time`` prints behind a command."""
_WORDS = rb"""(?<=\n)(?!(?:data|event|id|retry)?:)[^"{}<]{1,500}"""
"""What a script printed, if another message follows: a heading, or how long it took."""
_UP_TO_LAST_LINES = rb"(?s).*\n\r?\n"
_COUNT = rb"[A-Za-z][\w ]{0,30}[:=][ ]?[\d.]{1,20}(?:[ ]?m?s\b)?+"
_COUNTS = rb"[1-5]\d\d|%b(?:\s+%b)*" % (_COUNT, _COUNT)
"""What ``curl --write-out`` adds: the status alone, or numbers with their names (``HTTP_CODE:200``)."""


def without_prompt(text: Text, *, before_message: bool = False) -> Text:
    """Return the text of a body in a copy of a terminal, without the prompt of the shell behind it.

    The prompt may stand behind a JSON object, also on its last line, or be the last lines behind events. Before another
    message, it may be any words on lines of their own.
    """
    data = text.data
    content = data.rstrip()
    if content[-1:] in (b"}", b"]", b""):
        return text
    if looks_like_sse(data):
        events = re.match(_UP_TO_LAST_LINES, content)
        end = events.end() if events else 0
    else:
        value = next(objects_in(text), None) if data.lstrip().startswith(b"{") else None
        end = data.index(b"{") + len(value.data) if value is not None else 0
    start = len(content) - len(content[end:].lstrip(b"\r\n"))
    patterns = (_OF_TOOLS, _PROMPT, _WORDS) if before_message else (_OF_TOOLS, _PROMPT)
    is_no_body = re.compile(b"|".join(patterns)).fullmatch(content, start)
    return text.slice(0, end) if end and is_no_body else text


def without_counts(text: Text) -> Text:
    """Return the text of a JSON object without the status or the numbers that ``curl --write-out`` added behind it."""
    data = text.data
    if not data.rstrip()[-1:].isalnum() or not data.lstrip().startswith(b"{"):
        return text
    value = next(objects_in(text), None)
    end = data.index(b"{") + len(value.data) if value is not None else 0
    return text.slice(0, end) if end and re.fullmatch(_COUNTS, data[end:].strip()) else text
