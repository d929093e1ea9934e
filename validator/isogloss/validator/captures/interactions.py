"""Cassettes: recordings of request and response side by side, by libraries that replay them in tests.

The layout of Ruby VCR was taken over by others with small differences: vcrpy, Betamax, go-vcr (``url``, ``code``),
Symfony AI (``status`` as a number), pydantic-ai (``parsed_body``). One reading serves them all, of YAML and of JSON.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import NamedTuple

from isogloss.validator.captures import http
from isogloss.validator.captures.capture import Budget, Capture, Unreadable
from isogloss.validator.captures.document import Node
from isogloss.validator.captures.yaml_text import BINARY
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.kinds import kind_of
from isogloss.validator.secrets import mask
from isogloss.validator.text import Text

__all__ = ["Message", "from_base64", "from_hexadecimal", "interactions", "is_message", "message"]

_SPACE = re.compile(rb"\s+")
_BODIES = ("parsed_body", "body", "content", "data")
_ABOUT = frozenset({"status", "code", "status_code", "statusCode", "headers", "url", "uri", "path", "method"})


class Message(NamedTuple):
    """One half of a recorded exchange: its body as text or as it was parsed, and what stands beside it."""

    body: Text | Node | None
    status: int | None
    content_type: str | None
    url: str | None
    method: str | None


def interactions(capture: Capture, recorded: Node) -> Iterator[Exchange | Skipped]:
    """The exchanges of an array of interactions, each numbered by its place in the array."""
    for number, item in enumerate(recorded.items()):
        try:
            yield _interaction(capture, number, item)
        except Unreadable as error:
            yield Skipped(file=capture.name, number=number, reason=str(error))


def _interaction(capture: Capture, number: int, item: Node) -> Exchange | Skipped:
    if not isinstance(item.value, dict):
        raise Unreadable("an interaction that is no object")
    asked = message(item.member("request"), capture.budget)
    answered = message(item.member("response"), capture.budget)
    return http.exchange(
        file=capture.name,
        number=number,
        text=item.document.text,
        at=item.at,
        request=asked.body.payload("request") if isinstance(asked.body, Node) else asked.body,
        response=answered.body,
        url=asked.url,
        method=asked.method,
        status=answered.status,
        content_type=answered.content_type,
    )


def is_message(value: object) -> bool:
    """Whether a JSON value is a recorded request or response, rather than the body of one."""
    if not isinstance(value, dict) or kind_of(value) is not None:
        return False
    about = len(value.keys() & _ABOUT)
    return about > 1 or (about == 1 and not value.keys().isdisjoint(_BODIES))


def message(half: Node, budget: Budget) -> Message:
    """A recorded request or response, of which each part may be missing. Raises :class:`Unreadable`."""
    status = half.member("status", "code", "status_code", "statusCode")
    return Message(
        body=_body(half, budget),
        status=status.integer() if status.integer() is not None else _code(half),
        content_type=http.header(half.member("headers"), "content-type"),
        url=half.member("uri", "url", "path").string(),
        method=half.member("method").string(),
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
    body = message.member(*_BODIES)
    if isinstance(body.value, dict):
        held = body.member("string", BINARY, "b64")
        if held.value is None:
            # `{encoding, string: null}` is an empty body; any other object is a body that was parsed
            return None if not body.value or body.value.keys() <= {"string", "encoding", BINARY, "b64"} else body
        body = held if held.at[-1] in (BINARY, "b64") else held.member(BINARY) if isinstance(held.value, dict) else held
    text = body.text()
    if text is None:
        return body if isinstance(body.value, list) else None
    if body.at[-1] in (BINARY, "b64"):
        text = from_base64(text)
    return http.plain(text, http.header(message.member("headers"), "content-encoding"), budget)


def from_base64(text: Text) -> Text:
    """The bytes that a base64 text stands for, all of which stand where it begins. Raises :class:`Unreadable`."""
    try:
        data = base64.b64decode(_SPACE.sub(b"", text.data))
    except binascii.Error as error:
        raise Unreadable(f"a body that is not the base64 it is said to be: {error}") from error
    return Text.fixed(mask(data), text, 0)


def from_hexadecimal(text: Text) -> Text:
    """The bytes that hexadecimal digits stand for, all of which stand where they begin. Raises :class:`Unreadable`."""
    try:
        data = binascii.unhexlify(text.data)
    except binascii.Error as error:
        raise Unreadable(f"a body that is not the hexadecimal it is said to be: {error}") from error
    return Text.fixed(mask(data), text, 0)
