"""Cassettes: recordings of request and response side by side, by libraries that replay them in tests.

The layout of Ruby VCR was taken over by others with small differences: vcrpy, Betamax, go-vcr (``url``, ``code``),
Symfony AI (``status`` as a number), pydantic-ai (``parsed_body``). One reading serves them all, of YAML and of JSON.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

from isogloss.validator.captures import http
from isogloss.validator.captures.capture import Budget, Capture, Unreadable
from isogloss.validator.captures.document import Node
from isogloss.validator.captures.yaml_text import BINARY
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.secrets import mask
from isogloss.validator.text import Text

__all__ = ["from_base64", "interactions"]

_SPACE = re.compile(rb"\s+")


def interactions(capture: Capture, recorded: Node) -> Iterator[Exchange | Skipped]:
    """The exchanges of an array of interactions, each numbered by its place in the array."""
    for number, item in enumerate(recorded.items()):
        try:
            yield _interaction(capture, number, item)
        except Unreadable as error:
            yield Skipped(file=capture.name, number=number, reason=str(error))


def _interaction(capture: Capture, number: int, item: Node) -> Exchange | Skipped:
    request, response = item.member("request"), item.member("response")
    asked = _body(request, capture.budget)
    status = response.member("status", "code", "status_code")
    headers = response.member("headers")
    return http.exchange(
        file=capture.name,
        number=number,
        text=item.document.text,
        at=item.at,
        request=asked.payload("request") if isinstance(asked, Node) else asked,
        response=_body(response, capture.budget),
        url=request.member("uri", "url").string(),
        method=request.member("method").string(),
        status=status.integer() if status.integer() is not None else _code(response),
        content_type=http.header(headers, "content-type"),
    )


def _code(response: Node) -> int | None:
    status = response.member("status")
    inner = status.member("code", "status_code").integer()
    return inner if inner is not None else response.member("code").integer()


def _body(message: Node, budget: Budget) -> Text | Node | None:
    """The body of a request or response: a text, or what the recorder parsed it into. Raises :class:`Unreadable`."""
    parsed = message.member("parsed_body")
    if parsed.value is not None and not isinstance(parsed.value, str):
        return parsed
    body = message.member("parsed_body", "body", "content")
    if isinstance(body.value, dict):
        held = body.member("string", BINARY)
        if held.value is None:
            # `{encoding, string: null}` is an empty body; any other object is a body that was parsed
            return None if not body.value or body.value.keys() <= {"string", "encoding", BINARY} else body
        body = held if held.at[-1] == BINARY else held.member(BINARY) if isinstance(held.value, dict) else held
    text = body.text()
    if text is None:
        return body if isinstance(body.value, list) else None
    if body.at[-1] == BINARY:
        text = from_base64(text)
    return http.plain(text, http.header(message.member("headers"), "content-encoding"), budget)


def from_base64(text: Text) -> Text:
    """The bytes that a base64 text stands for, all of which stand where it begins. Raises :class:`Unreadable`."""
    try:
        data = base64.b64decode(_SPACE.sub(b"", text.data))
    except binascii.Error as error:
        raise Unreadable(f"a body that is not the base64 it is said to be: {error}") from error
    return Text.fixed(mask(data), text, 0)
