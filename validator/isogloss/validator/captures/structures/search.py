"""Search a JSON value of an unknown layout for exchanges, by the content of its values.

Logs, tracers, mock servers and test suites write exchanges under names of their own: ``req`` and ``res``, ``input`` and
``expected``, ``traces[].spans[].attributes``. The names do not count here. An object is read if it holds

* an HTTP pair, or a list of pairs (:mod:`.pairs`);
* a request of Chat Completions, and beside it the answer, or a list of answers: as objects, as JSON text, or as the
  text of events; or each of them one object further in, beside its status; or as many requests as answers, in order;
* an answer, and beside it the messages that it answers, without a model: then the request is not read; or the text or
  the calls of the answer once more, as a program that took them out of it writes them;
* the events of a whole stream in a list, as test suites keep them, whatever is beside it;
* an answer, and beside it a time, as structured logs write them, or the number of a request, as in results of a batch;
* an answer in an object with the id of a request in a batch;
* a recorded response by itself, with its status or the URL, whose body is an answer of Chat Completions;
* the properties of a request themselves and, beside them, the answer, if the object has ``messages``;
* nothing but answers, two or more, each under a name of its own, if this is the outermost object.

Where an object holds several requests, :mod:`.relations.requests_of_answers` says which one an answer belongs to, and
:mod:`.relations.copies` which answers are the same. What is read as a pair or a record may hold more exchanges in its
other properties.

A request alone is not read: settings, workflows and documentation hold many that are still to be filled in. Nor is any
other answer alone that stands among other properties, as an example in documentation does. Nobody knows whether an
unknown program kept the bodies as they were sent, so rules about what was sent are not applied to them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from msgspec.structs import replace

from isogloss.validator.captures import http
from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.document import Node, decoded
from isogloss.validator.captures.mapping import Mapping
from isogloss.validator.captures.names import OF_SPANS, normalised_name, normalised_names
from isogloss.validator.captures.structures import pairs
from isogloss.validator.captures.structures.objects.halves import (
    IDS_IN_BATCHES,
    Half,
    Halves,
    Roles,
    halves_in,
    is_json_with,
    is_part,
    is_recorded,
    payload_kind,
)
from isogloss.validator.captures.structures.objects.mapped import decode_text, follow, read_mapped
from isogloss.validator.captures.structures.relations import copies
from isogloss.validator.captures.structures.relations.folded import with_stream
from isogloss.validator.captures.structures.relations.requests_of_answers import with_requests
from isogloss.validator.captures.traffic import NEITHER, is_chat_path
from isogloss.validator.exchange import NO_PROBE, Exchange, Payload, Skipped, Why
from isogloss.validator.kinds import kind_of
from isogloss.validator.kinds.marks import REQUEST_PROPERTIES

__all__ = [
    "answer_alone_in", "answer_beside_request", "exchanges_of_record", "exchanges_within", "half_of",
    "may_hold_exchanges", "with_model_beside",
]  # fmt: skip

_DEEPEST = 64
_DEEPEST_OF_OTHERS = 2
_MOST_INSPECTED = 1_000_000
"""How many objects and arrays of one value are inspected, at most. A million takes up to ten seconds."""
_MOST_COMPARED = 8
"""Copies are searched for among at most so many answers in an object."""
_HALVES = frozenset({"chunks", "init", "req", "res", "resp", "sse"})
_BEGINNINGS_OF_HALVES = ("request", "response", "httprequest", "httpresponse")
"""Normalised names of properties that hold a half of a pair or a part of one, and beginnings of such names."""
_DEEPEST_LOOK = 8
"""How deep what stands beside a pair is looked through before it is searched."""
_MOST_NAMES = 1024
_STATUSES = ("status", "statuscode", "responsestatus", "responsestatuscode", "httpstatus", "code")
_URLS = ("url", "uri", "requesturl", "requesturi", "endpoint", "path", "requestpath")
_MODELS = ("model", "modelid", "modelname", "deployment", "deploymentid", "deploymentname")
_Inner: TypeAlias = Iterator[tuple[Node, Roles | None]]
"""Objects and arrays that are still to be searched, with the roles of what they hold if these are known already."""


def may_hold_exchanges(part: Node, why: Why) -> bool:
    """Return whether a value that is not read otherwise, for this reason, has to be searched.

    A pair is other traffic, but if it has no bodies, they may stand elsewhere in it.
    """
    if pairs.is_pair(part.value):
        return why == NEITHER and part.document.may_hold_answers
    if isinstance(part.value, dict) and not part.document.may_hold_answers:
        containers = (inner for inner in part.value.values() if isinstance(inner, dict | list))
        return next(containers, None) is not None
    return True


def answer_beside_request(capture: Capture, number: int, part: Node) -> Exchange | Skipped | None:
    """Return the exchange of an object with the properties of a request and, under any other name, its answer.

    Only the properties that the reference knows are read as the request. If just one other property holds a request,
    that one is read. The first of several answers counts. Return ``None`` for any other object.
    """
    if not isinstance(part.value.get("messages"), list):
        return None
    properties = {name: value for name, value in part.value.items() if name in REQUEST_PROPERTIES}
    halves = halves_in({name: one for name, one in part.value.items() if name not in properties})
    if not halves.answers:
        return None
    request = halves.requests[0] if len(halves.requests) == 1 else None
    own_request = None
    if request is None and kind_of(properties) == "request":
        own_request = replace(part, value=properties).payload("request")
    answers = halves.answers[:_MOST_COMPARED]
    found = [_exchange(capture, number, part, request, one, own_request) for one in answers]
    return copies.original(found, [one.path for one in answers])


def exchanges_of_record(capture: Capture, number: int, part: Node, found: Exchange) -> Sequence[Exchange | Skipped]:
    """Return all exchanges of a record or a pair. ``found`` is the exchange that its own properties make.

    If that is only one half, the other one may stand under a name of its own, more than once. Other properties may hold
    more exchanges: the other side of a gateway, earlier steps of an agent, or the same request with its answer.
    """
    if found.live or found.probe is not NO_PROBE:
        return [found]
    if found.request is None or (found.response is None and part.document.may_hold_answers):
        halves = halves_in(part.value)
        whole = list(_exchanges(capture, number, part, halves)) if len(halves.requests) == 1 else []
        if any(isinstance(one, Exchange) for one in whole):
            return whole
    found = found if part.value.keys().isdisjoint(OF_SPANS) else _with_span(part, found)
    found = with_stream(part, found)
    found, beside = _with_those_beside(capture, number, part, found)
    if found.response is None and any(one.request is not None and copies.is_same_request(one, found) for one in beside):
        return [replace(one, number=position) for position, one in enumerate(beside, number)]
    return [found, *beside]


def _with_those_beside(
    capture: Capture, number: int, part: Node, found: Exchange
) -> tuple[Exchange, Sequence[Exchange]]:
    """Return the exchange of a pair, and those in the properties that are not its halves, except copies of it.

    If one of these properties holds its answer as it was received, the exchange gets that answer.
    """
    beside = {name: value for name, value in part.value.items() if not _is_of_half(name)}
    if not _may_hold_answer([beside]):
        return found, ()
    if found.http.content_type is None and isinstance(found.response, Payload):
        answers = [one for one in halves_in(beside).answers[:_MOST_COMPARED] if copies.is_raw(one.path)]
        received = (_exchange(capture, number, part, None, answer) for answer in answers)
        raw = next((one for one in received if isinstance(one, Exchange) and copies.repeats(one, found)), None)
        found = found if raw is None else replace(found, response=raw.response, dumped=True)
    searched = exchanges_within(capture, number, replace(part, value=beside), may_be_pair=True)
    kept = [one for one in searched if isinstance(one, Exchange) and not copies.repeats(one, found)]
    return found, [replace(one, number=position) for position, one in enumerate(kept, number + 1)]


@lru_cache(_MOST_NAMES)
def _is_of_half(name: str) -> bool:
    """Return whether a property with this name holds a half of a pair, or a part of one."""
    normalised = normalised_name(name)
    return normalised in _HALVES or normalised.startswith(_BEGINNINGS_OF_HALVES)


def _may_hold_answer(values: Iterable[object], deeper: int = _DEEPEST_LOOK) -> bool:
    """Return whether the name of choices, or an error, is in one of the values. To search them takes longer."""
    for value in values:
        if isinstance(value, str):
            if "choices" in value or '"error' in value:
                return True
        elif isinstance(value, dict):
            if not deeper or "choices" in value or isinstance(value.get("error"), dict):
                return True
            if _may_hold_answer(value.values(), deeper - 1):
                return True
        elif isinstance(value, list) and (not deeper or _may_hold_answer(value, deeper - 1)):
            return True
    return False


def half_of(capture: Capture, number: int, part: Node) -> Exchange | None:
    """Return the exchange of an object that holds one request alone or one answer alone, else ``None``.

    By itself, such an object is not read: another one must hold the other half. Each may be there several times.
    """
    halves = halves_in(part.value)
    if bool(halves.requests) == bool(halves.answers):
        return None
    if halves.answers:
        several = list(_exchanges(capture, number, part, halves))
        found = several[0] if len(several) == 1 else None
    else:
        request, *others = halves.requests
        if not all(copies.asks_the_same(decoded(request.value), decoded(one.value)) for one in others):
            return None
        mapping = Mapping(request=request.path, path=_path_of(part.value, request, _URLS, _is_chat_url), as_sent=False)
        found = read_mapped(capture.name, number, part, mapping, request=_request_with_model(part, request))
    return found if isinstance(found, Exchange) else None


def answer_alone_in(capture: Capture, number: int, part: Node) -> Exchange | None:
    """Return the exchange of an object that holds no request and one answer, which is no error, else ``None``."""
    halves = halves_in(part.value)
    is_kept = is_recorded(part.value, halves, alone=False, in_batch=True) and not is_part(halves.answers[0].value)
    return half_of(capture, number, part) if is_kept else None


def exchanges_within(
    capture: Capture, number: int, part: Node, *, may_be_pair: bool = False
) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges that a value of an unknown layout holds, in order. The first gets the given number.

    ``may_be_pair`` says that the value itself may be a pair.
    """
    may_hold_answers = part.document.may_hold_answers
    deepest = _DEEPEST if may_hold_answers else _DEEPEST_OF_OTHERS
    open_containers: list[_Inner] = [iter([(part, None)])]  # the innermost is the last one
    around: list[tuple[int, Exchange]] = []  # what the objects around the next one hold, and how deep they are
    batch: int | None = None  # how deep the result of a batch is that the next one is in
    inspected = 0
    while open_containers:
        node, roles = next(open_containers[-1], (None, None))
        if node is None:
            open_containers.pop()
            continue
        inspected += 1
        if inspected > _MOST_INSPECTED:
            why = Why(
                f"more than {_MOST_INSPECTED:,} objects and arrays in an unknown layout: the others are not searched"
            )
            yield Skipped(file=capture.name, number=number, why=why)
            return
        while around and around[-1][0] >= len(open_containers):
            around.pop()
        if batch is not None and len(open_containers) <= batch:
            batch = None
        if batch is None and isinstance(node.value, dict) and not IDS_IN_BATCHES.isdisjoint(node.value):
            batch = len(open_containers)
        is_outermost = node is part and not may_be_pair
        found, inner = _read(
            capture,
            number,
            node,
            roles,
            answers=may_hold_answers,
            is_outermost=is_outermost,
            in_batch=batch is not None,
        )
        outer = around.copy()
        for one in found:
            if isinstance(one, Exchange):
                if any(copies.is_same(one, other) for _, other in outer):
                    continue
                if len(around) < _MOST_COMPARED:
                    around.append((len(open_containers), one))
            yield one if one.number == number else replace(one, number=number)
            number += one.parts if isinstance(one, Skipped) else 1
        if len(open_containers) <= deepest:
            open_containers.append(inner)


def _read(
    capture: Capture,
    number: int,
    node: Node,
    roles: Roles | None,
    *,
    answers: bool,
    is_outermost: bool,
    in_batch: bool,
) -> tuple[Iterable[Exchange | Skipped], _Inner]:
    """Return the exchanges that an object or array is read as, and what is still to be searched in it.

    ``answers`` says that there may be answers without an HTTP message. Without them, arrays are not searched: those of
    pairs are recognised as a whole.
    """
    value = node.value
    is_object = isinstance(value, dict)
    if is_object and "messages" in value and (row := answer_beside_request(capture, number, node)) is not None:
        return [row], iter(())
    if is_object and payload_kind(value) is not None:
        return (), iter(())
    if not is_outermost and pairs.holds_pairs(value):
        return pairs.exchanges_of_pairs(capture, [node], number), iter(())
    if not answers and not is_object:
        return (), iter(())
    if not answers or not is_object:
        return (), _containers_in(node, frozenset(), {})
    halves = halves_in(value, roles)
    is_pair = bool(halves.requests and halves.answers)
    if not is_pair and (response := pairs.lone_response(capture, number, node)) is not None:
        return [response], iter(())
    if not is_recorded(value, halves, alone=is_outermost, in_batch=in_batch):
        return (), _containers_in(node, frozenset(), halves.roles)
    used_names = frozenset(half.name for half in (*halves.requests, *halves.answers))
    return _exchanges(capture, number, node, halves), _containers_in(node, used_names, halves.roles)


def _containers_in(node: Node, used_names: frozenset[str], roles: dict[str, Roles]) -> _Inner:
    """Yield the objects and arrays directly in a value, except those with the used names.

    A string of JSON text that may hold answers counts as what it holds.
    """
    named: Iterable[tuple[Any, Any]] = node.value.items() if isinstance(node.value, dict) else enumerate(node.value)
    for name, value in named:
        if name in used_names:
            continue
        if isinstance(value, dict | list):
            yield Node(node.document, value, (*node.at, name)), roles.get(name)
        elif isinstance(value, str) and is_json_with(value, "choices"):
            inner = decode_text(Node(node.document, value, (*node.at, name)))
            if isinstance(inner.value, dict | list) and inner.document.sound:
                yield inner, None


def _exchanges(capture: Capture, number: int, node: Node, halves: Halves) -> Iterable[Exchange | Skipped]:
    """Return an exchange for each answer in an object, without copies of them in other properties.

    In an object of nothing but answers, none is a copy: somebody wrote each of them down.
    """
    if len(halves.answers) == 1 and len(halves.requests) < 2:  # as in most objects
        return [_exchange(capture, number, node, next(iter(halves.requests), None), halves.answers[0])]
    pairs_of_halves = enumerate(with_requests(halves), number)
    found = (_exchange(capture, position, node, request, answer) for position, (request, answer) in pairs_of_halves)
    names = {answer.name for answer in halves.answers}
    if len(names) < 2 or len(names) == len(node.value) or len(halves.answers) > _MOST_COMPARED:
        return found
    kept = copies.without_copies(list(found), [answer.path for answer in halves.answers])
    return (replace(one, number=position) for position, one in enumerate(kept, number))


def _exchange(
    capture: Capture, number: int, node: Node, request: Half | None, answer: Half, payload: Payload | None = None
) -> Exchange | Skipped:
    mapping = _mapping(node.value, request, answer)
    payload = _request_with_model(node, request) if request is not None else payload
    found = read_mapped(capture.name, number, node, mapping, request=payload)
    return _with_span(node, replace(found, gathered=payload is not None)) if isinstance(found, Exchange) else found


def _with_span(node: Node, found: Exchange) -> Exchange:
    # most captures have no records like these
    from isogloss.validator.captures.structures.relations.spans import with_span

    return with_span(node, found)


def _request_with_model(node: Node, request: Half) -> Payload | None:
    """Return a request without a model with the one that is recorded beside it, or ``None`` if nothing is to be added.

    Where the URL names the model, as on Bedrock, a log keeps it under a name of its own, and the body has none.
    """
    if isinstance(request.value, list) or (isinstance(request.value, dict) and "model" in request.value):
        return None
    return with_model_beside(follow(node, request.path).request(), request.within, node.value)


def with_model_beside(request: Payload | None, *records: dict[str, Any]) -> Payload | None:
    """Return a request without a model with the one that one of the records names, or ``None`` if there is none."""
    if request is None or not isinstance(request.value, dict) or "model" in request.value:
        return None
    for record in records:
        if name := _name_of(record, _MODELS, lambda model: isinstance(model, str) and model != ""):
            model = record[name].rpartition("/")[2] if record[name].startswith("arn:") else record[name]
            return replace(request, value=request.value | {"model": model})
    return None


def _mapping(value: dict[str, Any], request: Half | None, answer: Half) -> Mapping:
    return Mapping(
        request=request.path if request else "",
        response=answer.path,
        status=_path_of(value, answer, _STATUSES, _is_status),
        path=_path_of(value, request, _URLS, _is_chat_url),
        as_sent=False,
    )


def _path_of(
    value: dict[str, Any], half: Half | None, known_names: tuple[str, ...], fits: Callable[[object], bool]
) -> str:
    """Return the path of a property that fits, beside a request or an answer or in the whole object, or nothing."""
    if half is not None and (name := _name_of(half.within, known_names, fits)):
        return half.prefix + name
    return _name_of(value, known_names, fits) or ""


def _name_of(value: dict[str, Any], known_names: tuple[str, ...], fits: Callable[[object], bool]) -> str | None:
    """Return the name of the first property with a known name whose value fits, or ``None`` if there is none."""
    names = normalised_names(value)
    found = (names[name] for name in known_names if name in names)
    return next((name for name in found if fits(value[name])), None)


def _is_status(value: object) -> bool:
    return type(value) is int and 100 <= value < 600


def _is_chat_url(value: object) -> bool:
    return isinstance(value, str) and is_chat_path(http.host_and_path(value)[1])
