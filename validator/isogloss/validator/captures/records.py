"""Exchange records: isogloss's own recording format, one JSON object an exchange, and pairs of request and response body.

===================  ========================================================================================
member               meaning
===================  ========================================================================================
``request``          the request body
``response``         the response body, when it is JSON
``sse``              the response body as text, when it is an event stream, byte for byte
``chunks``           the chunks of a stream of which only they were kept
``response_text``    the response body as text, when it is neither, or not JSON as written
``status``           the HTTP status of the response
``content_type``     its content type
``host``, ``path``   where the request went
``body_base64``      the response body in Base64, when it is no UTF-8
``expected_status``  the statuses of which the response has to have one; when all are those of errors, the request
                     is wrong on purpose and is not judged
===================  ========================================================================================

Every member may be missing or null; others are ignored. Header values other than the content type are not kept.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterator
from typing import Any

from isogloss.validator import jsontext
from isogloss.validator.decode import Decoded, response_body, stream, stream_of_chunks
from isogloss.validator.exchange import Body, Exchange, Kind, Payload, Response, Skipped, Stream
from isogloss.validator.kinds import is_exchange, kind_of, other_api, other_endpoint
from isogloss.validator.pointer import Pointer
from isogloss.validator.secrets import mask
from isogloss.validator.text import Text

__all__ = ["exchanges"]


def exchanges(
    file: str, number: int, text: Text, decoded: Decoded, kind: Kind | None = None, at: Pointer = ()
) -> Iterator[Exchange | Skipped]:
    """The exchanges that a JSON document holds: a record, a payload, an array of either, or an array of chunks.

    ``number`` is that of the first exchange; ``kind`` overrides what the content of a payload says.
    """
    value, sound = decoded
    if isinstance(value, list) and value:
        kinds = [kind or kind_of(item) for item in value]
        if all(one == "chunk" for one in kinds):
            response = Response(body=stream_of_chunks(value, text, at, sound=sound))
            yield Exchange(file=file, number=number, text=text, at=at, response=response)
            return
        for position, item in enumerate(value):
            for found in exchanges(file, number, text, Decoded(item, sound), kind, (*at, position)):
                yield found
                number += 1
    elif kind is None and isinstance(value, dict) and is_exchange(value):
        yield _record(file, number, text, value, at, sound=sound)
    else:
        kind = kind or kind_of(value)
        if kind is None or value is jsontext.MISSING:
            yield Skipped(file=file, number=number, reason=_why(value, text, sound=sound))
            return
        payload = Payload(kind=kind, value=value, text=text, at=at, sound=sound)
        if kind == "request":
            yield Exchange(file=file, number=number, text=text, at=at, request=payload)
        else:
            yield Exchange(file=file, number=number, text=text, at=at, response=Response(body=payload))


def _why(value: object, text: Text, *, sound: bool) -> str:
    if sound:
        return other_api(value)
    faults = jsontext.scan(text.data).faults
    if not faults:
        return other_api(value)
    place = text.place(faults[0].offset)
    return f"not JSON: line {place.line}, column {place.column}: {faults[0].message}"


def _record(
    file: str, number: int, text: Text, record: dict[str, Any], at: Pointer, *, sound: bool
) -> Exchange | Skipped:
    status, content_type = record.get("status"), record.get("content_type")
    path = record.get("path")
    response = _response(text, record, at, sound=sound, status=status if type(status) is int else None,
                         content_type=content_type if isinstance(content_type, str) else None)  # fmt: skip
    request = record.get("request")
    expected = _statuses(record.get("expected_status"))
    if not expected and (reason := _not_ours(request, response, path)):
        return Skipped(file=file, number=number, reason=reason)
    return Exchange(
        file=file,
        number=number,
        text=text,
        at=at,
        request=None
        if request is None or (expected and min(expected) >= 400)
        else Payload(kind="request", value=request, text=text, at=(*at, "request"), sound=sound),
        response=response,
        host=host if isinstance(host := record.get("host"), str) else None,
        path=path if isinstance(path, str) else None,
        expected_status=expected,
    )


def _statuses(value: object) -> tuple[int, ...]:
    return tuple(one for one in value if type(one) is int) if isinstance(value, list) else ()


def _response(
    text: Text,
    record: dict[str, Any],
    at: Pointer,
    *,
    sound: bool,
    status: int | None,
    content_type: str | None,
) -> Response | None:
    body: Payload | Stream | Body
    if isinstance(record.get("sse"), str):
        body = stream(_string(text, record["sse"], (*at, "sse")))
    elif isinstance(record.get("chunks"), list):
        body = stream_of_chunks(record["chunks"], text, (*at, "chunks"), sound=sound)
    elif isinstance(record.get("response_text"), str):
        body = response_body(
            _string(text, record["response_text"], (*at, "response_text")),
            status=status,
            content_type=content_type,
        )
    elif isinstance(record.get("body_base64"), str):
        raw = _bytes(text, record["body_base64"], (*at, "body_base64"))
        body = response_body(raw, status=status, content_type=content_type)
    elif record.get("response") is not None:
        value = record["response"]
        kind = kind_of(value)
        if kind is None or kind == "request":
            kind = "error" if status is not None and status >= 400 else "completion"
        body = Payload(kind=kind, value=value, text=text, at=(*at, "response"), sound=sound)
    else:
        return None
    return Response(body=body, status=status, content_type=content_type)


def _string(text: Text, value: str, at: Pointer) -> Text:
    """The text that a JSON string holds, every byte of which maps to where it is written in the document."""
    return Text.derived(
        value.encode("utf-8", "surrogatepass"), text, lambda: jsontext.scan(text.data).string_segments(at)
    )


def _bytes(text: Text, value: str, at: Pointer) -> Text:
    """The bytes a Base64 string stands for, all of which stand where it does; what is no Base64 stands for itself."""
    try:
        data = mask(binascii.a2b_base64(value, strict_mode=True))
    except ValueError:
        data = value.encode("utf-8", "surrogatepass")
    return Text.fixed(data, text, jsontext.scan(text.data).offset(at))


def _not_ours(request: object, response: Response | None, path: object) -> str | None:
    """Why a record is no Chat Completions exchange, or ``None`` when it is one."""
    if request is None and response is None:
        return "neither a request body nor a response body"
    if isinstance(path, str) and other_endpoint(path):
        return f"not Chat Completions: {path.partition('?')[0]}"
    if isinstance(path, str) and path.partition("?")[0].rstrip("/").endswith("/chat/completions"):
        return None
    if kind_of(request) == "request":
        return None
    body = response.body if response is not None else None
    if isinstance(body, Payload) and kind_of(body.value) in ("completion", "chunk", "error"):
        return None
    if isinstance(body, Stream) and any(kind_of(value) in ("chunk", "error") for value in body.values):
        return None
    return other_api(request if request is not None else body.value if isinstance(body, Payload) else None)
