"""Exchanges as others write them into JSON: requests that are sent, definitions of nock, HTTP messages with bodies.

A half of such an exchange is a body, or an HTTP message with its body in it (``status``, ``headers``, ``url`` … beside
``body``), as :mod:`isogloss.validator.captures.interactions` reads it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from isogloss.validator.captures import http
from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.document import Node
from isogloss.validator.captures.interactions import Message, from_base64, from_hexadecimal, is_message, message
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.kinds import kind_of, others
from isogloss.validator.secrets import mask
from isogloss.validator.text import Text

__all__ = ["enveloped", "is_enveloped", "is_sent", "sent"]


def is_sent(value: Mapping[str, Any]) -> bool:
    """Whether an object says what is sent where: an HTTP request with its body, with its answer in nock's."""
    if "method" not in value or value.keys().isdisjoint(("url", "uri", "path")):
        return False
    return "scope" in value or ("body" in value and "request" not in value and "response" not in value)


def is_enveloped(value: Mapping[str, Any]) -> bool:
    """Whether the request or the response of an exchange is an HTTP message, rather than a body."""
    return any(is_message(value.get(half)) for half in ("request", "response"))


def sent(capture: Capture, number: int, part: Node) -> Exchange | Skipped:
    """The exchange of a request that is sent, with its answer in a definition of nock. Raises :class:`Unreadable`."""
    body, headers = part.member("body"), part.member("rawHeaders", "headers")
    url, scope = part.member("url", "uri", "path").string(), part.member("scope").string()
    return http.exchange(
        file=capture.name,
        number=number,
        text=part.document.text,
        at=part.at,
        request=None if body.value is None else body.text() or body.payload("request"),
        response=_nocked(capture, part.member("response"), headers) if scope is not None else None,
        url=f"{scope}{url}" if scope and url and url.startswith("/") else url,
        method=part.member("method").string(),
        status=part.member("status").integer(),
        content_type=http.header(headers, "content-type"),
    )


def _nocked(capture: Capture, response: Node, headers: Node) -> Text | Node | None:
    """The response of a nock definition: parsed, as text, or, where it was compressed, as parts in hexadecimal."""
    value, encoding = response.value, http.header(headers, "content-encoding")
    if encoding and isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        return http.plain(from_hexadecimal(response.joined()), encoding, capture.budget)
    return response.text() or (None if value is None or value == "" else response)


def enveloped(capture: Capture, number: int, part: Node) -> Exchange | Skipped:
    """The exchange of which a half, or both, is an HTTP message. Raises :class:`Unreadable`."""
    asked, answered = _half(capture, part.member("request")), _half(capture, part.member("response"))
    status, content_type = part.member("status").integer(), part.member("content_type").string()
    if isinstance(answered.body, Node) and (name := _kept_as(answered.body)):
        return Skipped(file=capture.name, number=number, reason=f"the answer is {name}")
    return http.exchange(
        file=capture.name,
        number=number,
        text=part.document.text,
        at=part.at,
        request=asked.body.payload("request") if isinstance(asked.body, Node) else asked.body,
        response=_pieces(part.member("chunks")) if answered.body is None else answered.body,
        url=asked.url or part.member("url", "path").string(),
        method=asked.method,
        status=status if answered.status is None else answered.status,
        content_type=content_type if answered.content_type is None else answered.content_type,
    )


def _pieces(chunks: Node) -> Text | None:
    """A body that was recorded as it arrived, in pieces that are objects with their bytes in Base64."""
    pieces = [text for piece in chunks.items() if (text := piece.member("b64").text()) is not None]
    if not pieces:
        return None
    return Text.fixed(mask(b"".join(from_base64(piece).data for piece in pieces)), pieces[0], 0)


def _kept_as(body: Node) -> str | None:
    """What a recorder made of an answer; ``None`` where it is the answer itself."""
    first = body.value[0] if isinstance(body.value, list) and body.value else body.value
    return others.names(first) if isinstance(first, dict) and kind_of(first) is None else None


def _half(capture: Capture, part: Node) -> Message:
    if is_message(part.value) or (
        isinstance(part.value, dict) and "body" in part.value and kind_of(part.value) is None
    ):
        return message(part, capture.budget)
    body = part.text() or (part if part.value is not None else None)
    return Message(body=body, status=None, content_type=None, url=None, method=None)
