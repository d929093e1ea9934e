"""Search a JSON value of an unknown layout for exchanges, by the content of its values.

Logs, tracers, mock servers and test suites write exchanges under names of their own: ``req`` and ``res``, ``input`` and
``expected``, ``traces[].spans[].attributes``. The names do not count here. An object is read if it holds

* an HTTP pair, or a list of pairs (:mod:`.pairs`);
* a request of Chat Completions, and beside it the answer, or a list of answers: as objects, as JSON text, or as the
  text of events; or each of them one object further in, beside its status; or as many requests as answers, in order;
* an answer, and beside it the messages that it answers, without a model: then the request is not read; or the text or
  the calls of the answer once more, as a program that took them out of it writes them;
* an answer, and beside it a time, as structured logs write them;
* a recorded response by itself, with its status, whose body is an answer of Chat Completions;
* the properties of a request themselves and, beside them, the answer, if the object has ``messages``;
* nothing but answers, two or more, each under a name of its own, if this is the outermost object.

A request alone is not read: settings, workflows and documentation hold many that are still to be filled in. Nor is an
answer alone that stands among other properties, as an example in documentation does. Nobody knows whether an unknown
program kept the bodies as they were sent, so rules about what was sent are not applied to them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import repeat
from typing import Any, Literal, TypeAlias

import orjson
from msgspec import Struct
from msgspec.structs import replace

from isogloss.validator.captures import http
from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.document import Node, decoded
from isogloss.validator.captures.mapping import Mapping
from isogloss.validator.captures.structures import pairs
from isogloss.validator.captures.structures.mapped import decode_text, follow, read_mapped
from isogloss.validator.captures.structures.names import normalised_names
from isogloss.validator.captures.structures.wrapped import holds_pieces, is_wrapped_stream
from isogloss.validator.captures.traffic import NEITHER, is_chat_path
from isogloss.validator.exchange import Exchange, Kind, Payload, Skipped, Why
from isogloss.validator.kinds import chunks_in, kind_of, marks, others
from isogloss.validator.kinds.marks import REQUEST_PROPERTIES, TELLING_PROPERTIES

__all__ = [
    "TIME_NAMES",
    "answer_beside_request",
    "exchange_beside",
    "exchanges_within",
    "half_of",
    "may_hold_exchanges",
    "role_of",
    "with_model_beside",
]

_DEEPEST = 64
_DEEPEST_OF_OTHERS = 2
_MOST_INSPECTED = 1_000_000
"""How many objects and arrays of one value are inspected, at most. A million takes up to ten seconds."""
_STATUSES = ("status", "statuscode", "responsestatus", "responsestatuscode", "httpstatus", "code")
_URLS = ("url", "uri", "requesturl", "requesturi", "endpoint", "path", "requestpath")
_MODELS = ("model", "modelid", "modelname", "deployment", "deploymentid", "deploymentname")
_BESIDE_CHOICES = frozenset({"id", "object", "created", "model", "usage"})
_ENVELOPED = frozenset({"data", "result"})
_BESIDE_BODIES = frozenset({"headers", "observedcontenttype", "statuscode", "statustext"})
TIME_NAMES = frozenset({
    "time", "timestamp", "ts", "date", "datetime", "@timestamp", "@t", "asctime", "eventTime", "_time",
    "__REALTIME_TIMESTAMP",
})  # fmt: skip
"""Names under which the records of logs have their time."""
_EVENTS = ("data:", "event:", "id:", ":")
_SHORTEST_QUOTE = 2
"""The length of a text from which on it counts that it stands beside the answer that says it."""

_Role: TypeAlias = Literal["request", "answer"]


class _Place(Struct, frozen=True):
    """The place of a payload in an object: the property that holds it, its path, and the object that it is in.

    ``prefix`` is the path of that object with a dot, or empty if it is the whole object. ``value`` is the payload, or
    the text of one.
    """

    name: str
    path: str
    value: Any
    within: dict[str, Any]
    prefix: str


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

    Only the properties that the reference knows are read as the request. The first of several answers counts. Return
    ``None`` for any other object.
    """
    if not isinstance(part.value.get("messages"), list):
        return None
    properties = {name: value for name, value in part.value.items() if name in REQUEST_PROPERTIES}
    _, answers = _requests_and_answers({name: one for name, one in part.value.items() if name not in properties})
    if not answers:
        return None
    request = replace(part, value=properties).payload("request") if kind_of(properties) == "request" else None
    mapping = _mapping(part.value, None, answers[0])
    return read_mapped(capture.name, number, part, mapping, request=request)


def exchange_beside(capture: Capture, number: int, part: Node) -> Exchange | None:
    """Return the exchange of an object that holds one request and one answer, under any names, else ``None``."""
    requests, answers = _requests_and_answers(part.value)
    if not len(requests) == len(answers) == 1:
        return None
    found = _exchange(capture, number, part, requests[0], answers[0])
    return found if isinstance(found, Exchange) else None


def half_of(capture: Capture, number: int, part: Node) -> Exchange | None:
    """Return the exchange of an object that holds one request alone or one answer alone, else ``None``.

    By itself, such an object is not read: another one must hold the other half.
    """
    requests, answers = _requests_and_answers(part.value)
    if len(requests) + len(answers) != 1 or others.other_kind(part.value):
        return None
    if answers:
        found = _exchange(capture, number, part, None, answers[0])
    else:
        request = requests[0]
        mapping = Mapping(request=request.path, path=_path_of(part.value, request, _URLS, _is_chat_url), as_sent=False)
        found = read_mapped(capture.name, number, part, mapping, request=_request_with_model(part, request))
    return found if isinstance(found, Exchange) else None


def exchanges_within(
    capture: Capture, number: int, part: Node, *, may_be_pair: bool = False
) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges that a value of an unknown layout holds, in order. The first gets the given number.

    ``may_be_pair`` says that the value itself may be a pair.
    """
    may_hold_answers = part.document.may_hold_answers
    deepest = _DEEPEST if may_hold_answers else _DEEPEST_OF_OTHERS
    open_containers = [iter([part])]  # the innermost is the last one
    inspected = 0
    while open_containers:
        node = next(open_containers[-1], None)
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
        may_be_row = isinstance(node.value, dict) and "messages" in node.value
        if may_be_row and (row := answer_beside_request(capture, number, node)) is not None:
            yield row
            number += 1
            continue
        if isinstance(node.value, dict) and _kind_of(node.value) is not None:
            continue
        found, is_outermost, used_names = None, node is part and not may_be_pair, frozenset[str]()
        if not is_outermost and pairs.holds_pairs(node.value):
            found = pairs.exchanges_of_pairs(capture, [node], number)
        elif may_hold_answers and isinstance(node.value, dict):
            found, used_names = _by_content(capture, number, node, alone=is_outermost)
        for one in found or ():
            yield one
            number += one.parts if isinstance(one, Skipped) else 1
        is_searched = may_hold_answers or isinstance(node.value, dict)  # lists of pairs are recognised as a whole
        if is_searched and (found is None or used_names) and len(open_containers) <= deepest:
            open_containers.append(_containers_in(node, used_names))


def _containers_in(node: Node, used_names: frozenset[str]) -> Iterator[Node]:
    """Yield the objects and arrays directly in a value, except those with the used names.

    A string of JSON text that may hold answers counts as what it holds.
    """
    names = (name for name in node.value if name not in used_names) if isinstance(node.value, dict) else ()
    for inner in node.items() if isinstance(node.value, list) else map(node.get, names):
        found = inner
        if isinstance(inner.value, str) and _is_json_with(inner.value, "choices"):
            found = decode_text(inner)
        if isinstance(found.value, dict | list) and (found.document is inner.document or found.document.sound):
            yield found


def _is_json_with(text: str, *names: str) -> bool:
    """Return whether a string looks like JSON text, and one of the names of properties is in it."""
    return text.lstrip()[:1] in ("{", "[") and any(name in text for name in names)


def _by_content(
    capture: Capture, number: int, node: Node, *, alone: bool
) -> tuple[Iterator[Exchange | Skipped] | None, frozenset[str]]:
    """Return the exchanges of an object that holds a request and its answers, and the names of the properties used.

    Return ``None`` and no names for any other object. ``alone`` says that an object of nothing but answers is read,
    too: one answer by itself may be in an envelope that a server sent.
    """
    if (response := pairs.lone_response(capture, number, node)) is not None:
        return iter([response]), frozenset()
    requests, answers = _requests_and_answers(node.value)
    is_only_answers = alone and len(answers) == len(node.value) > 1 and all(not place.prefix for place in answers)
    is_recorded = bool(requests) or is_only_answers or (bool(answers) and _is_recorded_with(node.value, answers[0]))
    if not answers or not is_recorded or others.other_kind(node.value):
        return None, frozenset()
    if len(requests) == len(answers):
        pairings: Iterable[tuple[_Place | None, _Place]] = zip(requests, answers, strict=True)
    else:  # one request got all the answers; of several requests, nobody knows which one did
        pairings = zip(repeat(requests[0] if len(requests) == 1 else None), answers)
    found = (
        _exchange(capture, position, node, request, answer)
        for position, (request, answer) in enumerate(pairings, start=number)
    )
    return found, frozenset(place.name for place in (*requests, *answers))


def _exchange(capture: Capture, number: int, node: Node, request: _Place | None, answer: _Place) -> Exchange | Skipped:
    mapping = _mapping(node.value, request, answer)
    payload = _request_with_model(node, request) if request is not None else None
    return read_mapped(capture.name, number, node, mapping, request=payload)


def _request_with_model(node: Node, request: _Place) -> Payload | None:
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


def _is_recorded_with(value: dict[str, Any], answer: _Place) -> bool:
    """Return whether an object that holds an answer, and no request, also holds what shows that it was recorded.

    That is the time of a record of a log, what the answer says, taken out of it, or a conversation without a model,
    which the answer continues. An example in documentation has none of them. An envelope of a server may have a time,
    too, and an error beside a time may come from any service. Choices alone are only a part of an answer: Opik keeps
    everything else under another name (``RESPONSE_KEYS_TO_LOG_AS_OUTPUT`` in opik/integrations/openai, read 2026-11).
    """
    if _is_part(_decoded(answer.value)):
        return False
    if not value.keys().isdisjoint(TIME_NAMES) and answer.path not in _ENVELOPED and _has_choices(answer.value):
        return True
    siblings = [inner for name, inner in value.items() if name != answer.name]
    return _is_quoted(_decoded(answer.value), siblings) or any(_is_conversation(_decoded(one)) for one in siblings)


def _is_part(answer: Any) -> bool:
    """Return whether an answer has choices, and nothing that every completion has besides."""
    return isinstance(answer, dict) and "choices" in answer and answer.keys().isdisjoint(_BESIDE_CHOICES)


def _has_choices(answer: Any) -> bool:
    """Return whether an answer is a completion or a stream, and neither an error nor a line of a stream."""
    if isinstance(answer, str):
        text = answer.strip()
        return '"choices"' in text and ("\n" in text or not text.startswith(_EVENTS))
    return isinstance(answer, list) or "choices" in answer


def _decoded(value: Any) -> Any:
    """Return the value of JSON text that may hold a payload, and any other value as it is."""
    return decoded(value) if isinstance(value, str) and _is_json_with(value, "choices", "messages") else value


def _is_quoted(answer: Any, siblings: list[Any]) -> bool:
    """Return whether a value beside an answer is the text, the calls, or the id of a call of its first message."""
    choices = answer.get("choices") if isinstance(answer, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    said = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(said, dict):
        return False
    text, calls = said.get("content"), said.get("tool_calls")
    text = text.strip() if isinstance(text, str) else ""
    if len(text) >= _SHORTEST_QUOTE and any(isinstance(one, str) and one.strip() == text for one in siblings):
        return True
    if not isinstance(calls, list) or not calls:
        return False
    ids = {one["id"] for one in calls if isinstance(one, dict) and isinstance(one.get("id"), str) and one["id"]}
    return calls in siblings or any(isinstance(one, str) and one in ids for one in siblings)


def _is_conversation(value: Any) -> bool:
    """Return whether a value is a list of messages, or an object with ``messages``."""
    messages = value.get("messages") if isinstance(value, dict) else value
    return isinstance(messages, list) and marks.holds_messages(messages)


def _mapping(value: dict[str, Any], request: _Place | None, answer: _Place) -> Mapping:
    return Mapping(
        request=request.path if request else "",
        response=answer.path,
        status=_path_of(value, answer, _STATUSES, _is_status),
        path=_path_of(value, request, _URLS, _is_chat_url),
        as_sent=False,
    )


def _requests_and_answers(value: dict[str, Any]) -> tuple[list[_Place], list[_Place]]:
    """Return where an object has requests and answers: as its properties, or in the objects and arrays that it holds.

    In an array, each may be the only property of an object.

    An object in it that has both itself does not count, nor does an envelope in which a server sent an answer.
    """
    places: dict[_Role, list[_Place]] = {"request": [], "answer": []}
    for name, inner in value.items():
        if (role := role_of(inner)) is not None:
            places[role].append(_Place(name, name, inner, value, ""))
        elif isinstance(inner, dict) and _kind_of(inner) is None:
            roles = {key: role for key, one in inner.items() if (role := role_of(one)) is not None}
            if len(set(roles.values())) == 1 and not _is_envelope(inner):
                for key, role in roles.items():
                    places[role].append(_Place(name, f"{name}.{key}", inner[key], inner, f"{name}."))
        elif isinstance(inner, list):
            for position, one in enumerate(inner):
                if (role := role_of(one)) is not None:
                    places[role].append(_Place(name, f"{name}.{position}", one, value, ""))
                elif isinstance(one, dict) and len(one) == 1:
                    key, held = next(iter(one.items()))
                    if (role := role_of(held)) is not None:
                        places[role].append(_Place(name, f"{name}.{position}.{key}", held, value, ""))
    return places["request"], places["answer"]


def _is_envelope(value: dict[str, Any]) -> bool:
    """Return whether an object has ``data`` or ``result``, and nothing that a recorder writes beside a body."""
    names = normalised_names(value).keys()
    return not names.isdisjoint(_ENVELOPED) and names.isdisjoint(_BESIDE_BODIES)


def role_of(value: object) -> _Role | None:
    """Return whether a value is a request, or an answer: an object, JSON text of one, chunks, or text of events."""
    if isinstance(value, str):
        text = value.lstrip()
        if text.startswith(_EVENTS):
            return "answer" if '"choices"' in text else None
        if not _is_json_with(text, "choices", "messages", "error"):
            return None
        try:
            value = orjson.loads(text)
        except orjson.JSONDecodeError:
            return None
    if isinstance(value, list):
        return "answer" if chunks_in(value) or is_wrapped_stream(value) or holds_pieces(value) else None
    if not isinstance(value, dict):
        return None
    kind = _kind_of(value)
    if kind == "request":
        return "request"
    return "answer" if kind in ("completion", "error") else None


def _kind_of(value: dict[str, Any]) -> Kind | None:
    """Return the kind of an object. Most objects here are none, and that is found faster than the kind of another."""
    return None if value.keys().isdisjoint(TELLING_PROPERTIES) else kind_of(value)


def _path_of(
    value: dict[str, Any], place: _Place | None, known_names: tuple[str, ...], fits: Callable[[object], bool]
) -> str:
    """Return the path of a property that fits, beside the payload at a place or in the whole object, or nothing."""
    if place is not None and (name := _name_of(place.within, known_names, fits)):
        return place.prefix + name
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
