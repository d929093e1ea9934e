"""Search a JSON value of an unknown layout for exchanges, by the content of its values.

Logs, tracers, mock servers and test suites write exchanges under names of their own: ``req`` and ``res``, ``input`` and
``expected``, ``traces[].spans[].attributes``. The names do not count here. An object is read if it holds

* an HTTP pair, or a list of pairs (:mod:`.pairs`);
* a request of Chat Completions, and beside it the answer, or a list of answers: as objects, as JSON text, or as the
  text of events; or each of them one object further in, beside its status; or as many requests as answers, in order;
* a recorded response by itself, with its status, whose body is an answer of Chat Completions;
* the properties of a request themselves and, beside them, the answer, if the object has ``messages``;
* nothing but answers, two or more, each under a name of its own, if this is the outermost object.

A request alone is not read: settings, workflows and documentation hold many that are still to be filled in. Nor is an
answer alone that stands among other properties, as an example in documentation does. Nobody knows whether an unknown
program kept the bodies as they were sent, so rules about what was sent are not applied to them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import repeat
from typing import Any, Literal, TypeAlias

import orjson
from msgspec import Struct
from msgspec.structs import replace

from isogloss.validator.captures import http, pairs
from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.document import Node
from isogloss.validator.captures.mapped import decode_text, read_mapped
from isogloss.validator.captures.mapping import Mapping
from isogloss.validator.captures.names import normalised_names
from isogloss.validator.captures.traffic import is_chat_path
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.kinds import kind_of, others
from isogloss.validator.kinds.marks import REQUEST_PROPERTIES

__all__ = ["answer_beside_request", "exchanges_within", "may_hold_exchanges"]

_DEEPEST = 64
_DEEPEST_OF_OTHERS = 2
_MOST_INSPECTED = 1_000_000
"""How many objects and arrays of one value are inspected, at most. A million takes up to ten seconds."""
_STATUSES = ("status", "statuscode", "responsestatus", "responsestatuscode", "httpstatus", "code")
_URLS = ("url", "uri", "requesturl", "requesturi", "endpoint", "path", "requestpath")
_ENVELOPED = frozenset({"data", "result"})
_BESIDE_BODIES = frozenset({"headers", "statuscode", "statustext"})
_EVENTS = ("data:", "event:", "id:", ":")

_Role: TypeAlias = Literal["request", "answer"]


class _Place(Struct, frozen=True):
    """The place of a payload in an object: the property that holds it, its path, and the object that it is in.

    ``prefix`` is the path of that object with a dot, or empty if it is the whole object.
    """

    name: str
    path: str
    within: dict[str, Any]
    prefix: str


def may_hold_exchanges(part: Node) -> bool:
    """Return whether a value that is not read otherwise has to be searched. A pair is not: it is other traffic."""
    if isinstance(part.value, dict) and not part.document.may_hold_answers:
        containers = (inner for inner in part.value.values() if isinstance(inner, dict | list))
        return next(containers, None) is not None and not pairs.is_pair(part.value)
    return not pairs.is_pair(part.value)


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
            reason = (
                f"more than {_MOST_INSPECTED:,} objects and arrays in an unknown layout: the others are not searched"
            )
            yield Skipped(file=capture.name, number=number, reason=reason)
            return
        may_be_row = isinstance(node.value, dict) and "messages" in node.value
        if may_be_row and (row := answer_beside_request(capture, number, node)) is not None:
            yield row
            number += 1
            continue
        if kind_of(node.value) is not None:
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
    if not answers or not (requests or is_only_answers) or others.other_kind(node.value):
        return None, frozenset()
    if len(requests) == len(answers):
        pairings: Iterable[tuple[_Place | None, _Place]] = zip(requests, answers, strict=True)
    else:  # one request got all the answers; of several requests, nobody knows which one did
        pairings = zip(repeat(requests[0] if len(requests) == 1 else None), answers)
    mappings = [_mapping(node.value, request, answer) for request, answer in pairings]
    found = (read_mapped(capture.name, position, node, one) for position, one in enumerate(mappings, start=number))
    return found, frozenset(place.name for place in (*requests, *answers))


def _mapping(value: dict[str, Any], request: _Place | None, answer: _Place) -> Mapping:
    return Mapping(
        request=request.path if request else "",
        response=answer.path,
        status=_path_of_status(answer.within, answer.prefix) or _path_of_status(value),
        path=(_path_of_url(request.within, request.prefix) if request else "") or _path_of_url(value),
        as_sent=False,
    )


def _requests_and_answers(value: dict[str, Any]) -> tuple[list[_Place], list[_Place]]:
    """Return where an object has requests and answers: as its properties, or in the objects and arrays that it holds.

    An object in it that has both itself does not count, nor does an envelope in which a server sent an answer.
    """
    places: dict[_Role, list[_Place]] = {"request": [], "answer": []}
    for name, inner in value.items():
        if (role := _role(inner)) is not None:
            places[role].append(_Place(name, name, value, ""))
        elif isinstance(inner, dict) and kind_of(inner) is None:
            roles = {key: role for key, one in inner.items() if (role := _role(one)) is not None}
            if len(set(roles.values())) == 1 and not _is_envelope(inner):
                for key, role in roles.items():
                    places[role].append(_Place(name, f"{name}.{key}", inner, f"{name}."))
        elif isinstance(inner, list):
            for position, one in enumerate(inner):
                if (role := _role(one)) is not None:
                    places[role].append(_Place(name, f"{name}.{position}", value, ""))
    return places["request"], places["answer"]


def _is_envelope(value: dict[str, Any]) -> bool:
    """Return whether an object has ``data`` or ``result``, and nothing that a recorder writes beside a body."""
    names = normalised_names(value).keys()
    return not names.isdisjoint(_ENVELOPED) and names.isdisjoint(_BESIDE_BODIES)


def _role(value: object) -> _Role | None:
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
        return "answer" if value and all(kind_of(item) == "chunk" for item in value) else None
    if not isinstance(value, dict):
        return None
    kind = kind_of(value)
    if kind == "request":
        return "request"
    return "answer" if kind in ("completion", "error") else None


def _path_of_status(value: dict[str, Any], prefix: str = "") -> str:
    names = normalised_names(value)
    for name in _STATUSES:
        status = value.get(names.get(name, ""))
        if type(status) is int and 100 <= status < 600:
            return prefix + names[name]
    return ""


def _path_of_url(value: dict[str, Any], prefix: str = "") -> str:
    names = normalised_names(value)
    for name in _URLS:
        url = value.get(names.get(name, ""))
        if isinstance(url, str) and is_chat_path(http.host_and_path(url)[1]):
            return prefix + names[name]
    return ""
