"""Tell whether a text may be YAML with an exchange in it, before it is parsed: that takes long."""

from __future__ import annotations

import re

__all__ = ["may_hold_exchanges"]

_FIRST_LINE = rb"(?:[ \t]*(?:#[^\n]*|\r)?\n)*(?:---[^\n]*\n|(?:- )?[\"':]?[\w.-]{1,60}[\"']?:[ \r\n]|-\r?\n)"
_GAP = rb"(?:\s|\\[nrt]?){0,60}+"
_PAYLOAD = (
    rb"chat/completions|chat\.completion|choices[\"']?:"
    rb"|messages[\\\"']{0,4}:" + _GAP + rb"(?:\[" + _GAP + rb"\{|-)" + _GAP + rb"[\\\"']{0,4}(?:role|content)"
)
"""What YAML with an exchange has; messages may be written in a string, where white space is escaped."""
_KEY = (
    rb"(?m)^[ -]{0,40}[\"':]?(?:\w{0,20}request\w{0,20}|\w{0,20}response\w{0,20}"
    rb"|messages|choices|input|output|body|url|uri)[\"']?:(?:[ \r\n]|\Z)"
)


def may_hold_exchanges(data: bytes) -> bool:
    """Return whether a text begins like YAML, mentions Chat Completions, and has a key that traffic has."""
    return bool(re.match(_FIRST_LINE, data) and re.search(_PAYLOAD, data) and re.search(_KEY, data))
