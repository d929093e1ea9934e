"""Make exchanges of the requests and the answers that one object holds side by side, whatever their names are.

Where an object holds several requests, :mod:`.relations.requests_of_answers` says which one an answer belongs to, and
:mod:`.relations.copies` which answers are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from msgspec.structs import replace

from isogloss.validator.captures import http
from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.document import Node, decoded
from isogloss.validator.captures.mapping import Mapping
from isogloss.validator.captures.names import Spellings, normalised_names
from isogloss.validator.captures.structures.objects.halves import Half, Halves, halves_in, is_part, is_recorded
from isogloss.validator.captures.structures.objects.mapped import follow, read_mapped
from isogloss.validator.captures.structures.relations import copies
from isogloss.validator.captures.structures.relations.folded import as_folded
from isogloss.validator.captures.structures.relations.requests_of_answers import with_requests
from isogloss.validator.captures.traffic import is_chat_path
from isogloss.validator.exchange import Exchange, Payload, Skipped
from isogloss.validator.kinds import kind_of
from isogloss.validator.kinds.marks import REQUEST_PROPERTIES

__all__ = [
    "MOST_COMPARED", "answer_alone_in", "answer_beside_request", "exchange_of", "exchanges_of", "half_of",
    "with_model_beside", "with_span_of",
]  # fmt: skip

MOST_COMPARED = 8
"""Copies are searched for among at most so many answers in an object."""
_STATUSES = ("status", "statuscode", "responsestatus", "responsestatuscode", "httpstatus", "code")
_URLS = ("url", "uri", "requesturl", "requesturi", "endpoint", "path", "requestpath")
_MODELS = ("model", "modelid", "modelname", "deployment", "deploymentid", "deploymentname")
_Spellings: TypeAlias = dict[int, Spellings]
"""How the names of objects are spelt, by the ``id`` of the object. One object may hold many halves."""


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
    answers = halves.answers[:MOST_COMPARED]
    found = [exchange_of(capture, number, part, request, answer, own_request) for answer in answers]
    return copies.original(found, [answer.path for answer in answers])


def half_of(capture: Capture, number: int, part: Node) -> Exchange | None:
    """Return the exchange of an object that holds one request alone or one answer alone, else ``None``.

    By itself, such an object is not read: another one must hold the other half. Each may be there several times.
    """
    halves = halves_in(part.value)
    if bool(halves.requests) == bool(halves.answers):
        return None
    if halves.answers:
        several = list(exchanges_of(capture, number, part, halves))
        found = several[0] if len(several) == 1 else None
    else:
        request, *others = halves.requests
        if not all(copies.asks_the_same(decoded(request.value), decoded(one.value)) for one in others):
            return None
        path = _path_of(part.value, request, _URLS, _is_chat_url, {})
        mapping = Mapping(request=request.at, path=path, as_sent=False)
        found = read_mapped(capture.name, number, part, mapping, request=_request_with_model(part, request))
    return found if isinstance(found, Exchange) else None


def answer_alone_in(capture: Capture, number: int, part: Node) -> Exchange | None:
    """Return the exchange of an object that holds no request and one answer, which is no error, else ``None``."""
    halves = halves_in(part.value)
    is_kept = is_recorded(part.value, halves, alone=False, in_batch=True) and not is_part(halves.answers[0].value)
    return half_of(capture, number, part) if is_kept else None


def exchanges_of(capture: Capture, number: int, node: Node, halves: Halves) -> Iterable[Exchange | Skipped]:
    """Return an exchange for each answer in an object, without copies of them in other properties.

    In an object of nothing but answers, none is a copy: somebody wrote each of them down.
    """
    if len(halves.answers) == 1 and len(halves.requests) < 2:  # as in most objects
        return [exchange_of(capture, number, node, next(iter(halves.requests), None), halves.answers[0])]
    pairs_of_halves = enumerate(with_requests(halves), number)
    spellings: _Spellings = {}
    found = (
        exchange_of(capture, position, node, request, answer, spellings=spellings)
        for position, (request, answer) in pairs_of_halves
    )
    names = {answer.name for answer in halves.answers}
    if len(names) < 2 or len(names) == len(node.value) or len(halves.answers) > MOST_COMPARED:
        return found
    kept = copies.without_copies(list(found), [answer.path for answer in halves.answers])
    return (replace(one, number=position) for position, one in enumerate(kept, number))


def exchange_of(
    capture: Capture,
    number: int,
    node: Node,
    request: Half | None,
    answer: Half,
    payload: Payload | None = None,
    *,
    spellings: _Spellings | None = None,
) -> Exchange | Skipped:
    """Return the exchange of an answer in an object, and of its request: one beside it, or a payload that is given.

    ``spellings`` are those that were read for other answers in the object.
    """
    mapping = _mapping(node.value, request, answer, {} if spellings is None else spellings)
    payload = _request_with_model(node, request) if request is not None else payload
    found = read_mapped(capture.name, number, node, mapping, request=payload)
    if isinstance(found, Skipped):
        return found
    return with_span_of(node, replace(as_folded(found), gathered=payload is not None))


def with_span_of(node: Node, found: Exchange) -> Exchange:
    """Return an exchange with the span that its record is, if it is one."""
    # most captures have no records like these
    from isogloss.validator.captures.structures.relations.spans import with_span

    return with_span(node, found)


def _request_with_model(node: Node, request: Half) -> Payload | None:
    """Return a request without a model with the one that is recorded beside it, or ``None`` if nothing is to be added.

    Where the URL names the model, as on Bedrock, a log keeps it under a name of its own, and the body has none.
    """
    if isinstance(request.value, list) or (isinstance(request.value, dict) and "model" in request.value):
        return None
    return with_model_beside(follow(node, request.at).request(), request.within, node.value)


def with_model_beside(request: Payload | None, *records: dict[str, Any]) -> Payload | None:
    """Return a request without a model with the one that one of the records names, or ``None`` if there is none."""
    if request is None or not isinstance(request.value, dict) or "model" in request.value:
        return None
    for record in records:
        if name := _name_of(record, _MODELS, lambda model: isinstance(model, str) and model != "", {}):
            model = record[name].rpartition("/")[2] if record[name].startswith("arn:") else record[name]
            return replace(request, value=request.value | {"model": model})
    return None


def _mapping(value: dict[str, Any], request: Half | None, answer: Half, spellings: _Spellings) -> Mapping:
    return Mapping(
        request=request.at if request else "",
        response=answer.at,
        status=_path_of(value, answer, _STATUSES, http.is_status, spellings),
        path=_path_of(value, request, _URLS, _is_chat_url, spellings),
        as_sent=False,
    )


def _path_of(
    value: dict[str, Any],
    half: Half | None,
    known_names: tuple[str, ...],
    fits: Callable[[object], bool],
    spellings: _Spellings,
) -> str:
    """Return the path of a property that fits, beside a request or an answer or in the whole object, or nothing."""
    if half is not None and (name := _name_of(half.within, known_names, fits, spellings)):
        return half.prefix + name
    return _name_of(value, known_names, fits, spellings) or ""


def _name_of(
    value: dict[str, Any], known_names: tuple[str, ...], fits: Callable[[object], bool], spellings: _Spellings
) -> str | None:
    """Return the name of the first property with a known name whose value fits, or ``None`` if there is none."""
    names = spellings.get(id(value))
    if names is None:
        names = spellings[id(value)] = normalised_names(value)
    found = (names[name] for name in known_names if name in names)
    return next((name for name in found if fits(value[name])), None)


def _is_chat_url(value: object) -> bool:
    return isinstance(value, str) and is_chat_path(http.host_and_path(value)[1])
