"""Convert an exchange to values that can be made smaller, and write these values as a capture file.

They are those of the properties of an exchange record. ``sse`` and ``chunks`` are lists of events here. An event is a
JSON value, or ``bytes`` that are written as they are. The same is true of a request, and of the text of a response.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from isogloss.validator.decode import decode
from isogloss.validator.exchange import PROBE_PROPERTIES, Exchange, NotJson, Payload, Stream
from isogloss.validator.jsontext import scan
from isogloss.validator.nesting import shallow
from isogloss.validator.reducing.trees import compact

__all__ = ["PROPERTIES", "CaptureValues", "capture_values", "to_bytes"]

_BODIES = ("request", "response", "response_text", "sse", "chunks", "document")
PROPERTIES = frozenset(
    {
        *_BODIES, *PROBE_PROPERTIES, "status", "content_type", "broken", "body_fault", "left", "arrivals", "host",
        "path", "live",
    }
)  # fmt: skip
"""The names of properties, which no neutral word may replace."""
_BLOCK = re.compile(rb".+?(?:(?>\r\n|\n|\r){2,}|\Z)", re.DOTALL)
_BRACKETS = re.compile(rb'"(?:[^"\\]|\\.)*+"|[][{}]', re.DOTALL)
_LARGEST_DOCUMENT = 1 << 20
"""The highest number of bytes of a document that is made smaller as a whole. This is tried if the exchange alone does
not have the finding."""


class CaptureValues(NamedTuple):
    """The values of the properties of an exchange record. With ``bare``, the only body is written without a record."""

    properties: dict[str, Any]
    bare: bool = False


def capture_values(exchange: Exchange) -> Iterator[CaptureValues]:
    """Yield the values of captures of the exchange, beginning with those from which most can be left out.

    The last ones are the text as it was, unless this is larger than ``_LARGEST_DOCUMENT``.
    """
    for properties in _records(exchange):
        for name in properties:
            if name in _BODIES:
                yield CaptureValues({name: properties[name]}, bare=True)
        yield CaptureValues(properties)
    if len(exchange.text.data) <= _LARGEST_DOCUMENT:
        value, sound = decode(exchange.text.data)
        if sound:
            yield CaptureValues({"document": shallow(value)}, bare=True)
        yield CaptureValues({"document": exchange.text.data}, bare=True)


def _records(exchange: Exchange) -> Iterator[dict[str, Any]]:
    body, request = exchange.response, exchange.request
    others = {name: value for name, value in _other_properties(exchange).items() if value not in (None, False, ())}
    for verbatim in (False, True):
        request_part = {} if request is None else {"request": _payload(request, verbatim=verbatim)}
        if isinstance(body, Stream):
            answer_part = _events(body, verbatim=verbatim)
        elif isinstance(body, Payload) and body.sound and not verbatim:
            answer_part = {"response": shallow(body.value)}
        else:
            answer_part = {} if body is None else {"response_text": _text_at(body.text.data, getattr(body, "at", ()))}
        yield {**request_part, **answer_part, **others}


def _other_properties(exchange: Exchange) -> dict[str, Any]:
    """Return the properties of the exchange record that are not bodies."""
    http = exchange.http
    return {
        "status": http.status,
        "content_type": http.content_type,
        "broken": http.broken,
        "body_fault": http.fault,
        "left": http.left,
        "arrivals": http.arrivals,
        "host": exchange.host,
        "path": exchange.path,
        "live": exchange.live,
        **{name: getattr(exchange.probe, name) for name in PROBE_PROPERTIES},
    }


def _payload(payload: Payload, *, verbatim: bool) -> Any:
    return shallow(payload.value) if payload.sound and not verbatim else _text_at(payload.text.data, payload.at)


def _text_at(data: bytes, pointer: tuple[str | int, ...]) -> bytes:
    """Return the text of the value at a pointer in a JSON text.

    If the value is not closed, its text goes to the end.
    """
    if not pointer:
        return data
    start = scan(data).offset(pointer)
    depth = 0
    for match in _BRACKETS.finditer(data, start):
        depth += {b"{": 1, b"[": 1, b"}": -1, b"]": -1}.get(match[0], 0)
        if depth == 0:
            return data[start : match.end()]
    return data[start:]


def _events(stream: Stream, *, verbatim: bool) -> dict[str, Any]:
    values = list(map(shallow, stream.values))
    kept_as_text = {
        number
        for number, value in enumerate(values)
        if verbatim or isinstance(value, NotJson) or number in stream.unsound
    }
    if stream.framing is not None:
        if verbatim:
            return {"sse": _BLOCK.findall(stream.text.data)}
        texts = [b"data: " + event.data + b"\n\n" for event in stream.framing.events]
        return {"sse": [texts[number] if number in kept_as_text else value for number, value in enumerate(values)]}
    if stream.lines is not None:
        lines = enumerate(zip(stream.lines, values, strict=True))
        return {"chunks": [line.data if number in kept_as_text else value for number, (line, value) in lines]}
    return {"chunks": [value for value in values if not isinstance(value, NotJson)]}


def to_bytes(values: CaptureValues) -> bytes:
    """Return the bytes of a capture file with these values."""
    if values.bare:
        ((name, value),) = values.properties.items()
        return _body(name, value)
    return b"{" + b",".join(map(_property, values.properties, values.properties.values())) + b"}"


def _property(name: str, value: Any) -> bytes:
    body = _body(name, value)
    if name not in ("sse", "response_text"):
        return compact(name) + b":" + body
    try:
        return compact(name) + b":" + compact(body.decode())
    except UnicodeDecodeError:
        return b'"body_base64":' + json.dumps(base64.b64encode(body).decode()).encode()


def _body(name: str, value: Any) -> bytes:
    if isinstance(value, bytes):
        return value
    if name == "sse":
        return b"".join(event if isinstance(event, bytes) else b"data: " + compact(event) + b"\n\n" for event in value)
    if name == "chunks":
        return b"[" + b",".join(chunk if isinstance(chunk, bytes) else compact(chunk) for chunk in value) + b"]"
    return compact(value)
