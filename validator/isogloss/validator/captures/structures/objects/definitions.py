"""Read definitions: one object that says which request is sent where. nock (JavaScript) also writes the response in it.

nock writes an array of objects with ``scope``, ``method``, ``path``, ``body``, ``status``, ``response`` and the headers
of the response (``rawHeaders``), in pairs, or as a list in which each name is followed by its value. The response is a
parsed value if it is JSON, an array of parts in hexadecimal if it was compressed, hexadecimal if it is not text, and
text otherwise (``getBodyFromChunks`` in lib/recorder.js of nock/nock, read 2026-11).

Without ``response``, ``body`` is what a client is to send, or what it got: logs of HTTP clients have the method and the
URL beside the status and the body of an answer. It is an answer if its content is one, or if there is a status and its
content is no request. Beside a ``response``, the request may have any other name, or stand there property by property.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from isogloss.validator.captures import http
from isogloss.validator.captures.bodies.from_json import read_body
from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.document import Node
from isogloss.validator.captures.http import RecordedMessage
from isogloss.validator.captures.structures.objects.halves import body_name, request_in
from isogloss.validator.captures.structures.objects.messages import (
    Properties,
    describes_response,
    is_message,
    message,
    url_of,
)
from isogloss.validator.captures.traffic import ONLY_TEXT
from isogloss.validator.decode import has_events, kind_of_json
from isogloss.validator.exchange import Body, Exchange, Skipped
from isogloss.validator.kinds import kind_of
from isogloss.validator.text import Text

__all__ = ["definition", "is_definition"]

_BODIES = ("body", "json_data")
"""Names of the body: in other recordings, and in what the ``openai`` package logs of a request before it is sent
(``Request options: {'method': 'post', 'url': '/chat/completions', 'json_data': {…}}``: ``FinalRequestOptions`` in
src/openai/_models.py of openai-python 3.57, and logs of 2024 and 2025, read 2026-11)."""


def is_definition(value: Mapping[str, Any]) -> bool:
    """Return whether an object defines what is sent to a URL or path: a request with its body, its answer, or both."""
    if "request" in value or value.keys().isdisjoint(("url", "uri", "path")):
        return False
    if not _is_of_nock(value) and is_message(value.get("response")):
        return False
    if "method" not in value:
        return "scope" in value and "response" in value
    return not value.keys().isdisjoint(("scope", "response", *_BODIES))


def definition(capture: Capture, number: int, part: Node) -> Exchange | Skipped:
    """Return the exchange of a request, with its answer if one is defined. Raises :class:`Unreadable`."""
    properties = Properties(part)
    response = _response(capture, properties)
    status = properties.get("status", "statuscode", "code").integer() or response.status
    body = read_body(part.get(*_BODIES), None, capture.budget)
    is_answer = not properties.has("response") and _is_answer(body, status)
    if body is None and properties.has("response") and (name := body_name(part.value, "request")) is not None:
        body = read_body(part.get(name), None, capture.budget)
    asked = None if is_answer else body
    own_request = request_in(part) if asked is None else None
    found = http.exchange_of_part(
        capture,
        number,
        part,
        RecordedMessage(
            body=asked if own_request is None else own_request,
            url=url_of(properties),
            method=properties.string("method"),
        ),
        RecordedMessage(
            body=body if is_answer else response.body,
            status=status,
            content_type=properties.header("content-type")
            or properties.get("contenttype").string()
            or response.content_type,
        ),
    )
    if isinstance(found, Exchange) and not _is_of_nock(part.value) and _has_only_text(found, properties):
        return Skipped(file=capture.name, number=number, why=ONLY_TEXT)
    return replace(found, gathered=True) if isinstance(found, Exchange) and own_request is not None else found


def _has_only_text(found: Exchange, properties: Properties) -> bool:
    """Return whether a string in place of the answer is only its words, as logs of requests keep them.

    What was sent has a content type, or is a page of markup, or the words of a failure.
    """
    words = properties.get("response").string()
    is_text = words is not None and not words.lstrip().startswith("<") and isinstance(found.response, Body)
    return is_text and found.http.content_type is None and (found.http.status or 200) < 400


def _is_answer(body: http.Answer, status: int | None) -> bool:
    """Return whether a body is the answer to a request, and not the request."""
    if isinstance(body, Text):
        if has_events(body.data):
            return True
        kind = kind_of_json(body.data)
    elif isinstance(body, Node):
        kind = kind_of(body.value)
    else:
        return body is not None
    return kind != "request" if status is not None else kind in ("completion", "error")


def _is_of_nock(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("scope"), str) and "method" in value


def _response(capture: Capture, properties: Properties) -> RecordedMessage:
    response = properties.get("response")
    if _is_of_nock(properties.node.value) and isinstance(response.value, dict):
        return RecordedMessage(body=response)  # never a message, whatever names are in it
    if describes_response(response.value):
        return message(response, capture.budget)
    if response.value == "":
        return RecordedMessage()
    return RecordedMessage(body=read_body(response, properties.header("content-encoding"), capture.budget))
