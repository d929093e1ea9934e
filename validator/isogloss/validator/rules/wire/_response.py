"""Read the parts of a response that several rules of this group check."""

from __future__ import annotations

from isogloss.validator.decode import decode_json
from isogloss.validator.exchange import Exchange, Stream
from isogloss.validator.quoting import quote_name
from isogloss.validator.rules import Citation
from isogloss.validator.sse import Framing
from isogloss.validator.views import Json, obj

__all__ = ["EVENT_STREAM", "error_in", "failed", "framing_of", "lines_of_json", "media_type", "of_type"]

EVENT_STREAM = Citation("WHATWG HTML Living Standard, 9.2.6 Interpreting an event stream", "2025-06")
"""The standard that says what a reader of server-sent events has to accept, and what it drops."""


_NO_OBJECT = (b"", b"[DONE]")


def framing_of(exchange: Exchange) -> Framing | None:
    """Return the framing of the response, or ``None`` if it is not a stream or was captured without its framing."""
    body = exchange.response
    return body.framing if isinstance(body, Stream) else None


def media_type(exchange: Exchange) -> str | None:
    """Return the media type of the response in lower case, without parameters, or ``None`` if it is not known.

    It is empty for a live response that has none. A recorder may have left it out, and what has no slash in a recording
    stands in place of one, such as ``**REDACTED**``.
    """
    found = (exchange.http.content_type or "").partition(";")[0].strip().lower()
    return found if exchange.live or "/" in found else None


def of_type(content_type: str) -> str:
    """Return how a body with this media type was sent, which may be empty, in words."""
    return f"as {quote_name(content_type)}" if content_type else "without a content type"


def failed(exchange: Exchange) -> bool:
    """Return whether the status of the response is known and is an error."""
    status = exchange.http.status
    return status is not None and status >= 400


def error_in(payload: object) -> Json:
    """Return the error object of a payload; it is empty if there is none."""
    return obj((obj(payload) or {}).get("error")) or {}


def lines_of_json(data: bytes) -> int:
    """Count the lines of a text if each of them is a JSON object; return 0 if there are other lines.

    Blank lines are ignored, and so is the end of a stream, `[DONE]`, with `data:` before it or without.
    """
    lines = [line for line in data.splitlines() if line.strip().removeprefix(b"data:").strip() not in _NO_OBJECT]
    if not all(line.lstrip().startswith(b"{") and line.rstrip().endswith(b"}") for line in lines):
        return 0
    return len(lines) if all(decode_json(line) is not None for line in lines[:2]) else 0
