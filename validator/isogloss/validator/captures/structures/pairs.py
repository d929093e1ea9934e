"""Read HTTP pairs: a request and its response, side by side in JSON or YAML, recognised by their structure.

A pair is an object with the properties ``request`` and ``response``. One of them may be missing. At least one is an
HTTP message (:mod:`.objects.messages`), and the other may be only a body. Names are compared without case, and may
begin with ``http``. A pair may be a whole document, an item of an array, in an array or an object that is a property of
some object, or on a line of JSON Lines. All sources were read in 2026-11. These programs write such pairs:

* vcrpy, pydantic-ai, go-vcr, Symfony AI, Ruby VCR, Betamax and req_cassette (hexdocs.pm/req_cassette,
  ``ReqCassette.Cassette``, 0.6.0): lists of interactions;
* ExVCR (lib/exvcr/json.ex of parroty/exvcr): an array; bodies that are ``binary`` are Base64 of an Erlang term;
* EasyVCR (EasyVCR.Tests/cassettes of EasyPost/easyvcr-csharp): an array, with names like ``RequestHeaders``;
* the VCR of Datadog's test agent (ddapm_test_agent/vcr_proxy.py of DataDog/dd-apm-test-agent): one object;
* ReqLLM (test/support/fixtures of neilberkman/req_llm): one object, with the ``chunks`` of a stream beside the halves;
* Mastra (packages/_llm-recorder of mastra-ai/mastra): an array, with ``chunks`` in the response;
* talkback (4.2.0, npm): ``req`` and ``res``, in JSON5, with a body in Base64 unless it is JSON;
* requests-cache (1.3.3, PyPI), in JSON: the ``request`` beside the parts of the response, its body as
  ``_decoded_content``;
* Hoverfly (docs/pages/simulations/basic-simulation.json of SpectoLabs/hoverfly): ``data.pairs``;
* MockServer (org/mockserver/model/schema of mock-server/mockserver): ``httpRequest`` and ``httpResponse``;
* Hoppscotch (packages/hoppscotch-data/src/rest-request-response of hoppscotch/hoppscotch): saved responses, each with
  its ``originalRequest``;
* Mockoon (packages/commons/src/models/route.model.ts of mockoon/mockoon): routes, each with its ``responses``;
* undici's ``SnapshotAgent`` (lib/mock/snapshot-recorder.js of nodejs/undici): a ``request`` with its ``responses``;
* llama-swap (``ReqRespCapture`` in proxy/metrics_monitor.go of mostlygeek/llama-swap): one object for each exchange,
  with ``req_path``, ``req_body``, ``resp_body`` and so on, its bodies in Base64;
* httpyac (src/models/httpResponse.ts of AnWeber/httpyac) and axios (the section "Response Schema" of its README.md): a
  response with its ``request``, or with its ``config``;
* govcr (cassette/track/http.go of seborama/govcr): ``Tracks``, with URLs in parts and bodies in Base64, as Go writes
  them into JSON;
* ngrok, Caido, Nuclei, Mocket, goflow and others: messages as they are on the wire, as text or in Base64, in place of a
  half or in its ``raw`` (https://ngrok.com/docs/agent/api); Tyk, as ``raw_request`` and ``raw_response``
  (https://tyk.io/docs/api-management/logs/traffic-logs);
* huggingface.js (packages/inference/test/vcr.ts of huggingface/huggingface.js): an object of tapes; in place of a
  request, each has the ``url`` and, as ``init``, the options that ``fetch`` was called with;
* the test proxy of OpenAI's and Azure's libraries: one object for each entry, with ``RequestUri``, ``ResponseBody`` and
  so on;
* Envoy's tap filter (api/envoy/data/tap/v3/http.proto of envoyproxy/envoy): ``http_buffered_trace``;
* Llama Stack: see :mod:`isogloss.validator.captures.bodies.dumps`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count, repeat, zip_longest
from typing import Any

from msgspec.structs import replace

from isogloss.validator.captures import http
from isogloss.validator.captures.bodies import dumps
from isogloss.validator.captures.bodies.from_json import is_on_wire, read_body
from isogloss.validator.captures.capture import MOST_SKIPPED, Capture, Unreadable, skip_unreadable
from isogloss.validator.captures.document import Node
from isogloss.validator.captures.http import RecordedMessage
from isogloss.validator.captures.names import normalised_name, normalised_names
from isogloss.validator.captures.structures.objects.definitions import definition, is_definition
from isogloss.validator.captures.structures.objects.halves import Role, body_name
from isogloss.validator.captures.structures.objects.messages import (
    Properties,
    describes_response,
    is_envelope,
    is_message,
    message,
)
from isogloss.validator.captures.structures.relations.folded import with_stream
from isogloss.validator.captures.traffic import NEITHER, ONLY_TEXT, is_chat_path
from isogloss.validator.exchange import Body, Cause, Exchange, Payload, Response, Skipped, Stream, Why
from isogloss.validator.kinds import is_stream, kind_of, others
from isogloss.validator.kinds.marks import REQUEST_PROPERTIES
from isogloss.validator.text import Text

__all__ = [
    "exchange_of_messages", "exchanges_of_halves", "exchanges_of_list", "exchanges_of_pairs", "has_responses",
    "holds_pairs", "is_pair", "lone_response", "pair",
]  # fmt: skip

_REQUESTS = ("request", "httprequest", "originalrequest", "req", "init", "rawrequest")
_RESPONSES = ("response", "httpresponse", "res", "resp", "rawresponse")
_HALVES = ("request", "httprequest", "originalrequest", "response", "httpresponse")
_ON_WIRE = ("rawrequest", "rawresponse")
"""Names that are halves of a pair only if these are as they are on the wire: under them, gateways keep bodies, too."""
_WITHIN_RESPONSES = ("request", "config")
"""Names under which the response of a client library has the request that it answers: ``config`` in axios."""
_SHORT_HALVES = frozenset({"req", "res", "resp"})
"""Names that are halves of a pair only together: each of them alone stands beside anything."""
_RESPONSE_NAMES = frozenset({*_RESPONSES, "responsebody", "originalrequest"})
"""Names in pairs that have a response. An original request stands in the response that it got."""
_FLAT_BODIES = frozenset({"requestbody", "responsebody"})
_FLAT_REQUESTS = frozenset({"requesturi", "requesturl", "requestpath", "requestmethod"})
_PAIR_NAMES = frozenset({*_HALVES, *_ON_WIRE, *_SHORT_HALVES, *_FLAT_BODIES, "url", "uri", "path"})
"""Normalised names of properties. Every pair has at least one of them."""
_RESPONSE_PARTS = frozenset({
    "body", "bodyasjson", "bodyjson", "header", "headers", "json", "parsedbody", "rawheaders",
})  # fmt: skip
_NO_OBJECT = Why("not an object, as a pair of request and response is", Cause.OTHER)
_METHODS = ("POST", "post", "GET", "get")
"""What shows by itself that an object in the place of a request is no body."""
_MOST_INSPECTED = 20
"""How many objects of a list are inspected to find out what the list holds."""


def is_pair(value: Any) -> bool:
    """Return whether a value is a pair of request and response, or a definition.

    In a pair, one half at least is an HTTP message, or an object of a client library; or the parts of both halves stand
    in the pair itself.
    """
    if not isinstance(value, dict) or "choices" in value:
        return False
    names = normalised_names(value)
    if names.keys().isdisjoint(_PAIR_NAMES):
        return False
    has_content_type = isinstance(value.get("content_type"), str)  # then the response is the body beside it
    for name in _HALVES:
        if name not in names:
            continue
        if dumps.is_dump_or_list(half := value[names[name]]):
            return True
        if _is_half(half):
            return not (has_content_type and isinstance(half, dict) and is_envelope(half, as_sent=True))
    for name in _ON_WIRE:
        if name in names and is_on_wire(value[names[name]]):
            return True
    if "req" in names:
        short = [names[name] for name in _SHORT_HALVES if name in names]
        if len(short) == 2 and all(_is_half(value[name]) for name in short):
            return True
    if not names.keys().isdisjoint(_FLAT_BODIES):
        has_both = "method" in names and len(names.keys() & _FLAT_BODIES) == 2
        if has_both or not names.keys().isdisjoint(_FLAT_REQUESTS):
            return True
    return is_definition(value)


def _is_half(value: object) -> bool:
    """Return whether a value is an HTTP message: an object with its parts, or the text of it on the wire."""
    return is_message(value) or is_on_wire(value)


def holds_pairs(value: Any) -> bool:
    """Return whether a value in a document is a pair, or a list that begins with pairs.

    A pair must have a response here, and a definition a scope or a status. Settings, workflows and documentation hold
    many requests that are still to be filled in, and many responses that nobody got.
    """
    items = value[:_MOST_INSPECTED] if isinstance(value, list) else [value]
    return any(_is_answered(item) or has_responses(item) for item in items)


def lone_response(capture: Capture, number: int, part: Node) -> Exchange | None:
    """Return the exchange of a recorded response by itself, or ``None`` if a value is none.

    It must have a status or the URL of Chat Completions, headers or a ``body``, and an answer of Chat Completions. An
    answer in ``data`` beside a ``code`` alone is an envelope that a server sent.
    """
    if not is_message(part.value) or normalised_names(part.value).keys().isdisjoint(_RESPONSE_PARTS):
        return None
    try:
        response = message(part, capture.budget, role="answer")
        has_status = response.status is not None and 100 <= response.status < 600
        if not has_status and not is_chat_path(http.host_and_path(response.url)[1]):
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


def _is_answered(value: Any) -> bool:
    if not is_pair(value) or _RESPONSE_NAMES.isdisjoint(map(normalised_name, value)):
        return False
    return not is_definition(value) or not value.keys().isdisjoint(("scope", "status", "statusCode"))


def has_responses(value: Any) -> bool:
    """Return whether an object holds one request, and a list of the responses that it got or may get.

    A route of Mockoon has the parts of the request itself. Postman calls the list ``response``.
    """
    if not isinstance(value, dict):
        return False
    listed = value.get("responses")
    if listed is None:
        listed = value.get("response")
    if not isinstance(listed, list):
        return False
    has_request = "endpoint" in value or is_message(value.get("request"))
    return has_request and any(map(is_message, listed))


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
    if not whole.holds_a_part() and not whole.has(*_REQUESTS, *_RESPONSES):
        return exchange_of_messages(capture, number, part, RecordedMessage(), RecordedMessage())
    request = _request_in(capture, whole, messages=messages)
    response = _response_in(capture, whole, messages=messages)
    if request.url is None:
        request = replace(request, url=whole.string("url", "uri", "path") or response.url)
    found = exchange_of_messages(capture, number, part, request, response)
    if not isinstance(found, Exchange):
        return found
    is_bare = response.status is None and response.content_type is None
    if is_bare and isinstance(whole.get(*_RESPONSES).value, str) and isinstance(found.response, Body):
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
    if request.body is None and (inner := _request_within(capture, whole.get(*_RESPONSES))) is not None:
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
            request = replace(request, body=dumps.arguments(request.body))
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
    names = _REQUESTS if role == "request" else _RESPONSES
    half = whole.get(*names)
    value = half.value
    if value is None:
        return RecordedMessage() if whole.has(*names) else None
    if (
        messages
        or half.at[-1] == "init"
        or _is_half(value)
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
