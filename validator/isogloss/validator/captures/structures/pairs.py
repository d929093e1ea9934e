"""Read HTTP pairs (:mod:`.objects.http_pairs`), and requests and responses that a recorder keeps in a list each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count, repeat, zip_longest
from typing import Any

from msgspec.structs import replace

from isogloss.validator.captures import http
from isogloss.validator.captures.bodies import dumps
from isogloss.validator.captures.bodies.from_json import read_body
from isogloss.validator.captures.capture import Capture, skip_unreadable
from isogloss.validator.captures.document import Node
from isogloss.validator.captures.http import RecordedMessage
from isogloss.validator.captures.limits import MOST_SKIPPED, Unreadable
from isogloss.validator.captures.names import normalised_names
from isogloss.validator.captures.structures.objects.definitions import definition, is_definition
from isogloss.validator.captures.structures.objects.halves import Role, body_name, request_in
from isogloss.validator.captures.structures.objects.http_pairs import REQUESTS, RESPONSES, has_responses, is_half
from isogloss.validator.captures.structures.objects.messages import (
    Properties,
    describes_response,
    is_message,
    message,
    url_of,
)
from isogloss.validator.captures.structures.relations.folded import with_stream
from isogloss.validator.captures.traffic import NEITHER, ONLY_TEXT, is_chat_path
from isogloss.validator.exchange import Body, Cause, Exchange, Payload, Response, Skipped, Stream, Why
from isogloss.validator.kinds import is_stream, kind_of, others
from isogloss.validator.kinds.marks import REQUEST_PROPERTIES
from isogloss.validator.text import Text

__all__ = [
    "exchange_of_messages", "exchanges_of_halves", "exchanges_of_list", "exchanges_of_pairs", "lone_response", "pair",
]  # fmt: skip

_WITHIN_RESPONSES = ("request", "config")
"""Names under which the response of a client library has the request that it answers: ``config`` in axios."""
_RESPONSE_PARTS = frozenset({
    "body", "bodyasjson", "bodyjson", "bodytext", "header", "headers", "json", "parsedbody", "rawheaders",
})  # fmt: skip
_NO_OBJECT = Why("not an object, as a pair of request and response is", Cause.OTHER)
_METHODS = ("POST", "post", "GET", "get")
"""What shows by itself that an object in the place of a request is no body."""


def lone_response(capture: Capture, number: int, part: Node) -> Exchange | None:
    """Return the exchange of a recorded response by itself, or ``None`` if a value is none.

    It must have a status or the URL of Chat Completions, headers or a ``body``, and an answer of Chat Completions. An
    answer in ``data`` beside a ``code`` alone is an envelope that a server sent.
    """
    if not is_message(part.value) or normalised_names(part.value).keys().isdisjoint(_RESPONSE_PARTS):
        return None
    try:
        response = message(part, capture.budget, role="answer")
        if not http.is_status(response.status) and not is_chat_path(http.host_and_path(response.url)[1]):
            return None
        request = _request_within(capture, part) or RecordedMessage(url=response.url, method=response.method)
        found = exchange_of_messages(capture, number, part, request, response)
    except Unreadable:
        return None
    if isinstance(found, Skipped) or not _holds_answer(found.response):
        return None
    return found


def _holds_answer(body: Response | None) -> bool:
    if isinstance(body, Stream):
        return is_stream(body.values)
    return isinstance(body, Payload) and kind_of(body.value) in ("completion", "error")


def exchanges_of_pairs(
    capture: Capture, parts: Iterable[Node], number: int = 0, *, messages: bool = False
) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of pairs and of lists of pairs, numbered in order. For ``messages``, see :func:`pair`."""
    skipped = 0
    for part, position, value in _items(parts):
        if not isinstance(value, dict):  # no node is made of it, since a list may have a million such items
            skipped += 1
            if skipped <= MOST_SKIPPED:
                yield Skipped(file=capture.name, number=number, why=_NO_OBJECT)
            number += 1
            continue
        item = part if position is None else part.item(position)
        responses = item.get("responses", "response").items() if has_responses(item.value) else (None,)
        for response in responses:
            yield _exchange_of_pair(capture, number, item, response, messages=messages)
            number += 1
    if skipped > MOST_SKIPPED:
        yield Skipped(file=capture.name, number=number, why=_NO_OBJECT, parts=skipped - MOST_SKIPPED)


@skip_unreadable
def _exchange_of_pair(
    capture: Capture, number: int, item: Node, response: Node | None, *, messages: bool
) -> Exchange | Skipped:
    """Return the exchange of a pair, with the ``response`` if this is one of several to its request."""
    if response is None:
        return pair(capture, number, item, messages=messages)
    request = _half(capture, Properties(item), "request", messages=messages)
    request = request or replace(message(item, capture.budget), body=None)
    answer = message(response, capture.budget, role="answer")
    return exchange_of_messages(capture, number, response, request, answer)


def _items(parts: Iterable[Node]) -> Iterator[tuple[Node, int | None, Any]]:
    """Yield each item of the parts that are lists, with its list and its position, and each of the other parts."""
    for part in parts:
        if isinstance(part.value, list):
            yield from zip(repeat(part), count(), part.value)
        else:
            yield part, None, part.value


def exchanges_of_list(capture: Capture, part: Node, *, messages: bool = False) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of a list of pairs, or nothing if the part is no list. For ``messages``, see :func:`pair`."""
    if isinstance(part.value, list):
        yield from exchanges_of_pairs(capture, [part], messages=messages)


def exchanges_of_halves(capture: Capture, requests: Node, responses: Node) -> Iterator[Exchange | Skipped]:
    """Yield exchanges from a list of requests and a list of responses, which are in the same order."""
    for number, (request, response) in enumerate(zip_longest(requests.items(), responses.items())):
        yield _exchange_of_halves(capture, number, request or response, request, response)


@skip_unreadable
def _exchange_of_halves(
    capture: Capture, number: int, part: Node, request: Node | None, response: Node | None
) -> Exchange | Skipped:
    """Return the exchange of a request and its response; ``part`` is the one of them that is there, or the request."""
    halves = (RecordedMessage() if half is None else message(half, capture.budget) for half in (request, response))
    return exchange_of_messages(capture, number, part, *halves)


def pair(capture: Capture, number: int, part: Node, *, messages: bool = False) -> Exchange | Skipped:
    """Return the exchange of a pair or of a definition, or a :class:`Skipped`. Raises :class:`Unreadable`.

    ``messages`` says that both halves are HTTP messages, even if only a body is left of them.
    """
    if is_definition(part.value):
        return definition(capture, number, part)
    whole = Properties(part)
    if not whole.holds_a_part() and not whole.has(*REQUESTS, *RESPONSES):
        return exchange_of_messages(capture, number, part, RecordedMessage(), RecordedMessage())
    request = _request_in(capture, whole, messages=messages)
    response = _response_in(capture, whole, messages=messages)
    if request.url is None:
        request = replace(request, url=url_of(whole) or response.url)
    own_body = request_in(part) if request.body is None else None
    if own_body is not None:
        request = replace(request, body=own_body)
    found = exchange_of_messages(capture, number, part, request, response)
    if not isinstance(found, Exchange):
        return found
    if own_body is not None:
        found = replace(found, gathered=True)
    is_bare = response.status is None and response.content_type is None
    if is_bare and isinstance(whole.get(*RESPONSES).value, str) and isinstance(found.response, Body):
        return Skipped(file=capture.name, number=number, why=ONLY_TEXT)
    return with_stream(part, found)


def _request_in(capture: Capture, whole: Properties, *, messages: bool) -> RecordedMessage:
    """Return the request of a pair: its half, or its parts in the pair itself, or the request that the response holds.

    Raises :class:`Unreadable`.
    """
    request = _half(capture, whole, "request", messages=messages)
    if request is None:
        request = message(whole.node, capture.budget, "request")
        is_own = request.method is not None or whole.has("requestbody")
        request = request if is_own else replace(request, body=None)
    elif request.body is None:
        request = replace(request, body=read_body(whole.get("requestbody"), None, capture.budget))
    if request.body is None and (inner := _request_within(capture, whole.get(*RESPONSES))) is not None:
        return inner
    return request if request.body is not None else replace(request, body=_body_beside(capture, whole.node, "request"))


def _response_in(capture: Capture, whole: Properties, *, messages: bool) -> RecordedMessage:
    """Return the response of a pair: its half, or its parts in the pair itself. Raises :class:`Unreadable`."""
    part = whole.node
    response = _half(capture, whole, "answer", messages=messages)
    if response is None:
        response = message(part, capture.budget, "response")
        is_own = response.status is not None or whole.has("responsebody")
        response = response if is_own else RecordedMessage()
    if response.body is None:
        pieces = whole.get("chunks")
        body = pieces.joined() if pieces.value == [] else read_body(pieces, None, capture.budget)
        response = replace(response, body=body)
    if _is_blank(response.body) and (beside := _body_beside(capture, part, "answer")) is not None:
        response = replace(response, body=beside)
    if response.status is None:
        response = replace(response, status=whole.get("status").integer())
    if response.content_type is None:
        response = replace(response, content_type=whole.get("contenttype").string())
    return response


def _body_beside(capture: Capture, part: Node, role: Role) -> http.Answer:
    """Return the body of a half that stands in its pair under any other name, or ``None``."""
    name = body_name(part.value, role) if part.document.may_hold_answers else None
    return None if name is None else read_body(part.get(name), None, capture.budget)


def _is_blank(body: http.Answer) -> bool:
    """Return whether nothing is in a body, as in what recorders write that keep the events of a stream in a list."""
    return body is None or (isinstance(body, Text) and not body.data.strip())


def _request_within(capture: Capture, response: Node) -> RecordedMessage | None:
    """Return the request that a recorded response holds, or ``None`` if it holds none."""
    inner = (response.get(name) for name in _WITHIN_RESPONSES)
    found = next((one for one in inner if is_message(one.value)), None)
    return None if found is None else message(found, capture.budget, role="request")


def exchange_of_messages(
    capture: Capture, number: int, part: Node, request: RecordedMessage, response: RecordedMessage
) -> Exchange | Skipped:
    """Return the exchange that a recorded request and a recorded response make. ``part`` is where they are recorded."""
    dumped = dumps.payload_in(response.body) if isinstance(response.body, Node) else None
    if dumped is not None:
        response = replace(response, body=dumped)
        if isinstance(request.body, Node):
            request = replace(request, body=replace(request.body, value=dumps.sent_arguments(request.body.value)))
    found = http.exchange_of_part(capture, number, part, request, response)
    if not isinstance(found, Exchange):
        return found
    if dumped is None and (other := _other_document(response)) is not None:
        return Skipped(file=capture.name, number=number, why=Why(f"the answer is {other}", Cause.OTHER))
    is_refused = isinstance(found.response, Payload) and found.response.kind == "error"
    if isinstance(request.body, Node) and _describes_request(request.body.value) and not is_refused:
        if found.response is None:
            return Skipped(file=capture.name, number=number, why=NEITHER)
        found = replace(found, request=None)
    return found if dumped is None else replace(found, dumped=True)


def _describes_request(value: object) -> bool:
    """Return whether an object in the place of a request is none: it has no property of a request.

    It says in a way of its own what was sent, or which requests a mock server answers. But what a server refused may
    have been sent like that.
    """
    return isinstance(value, dict) and bool(value) and value.keys().isdisjoint(REQUEST_PROPERTIES)


def _half(capture: Capture, whole: Properties, role: Role, *, messages: bool) -> RecordedMessage | None:
    """Return a half of a pair, an HTTP message or a body alone, or ``None`` if the pair has no property for it.

    If it has none, the parts of the half may stand in the pair itself: those of a request beside a method, those of a
    response beside a status, and both under names that begin with that of the half.
    """
    names = REQUESTS if role == "request" else RESPONSES
    half = whole.get(*names)
    value = half.value
    if value is None:
        return RecordedMessage() if whole.has(*names) else None
    if (
        messages
        or half.at[-1] == "init"
        or is_half(value)
        or (role == "answer" and describes_response(value))
        or (role == "request" and isinstance(value, dict) and value.get("method") in _METHODS)
        or (isinstance(value, dict) and "body" in value and kind_of(value) is None)
        or (not dumps.is_dump(value) and body_name(value, role) is not None)
    ):
        return message(half, capture.budget, role=role)
    return RecordedMessage(body=read_body(half, None, capture.budget))


def _other_document(response: RecordedMessage) -> str | None:
    """Name what a recorder made of an answer, or return ``None`` if it is the answer itself, or not known.

    Beside a status or a content type stands what was sent, except objects of a client library.
    """
    if not isinstance(response.body, Node):
        return None
    value, is_recorded = response.body.value, response.status is not None or response.content_type is not None
    if is_recorded and not dumps.is_of_library(value):
        return None
    first = value[0] if isinstance(value, list) and value else value
    return others.other_kind(first) if isinstance(first, dict) and kind_of(first) is None else None
