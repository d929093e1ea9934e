"""Leave out what a terminal shows behind a body: the prompt of the shell, or what curl adds."""

from __future__ import annotations

import re

from isogloss.validator.captures.bodies.objects import objects_in
from isogloss.validator.decode import looks_like_sse
from isogloss.validator.text import Text

__all__ = ["without_counts", "without_prompt"]

_PROMPT = rb"""[^"'`={}<\r\n]{0,100}[#$%>](?:[ ](?s:.)*)?"""
"""A prompt, and the next command, which may have several lines. Markup is no prompt: a server can send it."""
_COUNT = rb"[A-Za-z][\w ]{0,30}[:=][ ]?[\d.]{1,20}(?:[ ]?m?s\b)?+"
_COUNTS = rb"[1-5]\d\d|%b(?:\s+%b)*" % (_COUNT, _COUNT)
"""What ``curl --write-out`` adds: the status alone, or numbers with their names (``HTTP_CODE:200``)."""


def without_prompt(text: Text) -> Text:
    """Return the text of a body in a copy of a terminal, without the prompt of the shell behind it.

    The prompt may stand behind a JSON object, also on its last line, or be the last line behind events.
    """
    data = text.data
    content = data.rstrip()
    if content[-1:] in (b"}", b"]", b""):
        return text
    last_line = content.rfind(b"\n") + 1
    if content.endswith((b"\n\n", b"\r\n\r\n"), 0, last_line) and looks_like_sse(data):
        return text.slice(0, last_line) if re.fullmatch(_PROMPT, content[last_line:]) else text
    return _without_rest(text, _PROMPT)


def without_counts(text: Text) -> Text:
    """Return the text of a JSON object without the status or the numbers that ``curl --write-out`` added behind it."""
    return _without_rest(text, _COUNTS) if text.data.rstrip()[-1:].isalnum() else text


def _without_rest(text: Text, form: bytes) -> Text:
    """Return the text of a JSON object without what stands behind it, if that is of this form."""
    value = next(objects_in(text), None) if text.data.lstrip().startswith(b"{") else None
    if value is None:
        return text
    end = text.data.index(b"{") + len(value.data)
    return text.slice(0, end) if re.fullmatch(form, text.data[end:].strip()) else text
