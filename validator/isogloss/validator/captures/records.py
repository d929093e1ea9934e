"""Exchange records, isogloss's own recording format of one JSON object an exchange; and pairs of request and response.

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
``expected_status``  the statuses of which the response has to have one, where the request was made to find that out;
                     it may be wrong on purpose, and only the response is judged
===================  ========================================================================================

An object with ``method``, ``url`` or ``path``, and ``body`` is a request alone, as a client is told to send it.
Every member may be missing or null; others are ignored. Header values other than the content type are not kept.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterator

from isogloss.validator import jsontext
from isogloss.validator.captures import http
from isogloss.validator.captures.document import Node
from isogloss.validator.decode import response_body, stream, stream_of_chunks
from isogloss.validator.exchange import Body, Exchange, Kind, Payload, Response, Skipped, Stream
from isogloss.validator.kinds import is_exchange, is_sent, kind_of, other_api
from isogloss.validator.secrets import mask
from isogloss.validator.text import Text

__all__ = ["exchanges"]


def exchanges(file: str, number: int, part: Node, kind: Kind | None = None) -> Iterator[Exchange | Skipped]:
    """The exchanges that a JSON value holds: a record, a payload, an array of either, or an array of chunks.

    ``number`` is that of the first exchange; ``kind`` overrides what the content of a payload says.
    """
    value = part.value
    if isinstance(value, list) and value:
        yield from _array(file, number, part, kind)
    elif kind is None and isinstance(value, dict) and is_exchange(value):
        yield _record(file, number, part)
    elif kind is None and isinstance(value, dict) and is_sent(value):
        yield _sent(file, number, part)
    else:
        kind = kind or kind_of(value)
        if kind is None or value is jsontext.MISSING:
            yield Skipped(file=file, number=number, reason=_why(part))
        elif kind == "request":
            yield _exchange(file, number, part, request=part.payload(kind))
        else:
            yield _exchange(file, number, part, response=Response(body=part.payload(kind)))


def _array(file: str, number: int, part: Node, kind: Kind | None) -> Iterator[Exchange | Skipped]:
    if all((kind or kind_of(item)) == "chunk" for item in part.value):
        yield _exchange(file, number, part, response=Response(body=_chunks(part)))
        return
    for item in part.items():
        if isinstance(item.value, list) and len(part.at) > 1:
            yield Skipped(file=file, number=number, reason="arrays in arrays in arrays")  # nobody records so
            number += 1
            continue
        for found in exchanges(file, number, item, kind):
            yield found
            number += 1


def _exchange(
    file: str, number: int, part: Node, *, request: Payload | None = None, response: Response | None = None
) -> Exchange:
    return Exchange(file=file, number=number, text=part.document.text, at=part.at, request=request, response=response)


def _chunks(part: Node) -> Stream:
    return stream_of_chunks(part.value, part.document.text, part.at, sound=part.document.sound)


def _why(part: Node) -> str:
    return part.document.fault or other_api(part.value)


def _sent(file: str, number: int, part: Node) -> Exchange | Skipped:
    body = part.member("body")
    return http.exchange(
        file=file,
        number=number,
        text=part.document.text,
        at=part.at,
        request=body.text() or body.payload("request"),
        response=None,
        url=part.member("url", "uri", "path").string(),
        method=part.member("method").string(),
    )


def _record(file: str, number: int, part: Node) -> Exchange | Skipped:
    status = part.member("status").integer()
    content_type = part.member("content_type").string()
    request = part.member("request")
    body = _body(part, status, content_type)
    expected = tuple(one.value for one in part.member("expected_status").items() if type(one.value) is int)
    _, path = http.host_and_path(part.member("path").string())
    if not expected and (reason := http.not_ours(request.value, body, path, None)):
        return Skipped(file=file, number=number, reason=reason)
    judged = request.value is not None and not (expected and min(expected) >= 400)
    return Exchange(
        file=file,
        number=number,
        text=part.document.text,
        at=part.at,
        request=request.payload("request") if judged else None,
        response=None if body is None else Response(body=body, status=status, content_type=content_type),
        host=part.member("host").string(),
        path=path,
        expected_status=expected,
    )


def _body(part: Node, status: int | None, content_type: str | None) -> Payload | Stream | Body | None:
    """What the first member that holds the response body holds."""
    chunks, response = part.member("chunks"), part.member("response")
    if text := part.member("sse").text():
        return stream(text)
    if isinstance(chunks.value, list):
        return _chunks(chunks)
    text = part.member("response_text").text() or _bytes(part.member("body_base64"))
    if text is not None:
        return response_body(text, status=status, content_type=content_type)
    return None if response.value is None else http.parsed_body(response, status)


def _bytes(part: Node) -> Text | None:
    """The bytes a Base64 string stands for, all of which stand where it does; what is no Base64 stands for itself."""
    text = part.text()
    if text is None:
        return None
    try:
        return Text.fixed(mask(binascii.a2b_base64(text.data, strict_mode=True)), text, 0)
    except binascii.Error:
        return text
