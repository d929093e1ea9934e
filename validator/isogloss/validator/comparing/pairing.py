"""Pair answers to the same request: by the request itself, by the name of the case, or by position."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Literal, NamedTuple

from isogloss.validator.comparing.answers import Compared
from isogloss.validator.rules.twinning import Relation

__all__ = ["WAYS", "Group", "Pairing", "Way", "pair", "twins_between", "twins_within"]

Way = Literal["request", "name", "position", "none"]
WAYS: tuple[Way, ...] = ("request", "name", "position", "none")
"""How answers of two recordings are paired; with ``none`` all of one stand against all of the other."""

_OF_THE_FORM = frozenset({"stream", "stream_options"})
"""Properties of a request that say in which form it is answered, and not what."""


class Group(NamedTuple):
    """Answers to one request, on two sides that differ in ``by``; neither side is empty."""

    left: Sequence[Compared]
    right: Sequence[Compared]
    by: Relation


class Pairing(NamedTuple):
    """The groups of two recordings, how they were paired, and how many answers of each have no partner."""

    groups: list[Group]
    way: Way
    alone_before: int
    alone_after: int


def pair(before: Sequence[Compared], after: Sequence[Compared], way: Way | None = None) -> Pairing:
    """Pair the answers of two recordings.

    By default that is done by the request; what has none is paired by the name of its case. If no request occurs in
    both, the models that they name may differ, as before and behind a gateway; and if none does even then, all is
    paired by name.
    """
    if way is None:
        for key in (_request_or_name, _any_model_or_name):
            pairing = _grouped(before, after, key, "request")
            if any(group.left[0].exchange.request is not None for group in pairing.groups):
                return pairing
        return _grouped(before, after, _name, "name")
    if way == "position":
        numbers = [{id(one): number for number, one in enumerate(side)} for side in (before, after)]
        return _grouped(before, after, lambda one: numbers[0].get(id(one), numbers[1].get(id(one))), way)
    keys: dict[Way, Callable[[Compared], Hashable | None]] = {
        "request": _request,
        "name": _name,
        "none": lambda one: True,
    }
    return _grouped(before, after, keys[way], way)


def twins_within(answers: Iterable[Compared]) -> list[Group]:
    """Answers of one capture to the same request at the same host: streams against completions, then repeats.

    Of repeats, each is held against the first.
    """
    groups: list[Group] = []
    for same in _by(answers, lambda one: _same(one, one.exchange.host, one.exchange.path)).values():
        streams = [one for one in same if one.answer.streamed or _asks_for_stream(one)]
        whole = [one for one in same if one not in streams]
        if streams and whole:
            groups.append(Group(whole, streams, "stream"))
        for form in (whole, streams):
            groups += [Group(form[:1], [one], "repeat") for one in form[1:]]
    return groups


def twins_between(pairing: Pairing) -> list[Group]:
    """The groups of a pairing, those aside that hold no twins because nothing was paired."""
    return pairing.groups if pairing.way != "none" else []


def _grouped(
    before: Sequence[Compared], after: Sequence[Compared], key: Callable[[Compared], Hashable | None], way: Way
) -> Pairing:
    left, right = _by(before, key), _by(after, key)
    groups = [Group(found, right[same], "capture") for same, found in left.items() if same in right]
    alone = [len(side) - sum(len(one) for one in sides) for side, sides in (
        (before, [group.left for group in groups]), (after, [group.right for group in groups]))]  # fmt: skip
    return Pairing(groups, way, *alone)


def _by(answers: Iterable[Compared], key: Callable[[Compared], Hashable | None]) -> dict[Hashable, list[Compared]]:
    found: dict[Hashable, list[Compared]] = {}
    for one in answers:
        if (same := key(one)) is not None:
            found.setdefault(same, []).append(one)
    return found


def _name(one: Compared) -> Hashable:
    return one.name


def _request(one: Compared) -> Hashable | None:
    same = _same(one)
    return None if same is None else (same, _asks_for_stream(one))


def _request_or_name(one: Compared) -> Hashable:
    return one.name if one.exchange.request is None else _request(one)


def _any_model_or_name(one: Compared) -> Hashable:
    same = _same(one, without=_OF_THE_FORM | {"model"})
    return one.name if one.exchange.request is None else same and (same, _asks_for_stream(one))


def _asks_for_stream(one: Compared) -> bool:
    request = one.exchange.request
    return request is not None and isinstance(request.value, dict) and request.value.get("stream") is True


def _same(one: Compared, *more: Hashable, without: frozenset[str] = _OF_THE_FORM) -> Hashable | None:
    """What the requests of twins have in common: all but the form of the answer, and the ids of earlier calls."""
    request = one.exchange.request
    if request is None or not isinstance(request.value, dict) or not request.value.get("messages"):
        return None
    asked = {name: value for name, value in request.value.items() if name not in without and value is not None}
    try:
        text = json.dumps(_without_ids(asked), sort_keys=True, default=repr)
    except RecursionError:  # nested deeper than any request that is answered
        return None
    return (hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(), *more)


def _without_ids(asked: dict[str, Any]) -> dict[str, Any]:
    messages = asked["messages"]
    if not isinstance(messages, list):
        return asked
    return asked | {"messages": [_message(one) for one in messages]}


def _message(message: Any) -> Any:
    if not isinstance(message, dict):
        return message
    kept = {name: value for name, value in message.items() if name != "tool_call_id"}
    if isinstance(calls := kept.get("tool_calls"), list):
        kept["tool_calls"] = [
            {name: value for name, value in call.items() if name != "id"} if isinstance(call, dict) else call
            for call in calls
        ]
    return kept
