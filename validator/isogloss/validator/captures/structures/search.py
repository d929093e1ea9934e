"""Search a JSON value of an unknown layout for exchanges, by the content of its values.

Logs, tracers, mock servers and test suites write exchanges under names of their own: ``req`` and ``res``, ``input`` and
``expected``, ``traces[].spans[].attributes``. The names do not count here. An object is read if it holds

* an HTTP pair, or a list of pairs (:mod:`.pairs`);
* a request of Chat Completions, and beside it the answer, or a list of answers: as objects, as JSON text, or as the
  text of events. Each of them may stand in an object of its own, beside its status;
* as many requests as answers, in the same order;
* an answer, and beside it the messages that it answers, without a model: then the request is not read;
* an answer, and beside it once more its text or its calls, which a program took out of it;
* the events of a whole stream in a list, as test suites keep them, whatever is beside it;
* an answer, and beside it a time, as structured logs write them, or the number of a request, as in results of a batch;
* an answer in an object with the id of a request in a batch;
* a recorded response by itself, with its status or the URL, whose body is an answer of Chat Completions;
* the properties of a request themselves and, beside them, the answer, if the object has ``messages``;
* nothing but answers, two or more, each under a name of its own, if this is the outermost object.

:mod:`.side_by_side` makes the exchanges of such an object. What is read as a pair or a record may hold more exchanges
in its other properties.

A request alone is not read: settings, workflows and documentation hold many that are still to be filled in. Nor is any
other answer alone that stands among other properties, as an example in documentation does. Nobody knows whether an
unknown program kept the bodies as they were sent, so rules about what was sent are not applied to them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any, TypeAlias

import orjson
from msgspec import Struct
from msgspec.structs import replace

from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.document import Node
from isogloss.validator.captures.names import NAMES_OF_SPANS, by_names, normalised_name
from isogloss.validator.captures.structures import pairs
from isogloss.validator.captures.structures.objects.halves import (
    IDS_IN_BATCHES,
    Roles,
    halves_in,
    is_json_with,
    is_recorded,
    payload_kind,
)
from isogloss.validator.captures.structures.objects.http_pairs import holds_pairs, is_pair
from isogloss.validator.captures.structures.objects.mapped import decode_text
from isogloss.validator.captures.structures.relations import copies
from isogloss.validator.captures.structures.relations.folded import with_stream
from isogloss.validator.captures.structures.side_by_side import (
    MOST_COMPARED,
    answer_beside_request,
    exchange_of,
    exchanges_of,
    with_span_of,
)
from isogloss.validator.captures.traffic import NEITHER
from isogloss.validator.exchange import NO_PROBE, Exchange, Payload, Skipped, Why

__all__ = ["exchanges_of_record", "exchanges_within", "may_hold_exchanges"]

_DEEPEST = 64
_DEEPEST_OF_OTHERS = 4
"""How deep a value is searched in whose text no answer shows: the entries of an archive in an object are so deep."""
_MOST_INSPECTED = 1_000_000
"""How many objects and arrays of one value are inspected, at most. A million takes up to ten seconds."""
_REST_NOT_SEARCHED = Why(
    f"more than {_MOST_INSPECTED:,} objects and arrays in an unknown layout: the others are not searched"
)
_HALVES = frozenset({"chunks", "init", "req", "res", "resp", "sse"})
_BEGINNINGS_OF_HALVES = ("request", "response", "httprequest", "httpresponse")
"""Normalised names of properties that hold a half of a pair or a part of one, and beginnings of such names."""
_Inner: TypeAlias = Iterator[tuple[Node, Roles | None]]
"""Objects and arrays that are still to be searched, with the roles of what they hold if these are known already."""


def may_hold_exchanges(part: Node, why: Why) -> bool:
    """Return whether a value has to be searched, although it would be skipped for the reason ``why``.

    A pair that is skipped is other traffic. But if it has no bodies, they may stand elsewhere in it.
    """
    if is_pair(part.value):
        return why == NEITHER and part.document.may_hold_answers
    if isinstance(part.value, dict) and not part.document.may_hold_answers:
        containers = (inner for inner in part.value.values() if isinstance(inner, dict | list))
        return next(containers, None) is not None
    return True


def exchanges_of_record(capture: Capture, number: int, part: Node, found: Exchange) -> Sequence[Exchange | Skipped]:
    """Return all exchanges of a record or a pair. ``found`` is the exchange that its own properties make.

    If that is only one half, the other one may stand under a name of its own, more than once. Other properties may hold
    more exchanges: the other side of a gateway, earlier steps of an agent, or the same request with its answer.
    """
    if found.live or found.probe is not NO_PROBE:
        return [found]
    document, record = part.document, part.value
    if (found.request is None and document.may_hold_requests) or (found.response is None and document.may_hold_answers):
        halves = halves_in(record)
        whole = list(exchanges_of(capture, number, part, halves)) if len(halves.requests) == 1 else []
        if any(isinstance(one, Exchange) for one in whole):
            return whole
    names = _names_in_record(tuple(record))
    found = with_stream(part, with_span_of(part, found) if names.has_span else found)
    if names.values is None or not (_may_hold_answer(names.values(record)) or isinstance(record.get("error"), dict)):
        return [found]
    found, beside = _with_those_beside(capture, number, part, found, names.beside)
    if found.response is None and any(one.request is not None and copies.is_same_request(one, found) for one in beside):
        return [replace(one, number=position) for position, one in enumerate(beside, number)]
    return [found, *beside]


def _with_those_beside(
    capture: Capture, number: int, part: Node, found: Exchange, names: tuple[str, ...]
) -> tuple[Exchange, Sequence[Exchange]]:
    """Return the exchange of a pair, and those in the properties with these names, except copies of it.

    If one of these properties holds its answer as it was received, the exchange gets that answer.
    """
    beside = {name: part.value[name] for name in names}
    if found.http.content_type is None and isinstance(found.response, Payload):
        answers = [one for one in halves_in(beside).answers[:MOST_COMPARED] if copies.is_raw(one.path)]
        received = (exchange_of(capture, number, part, None, answer) for answer in answers)
        raw = next((one for one in received if isinstance(one, Exchange) and copies.repeats(one, found)), None)
        found = found if raw is None else replace(found, response=raw.response, dumped=True)
    searched = exchanges_within(capture, number, replace(part, value=beside), may_be_pair=True)
    kept = [one for one in searched if isinstance(one, Exchange) and not copies.repeats(one, found)]
    return found, [replace(one, number=position) for position, one in enumerate(kept, number + 1)]


class _Names(Struct, frozen=True):
    """What the names in a record say: those of properties that hold neither a half of a pair, nor a part of one.

    ``values`` returns the values of these properties of a record, and is ``None`` if there are none. ``has_span`` says
    that the record may be a span of a trace.
    """

    beside: tuple[str, ...]
    values: Callable[[dict[str, Any]], object] | None
    has_span: bool


@by_names
def _names_in_record(names: tuple[str, ...]) -> _Names:
    beside = tuple(name for name in names if not _is_of_half(normalised_name(name)))
    return _Names(beside, itemgetter(*beside) if beside else None, has_span=not NAMES_OF_SPANS.isdisjoint(names))


def _is_of_half(normalised: str) -> bool:
    return normalised in _HALVES or normalised.startswith(_BEGINNINGS_OF_HALVES)


def _may_hold_answer(values: object) -> bool:
    """Return whether the name of choices, or an error, is anywhere in values. To search them takes longer."""
    try:
        text = orjson.dumps(values, default=_leave_out)
    except TypeError:  # too deep to tell
        return True
    # `in` takes longer: it tries to read the bytes as a number
    if text.find(b"choices") >= 0:
        return True
    return text.find(b"error") >= 0 and (b'"error":{' in text or b'\\"error' in text)


def _leave_out(_: object) -> None:
    """Write null in place of a text that stands in no document."""


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
            yield Skipped(file=capture.name, number=number, why=_REST_NOT_SEARCHED)
            return
        depth = len(open_containers)
        while around and around[-1][0] >= depth:
            around.pop()
        if batch is not None and depth <= batch:
            batch = None
        if batch is None and isinstance(node.value, dict) and not IDS_IN_BATCHES.isdisjoint(node.value):
            batch = depth
        is_outermost, in_batch = node is part and not may_be_pair, batch is not None
        found, inner = _read(
            capture, number, node, roles, answers=may_hold_answers, is_outermost=is_outermost, in_batch=in_batch
        )
        outer = around.copy()
        for one in found:
            if isinstance(one, Exchange):
                if any(copies.is_same(one, other) for _, other in outer):
                    continue
                if len(around) < MOST_COMPARED:
                    around.append((depth, one))
            yield one if one.number == number else replace(one, number=number)
            number += one.parts
        if depth <= deepest:
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
    if not is_outermost and holds_pairs(value):
        return pairs.exchanges_of_pairs(capture, [node], number), iter(())
    if not answers and not is_object:
        return (), iter(())
    if not answers or not is_object:
        return (), _containers_in(node, frozenset(), {})
    halves = halves_in(value, roles)
    has_both = bool(halves.requests and halves.answers)
    if not has_both and (response := pairs.lone_response(capture, number, node)) is not None:
        return [response], iter(())
    if not is_recorded(value, halves, alone=is_outermost, in_batch=in_batch):
        return (), _containers_in(node, frozenset(), halves.roles)
    used_names = frozenset(half.name for half in (*halves.requests, *halves.answers))
    return exchanges_of(capture, number, node, halves), _containers_in(node, used_names, halves.roles)


def _containers_in(node: Node, used_names: frozenset[str], roles: dict[str, Roles]) -> _Inner:
    """Yield the objects and arrays directly in a value, except empty ones and those with the used names.

    A string of JSON text that may hold answers counts as what it holds, but not one that holds only an error.
    """
    named: Iterable[tuple[Any, Any]] = node.value.items() if isinstance(node.value, dict) else enumerate(node.value)
    for name, value in named:
        if not value or name in used_names:
            continue
        if isinstance(value, dict | list):
            yield Node(node.document, value, (*node.at, name)), roles.get(name)
        elif isinstance(value, str) and (is_json_with(value, "choices") or _may_hold_request_and_error(value)):
            inner = decode_text(Node(node.document, value, (*node.at, name)))
            if isinstance(inner.value, dict | list) and inner.document.sound:
                yield inner, None


def _may_hold_request_and_error(text: str) -> bool:
    """Return whether a string may be JSON text of a request and the error that answers it."""
    return '"error' in text and is_json_with(text, "messages")
