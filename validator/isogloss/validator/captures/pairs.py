"""Read HTTP pairs: a request and its response, side by side in JSON or YAML, recognised by their structure.

A pair is an object with the members ``request`` and ``response``, of which one may be missing, and one at least is an
HTTP message (:mod:`.messages`): the other may be a body alone. Names count whatever their case, and with ``http`` in
front. It stands by itself, in an array, in a list or object under some member of an object, or on a line of JSON Lines.
Sources were read in 2026-11. What these write is such a pair:

* vcrpy, pydantic-ai, go-vcr, Symfony AI, Ruby VCR, Betamax and req_cassette (hexdocs.pm/req_cassette,
  ``ReqCassette.Cassette``, 0.6.0): lists of interactions;
* ExVCR (lib/exvcr/json.ex of parroty/exvcr): an array; bodies that are ``binary`` are Base64 of an Erlang term;
* EasyVCR (EasyVCR.Tests/cassettes of EasyPost/easyvcr-csharp): an array, with names like ``RequestHeaders``;
* the VCR of Datadog's test agent (ddapm_test_agent/vcr_proxy.py of DataDog/dd-apm-test-agent): one object;
* ReqLLM (test/support/fixtures of neilberkman/req_llm): one object, with the ``chunks`` of a stream beside the halves;
* Mastra (packages/_llm-recorder of mastra-ai/mastra): an array, with ``chunks`` in the response;
* Hoverfly (docs/pages/simulations/basic-simulation.json of SpectoLabs/hoverfly): ``data.pairs``;
* MockServer (org/mockserver/model/schema of mock-server/mockserver): ``httpRequest`` and ``httpResponse``;
* Mockoon (packages/commons/src/models/route.model.ts of mockoon/mockoon): routes, each with its ``responses``;
* huggingface.js (packages/inference/test/vcr.ts of huggingface/huggingface.js): an object of tapes, each with the
  ``url`` and, as ``init``, what ``fetch`` was called with, in place of a request;
* the test proxy of OpenAI's and Azure's libraries: one object an entry, ``RequestUri``, ``ResponseBody`` and so on;
* Llama Stack: see :mod:`.dumps`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count, repeat, zip_longest
from typing import Any

from isogloss.validator.captures import dumps, http
from isogloss.validator.captures.bodies import read_body
from isogloss.validator.captures.capture import MOST_SKIPPED, Capture, Unreadable
from isogloss.validator.captures.definitions import definition, is_definition
from isogloss.validator.captures.document import Node
from isogloss.validator.captures.messages import Half, Message, folded, folded_names, is_message, message
from isogloss.validator.exchange import Exchange, Payload, Skipped
from isogloss.validator.kinds import kind_of, others
from isogloss.validator.text import Text

__all__ = ["each", "halves", "is_pair", "listed", "pair", "within"]

_REQUESTS = ("request", "httprequest", "init")
_RESPONSES = ("response", "httpresponse")
_HALVES = (*_REQUESTS[:2], *_RESPONSES)
_ANSWERS = frozenset({*_RESPONSES, "responsebody"})
_FLAT_BODIES = frozenset({"requestbody", "responsebody"})
_FLAT_ABOUT = frozenset({"requesturi", "requesturl", "requestmethod"})
_TELLING = frozenset({*_HALVES, *_FLAT_BODIES, "url", "uri", "path"})
"""Names without their case; every pair has at least one of them."""
_NO_OBJECT = "no object, as a pair of request and response is"
_DEEPEST = 2
_LOOKED_AT = 20
"""How many objects of a list are looked at for what the list holds."""


def is_pair(value: Any) -> bool:
    """Return whether a value is a pair of request and response, or a definition.

    In a pair, one half at least is an HTTP message, or an object of a client library; or the parts of both halves stand
    in the pair itself.
    """
    if not isinstance(value, dict) or "choices" in value:
        return False
    names = folded_names(value)
    if names.keys().isdisjoint(_TELLING):
        return False
    for name in _HALVES:
        if name in names and (is_message(half := value[names[name]]) or dumps.is_dumped(half)):
            return True
    if not names.keys().isdisjoint(_FLAT_BODIES) and not names.keys().isdisjoint(_FLAT_ABOUT):
        return True
    return is_definition(value)


def within(part: Node, deepest: int = _DEEPEST) -> Iterator[Node]:
    """Yield the pairs and the lists of pairs that an object holds: as its properties, or at most one object further in.

    A pair must have a response here, and a definition a scope or a status. Settings, workflows and documentation hold
    many requests that are still to be filled in, and many responses that nobody got.
    """
    for name, value in part.value.items() if isinstance(part.value, dict) else ():
        if not isinstance(value, dict | list):
            continue
        held = part.member(name)
        if isinstance(value, list):
            if any(_is_answered(one) or _is_route(one) for one in value[:_LOOKED_AT]):
                yield held
        elif _is_answered(value):
            yield held
        elif deepest > 1:
            yield from within(held, deepest - 1)


def _is_answered(value: Any) -> bool:
    if not is_pair(value) or _ANSWERS.isdisjoint(map(folded, value)):
        return False
    return not is_definition(value) or not value.keys().isdisjoint(("scope", "status", "statusCode"))


def _is_route(value: Any) -> bool:
    """Return whether an object is a route of Mockoon: one request, and all the responses that it may get."""
    if not isinstance(value, dict) or "endpoint" not in value or not isinstance(value.get("responses"), list):
        return False
    return any(is_message(response) for response in value["responses"])


def each(
    capture: Capture, parts: Iterable[Node], number: int = 0, *, messages: bool = False
) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of pairs and of lists of pairs, numbered in order. For ``messages``, see :func:`pair`."""
    skipped = 0
    for part, position, value in _items(parts):
        if not isinstance(value, dict):  # no node is made of it: a list may have a million of them
            skipped += 1
            if skipped <= MOST_SKIPPED:
                yield Skipped(file=capture.name, number=number, reason=_NO_OBJECT)
            number += 1
            continue
        item = part if position is None else part.item(position)
        routed = item.member("responses").items() if _is_route(item.value) else (None,)
        for response in routed:
            try:
                if response is None:
                    yield pair(capture, number, item, messages=messages)
                else:
                    asked = message(item, capture.budget)._replace(body=None)
                    yield _exchange(capture, number, response, asked, message(response, capture.budget))
            except Unreadable as error:
                yield Skipped(file=capture.name, number=number, reason=str(error))
            number += 1
    if skipped > MOST_SKIPPED:
        yield Skipped(file=capture.name, number=number, reason=_NO_OBJECT, parts=skipped - MOST_SKIPPED)


def _items(parts: Iterable[Node]) -> Iterator[tuple[Node, int | None, Any]]:
    """Yield each item of the parts that are lists, with its list and its position, and each of the other parts."""
    for part in parts:
        if isinstance(part.value, list):
            yield from zip(repeat(part), count(), part.value)
        else:
            yield part, None, part.value


def listed(capture: Capture, part: Node, *, messages: bool = False) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of a list of pairs, or nothing if the part is no list. For ``messages``, see :func:`pair`."""
    if isinstance(part.value, list):
        yield from each(capture, [part], messages=messages)


def halves(capture: Capture, requests: Node, responses: Node) -> Iterator[Exchange | Skipped]:
    """Yield exchanges from a list of requests and a list of responses, which are in the same order."""
    for number, (asked, answered) in enumerate(zip_longest(requests.items(), responses.items())):
        try:
            sent, got = (Message() if one is None else message(one, capture.budget) for one in (asked, answered))
            yield _exchange(capture, number, asked or answered, sent, got)
        except Unreadable as error:
            yield Skipped(file=capture.name, number=number, reason=str(error))


def pair(capture: Capture, number: int, part: Node, *, messages: bool = False) -> Exchange | Skipped:
    """Return the exchange of a pair or of a definition, or a :class:`Skipped`. Raises :class:`Unreadable`.

    ``messages`` says that both halves are HTTP messages, even if only a body is left of them.
    """
    if not isinstance(part.value, dict):
        raise Unreadable(_NO_OBJECT)
    if is_definition(part.value):
        return definition(capture, number, part)
    whole = Half(part)
    if not whole.holds_a_part() and not whole.names(*_REQUESTS, *_RESPONSES):
        return _exchange(capture, number, part, Message(), Message())
    asked = _half(capture, whole, _REQUESTS, messages=messages)
    answered = _half(capture, whole, _RESPONSES, messages=messages)
    if asked is None:
        asked = message(part, capture.budget, "request")
        asked = asked if asked.method is not None else asked._replace(body=None)
    if answered is None:
        answered = message(part, capture.budget, "response")
        answered = answered if answered.status is not None else Message()
    if answered.body is None:
        answered = answered._replace(body=read_body(whole.member("chunks"), None, capture.budget))
    if asked.url is None:
        asked = asked._replace(url=whole.word("url", "uri", "path"))
    if answered.status is None:
        answered = answered._replace(status=whole.member("status").integer())
    if answered.content_type is None:
        answered = answered._replace(content_type=whole.member("contenttype").string())
    return _exchange(capture, number, part, asked, answered)


def _exchange(capture: Capture, number: int, part: Node, asked: Message, answered: Message) -> Exchange | Skipped:
    body = answered.body
    dumped = dumps.payload_in(body) if isinstance(body, Node) else None
    request: Payload | Text | None = asked.body if isinstance(asked.body, Text) else None
    if isinstance(asked.body, Node):
        request = (asked.body if dumped is None else dumps.arguments(asked.body)).payload("request")
    found = http.exchange(
        file=capture.name,
        number=number,
        text=part.document.text,
        at=part.at,
        request=request,
        response=body if dumped is None else dumped,
        url=asked.url,
        method=asked.method,
        status=answered.status,
        content_type=answered.content_type,
        dumped=dumped is not None,
    )
    if isinstance(found, Exchange) and dumped is None and isinstance(body, Node) and (name := _kept_as(body)):
        return Skipped(file=capture.name, number=number, reason=f"the answer is {name}")
    return found


def _half(capture: Capture, whole: Half, names: tuple[str, ...], *, messages: bool) -> Message | None:
    """Return a half of a pair, an HTTP message or a body alone, or ``None`` if the pair has no property for it.

    If it has none, the parts of the half may stand in the pair itself: those of a request beside a method, those of a
    response beside a status.
    """
    half = whole.member(*names)
    if half.value is None:
        return Message() if whole.names(*names) else None
    if messages or is_message(half.value) or half.at[-1] == "init":
        return message(half, capture.budget)
    if isinstance(half.value, dict) and "body" in half.value and kind_of(half.value) is None:
        return message(half, capture.budget)
    return Message(body=read_body(half, None, capture.budget))


def _kept_as(body: Node) -> str | None:
    """Name what a recorder made of an answer, or return ``None`` if it is the answer itself, or not known."""
    first = body.value[0] if isinstance(body.value, list) and body.value else body.value
    return others.names(first) if isinstance(first, dict) and kind_of(first) is None else None
