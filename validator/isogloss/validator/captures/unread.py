"""Say of a capture in which nothing was read, and that names the URL of Chat Completions, that its layout is not read.

Its properties are named, so that a reader sees which layout it is, and can say where request and answer stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.traffic import NEITHER
from isogloss.validator.decode import decode
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.kinds import why_not
from isogloss.validator.quoting import name as quoted
from isogloss.validator.secrets import masked

__all__ = ["say_what_is_unread"]

_PATH = b"/chat/completions"
_URL = (
    rb"(?i)"
    rb"""["']?\w{0,30}(?:url|uri|path|endpoint|target)["']?\s{0,9}[:=]\s{0,9}"""
    rb"""["']?[^\s"']{0,300}/chat/completions(?:\?[^\s"']{0,300})?["']?\s{0,9}(?:[,}\]\r\n]|\Z)"""
)
_KEY = rb"""(?m)^(?:- )?["']?([\w.-]{1,60})["']?:(?=\s)"""
_MOST_NAMED = 8
_HELD = 100
"""Parts that may be skipped before the first exchange, and are held back until then."""
_UNREAD = frozenset({
    why_not(None), NEITHER, "not a capture: no input format recognises it",
})  # fmt: skip
"""The reasons that say no more than that nothing of ours was found."""


def say_what_is_unread(capture: Capture, found: Iterable[Exchange | Skipped]) -> Iterator[Exchange | Skipped]:
    """Yield what was found in a capture, with a better reason for what was skipped if there is no exchange.

    The better reason is for a capture that names the URL of Chat Completions. It replaces only reasons that say no more
    than that nothing of ours was found, and none if more than ``_HELD`` parts were skipped. An empty result becomes one
    skipped part.
    """
    held: list[Skipped] = []
    left = iter(found)
    for one in left:
        if isinstance(one, Skipped) and len(held) < _HELD:
            held.append(one)
            continue
        yield from held
        yield one
        yield from left
        return
    if not held:
        yield Skipped(file=capture.name, reason="nothing is recorded in it")
    reason = _layout(capture) if any(one.reason in _UNREAD for one in held) else None
    for skipped in held:
        yield skipped._replace(reason=reason) if reason and skipped.reason in _UNREAD else skipped


def _layout(capture: Capture) -> str | None:
    """Return the better reason for a capture that names the URL, or ``None`` for any other capture."""
    if b"\0" in capture.head[:1024] or _PATH not in capture.head or not re.search(_URL, capture.head):
        return None  # the path is looked for first, which most files do not name: the expression takes far longer
    names = _properties(capture)
    shown = ", ".join(quoted(masked(name)) for name in names[:_MOST_NAMED]) + ", …" * (len(names) > _MOST_NAMED)
    has = f": its properties are {shown}" if names else ""
    return f"names the URL of /chat/completions, in a layout that is not read{has}"


def _properties(capture: Capture) -> list[str]:
    """Return the names of the outermost properties, in order. For a list, these are those of its first item."""
    if capture.begins_as_json:
        value = capture.document.value if capture.whole_head else decode(capture.head).value
        value = value[0] if isinstance(value, list) and value else value
        return list(value) if isinstance(value, dict) else []
    return list(dict.fromkeys(key.decode("utf-8", "replace") for key in re.findall(_KEY, capture.head)))
