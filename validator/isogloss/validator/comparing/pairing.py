"""Pair answers to the same request: by the request itself, by the name of the case, or by position."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Literal, NamedTuple

from isogloss.validator.comparing.answers import Compared
from isogloss.validator.comparing.requests import OF_THE_FORM, asks_for_stream, same_request
from isogloss.validator.rules.twinning import Relation

__all__ = ["WAYS", "Group", "Pairing", "Way", "pair", "twins_between", "twins_within"]

Way = Literal["request", "name", "position", "none"]
WAYS: tuple[Way, ...] = ("request", "name", "position", "none")
"""How answers of two recordings are paired; with ``none`` all of one stand against all of the other."""


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

    By default, they are paired by their requests, and answers without a request by the name of their case. If no
    request occurs in both recordings, the models in the requests may differ, as before and behind a gateway. If no
    request occurs in both even then, all answers are paired by name.
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
    """Group the answers of one capture to the same request at the same host and path.

    For each request, streams are compared with completions, and then each repeat with the first answer in the same
    form.
    """
    groups: list[Group] = []
    for same in _by(answers, lambda one: same_request(one, one.exchange.host, one.exchange.path)).values():
        streams = [one for one in same if one.answer.streamed or asks_for_stream(one)]
        whole = [one for one in same if one not in streams]
        if streams and whole:
            groups.append(Group(whole, streams, "stream"))
        for form in (whole, streams):
            groups += [Group(form[:1], [one], "repeat") for one in form[1:]]
    return groups


def twins_between(before: Sequence[Compared], after: Sequence[Compared], way: Way | None = None) -> Pairing:
    """Pair the answers of two captures as twins.

    By default and by request, answers without a partner in their own form are paired across forms: streams with
    completions of the other capture that answer the same request, or the other way around. With ``none``, there are no
    groups.
    """
    pairing = pair(before, after, way)
    groups = pairing.groups if pairing.way != "none" else []
    if way in (None, "request"):
        kept = groups if pairing.way == "request" else []
        taken = {id(one) for group in kept for side in (group.left, group.right) for one in side}
        left, right = ([one for one in side if id(one) not in taken] for side in (before, after))
        across = _grouped(left, right, same_request, "request")
        if across.groups:
            pairing = across._replace(groups=[*kept, *across.groups])
            groups = pairing.groups
    return pairing._replace(groups=[_by_form(group) for group in groups])


def _by_form(group: Group) -> Group:
    """Return the group with completions on the left if one side has only completions and the other only streams.

    Any other group is returned as it is.
    """
    streamed = [{one.answer.streamed for one in side} for side in (group.left, group.right)]
    if streamed == [{False}, {True}]:
        return group._replace(by="stream")
    return Group(group.right, group.left, "stream") if streamed == [{True}, {False}] else group


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
    same = same_request(one)
    return None if same is None else (same, asks_for_stream(one))


def _request_or_name(one: Compared) -> Hashable:
    return one.name if one.exchange.request is None else _request(one)


def _any_model_or_name(one: Compared) -> Hashable:
    same = same_request(one, without=OF_THE_FORM | {"model"})
    return one.name if one.exchange.request is None else same and (same, asks_for_stream(one))
