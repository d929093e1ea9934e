"""Pair answers to the same request: by the request itself, by the name of the case, or by position."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Literal, NamedTuple

from isogloss.validator.comparing.answers import ComparedAnswer
from isogloss.validator.comparing.requests import FORM_OPTIONS, request_key
from isogloss.validator.rules.twinning import Relation

__all__ = ["WAYS", "AnswerGroup", "Pairing", "Way", "pair", "twins_between", "twins_within"]

Way = Literal["request", "name", "position", "none"]
WAYS: tuple[Way, ...] = ("request", "name", "position", "none")
"""The ways to pair the answers of two recordings. With ``none``, all answers of both recordings are one group."""


class AnswerGroup(NamedTuple):
    """Answers to one request, on two sides. ``distinction`` says how the sides differ. Neither side is empty."""

    left: Sequence[ComparedAnswer]
    right: Sequence[ComparedAnswer]
    distinction: Relation


class Pairing(NamedTuple):
    """The groups of two recordings, how they were paired, and how many answers of each recording have no partner.

    ``refused_before`` and ``refused_after`` count the requests that are not compared, since the server refused them in
    this recording for a reason that is not in the request, and answered them in the other one.
    """

    groups: list[AnswerGroup]
    way: Way
    alone_before: int
    alone_after: int
    refused_before: int = 0
    refused_after: int = 0


def pair(before: Sequence[ComparedAnswer], after: Sequence[ComparedAnswer], way: Way | None = None) -> Pairing:
    """Pair the answers of two recordings.

    By default, they are paired by their requests, and answers without a request by the name of their case. If no
    request occurs in both recordings, the models in the requests may differ, as before and behind a gateway. If no
    request occurs in both even then, all answers are paired by name.
    """
    return _without_refused(_pair(before, after, way))


def _pair(before: Sequence[ComparedAnswer], after: Sequence[ComparedAnswer], way: Way | None) -> Pairing:
    if way is None:
        for key in (_request_or_name_key, _any_model_or_name_key):
            pairing = _pair_by_key(before, after, key, "request")
            if any(group.left[0].exchange.request is not None for group in pairing.groups):
                return pairing
        return _pair_by_key(before, after, _name_key, "name")
    if way == "position":
        positions = [{id(answer): position for position, answer in enumerate(side)} for side in (before, after)]
        return _pair_by_key(before, after, lambda one: positions[0].get(id(one), positions[1].get(id(one))), way)
    keys: dict[Way, Callable[[ComparedAnswer], Hashable | None]] = {
        "request": _request_key,
        "name": _name_key,
        "none": lambda one: True,
    }
    return _pair_by_key(before, after, keys[way], way)


def _without_refused(pairing: Pairing) -> Pairing:
    """Leave out temporary errors, and the requests that the server refused anyway in one recording alone.

    What a probe sent to be refused, such as a request with a wrong key, was answered as it should be.
    """
    groups: list[AnswerGroup] = []
    refused = [0, 0]
    for group in pairing.groups:
        sides = [[answer for answer in side if not answer.is_temporary_error] for side in (group.left, group.right)]
        are_refused = [all(map(_is_refused_anyway, side)) for side in sides]
        if sum(are_refused) == 1:
            refused[are_refused.index(True)] += 1
        elif all(sides):
            groups.append(group._replace(left=sides[0], right=sides[1]))
    return pairing._replace(groups=groups, refused_before=refused[0], refused_after=refused[1])


def _is_refused_anyway(compared: ComparedAnswer) -> bool:
    exchange = compared.exchange
    return compared.refused_anyway and exchange.http.status not in exchange.probe.expected_status


def twins_within(answers: Iterable[ComparedAnswer]) -> list[AnswerGroup]:
    """Group the answers of one capture to the same request at the same host and path.

    For each request, streams are compared with completions, and then each repeat with the first answer in the same
    form. An answer that was refused anyway is no twin.
    """
    groups: list[AnswerGroup] = []
    answers = (answer for answer in answers if not answer.refused_anyway)
    by_request = _by_key(answers, lambda one: request_key(one, one.exchange.host, one.exchange.path))
    for same_answers in by_request.values():
        completions: list[ComparedAnswer] = []
        streams: list[ComparedAnswer] = []
        for compared in same_answers:
            is_stream = compared.answer.streamed or compared.exchange.asks_for_stream
            (streams if is_stream else completions).append(compared)
        if streams and completions:
            groups.append(AnswerGroup(completions, streams, "stream"))
        for same_form in (completions, streams):
            groups += [AnswerGroup(same_form[:1], [answer], "repeat") for answer in same_form[1:]]
    return groups


def twins_between(before: Sequence[ComparedAnswer], after: Sequence[ComparedAnswer], way: Way | None = None) -> Pairing:
    """Pair the answers of two captures as twins.

    By default and by request, answers without a partner in their own form are paired across forms: streams with
    completions of the other capture that answer the same request, or the other way around. With ``none``, there are no
    groups.
    """
    pairing = _pair(before, after, way)
    groups = pairing.groups if pairing.way != "none" else []
    if way in (None, "request"):
        kept = groups if pairing.way == "request" else []
        taken = {id(answer) for group in kept for side in (group.left, group.right) for answer in side}
        left, right = ([answer for answer in side if id(answer) not in taken] for side in (before, after))
        across_forms = _pair_by_key(left, right, request_key, "request")
        if across_forms.groups:
            pairing = across_forms._replace(groups=[*kept, *across_forms.groups])
            groups = pairing.groups
    pairing = _without_refused(pairing._replace(groups=groups))
    return pairing._replace(groups=[_with_completions_left(group) for group in pairing.groups])


def _with_completions_left(group: AnswerGroup) -> AnswerGroup:
    """Return the group with completions on the left if one side has only completions and the other only streams.

    Any other group is returned as it is.
    """
    streamed = [{compared.answer.streamed for compared in side} for side in (group.left, group.right)]
    if streamed == [{False}, {True}]:
        return group._replace(distinction="stream")
    return AnswerGroup(group.right, group.left, "stream") if streamed == [{True}, {False}] else group


def _pair_by_key(
    before: Sequence[ComparedAnswer],
    after: Sequence[ComparedAnswer],
    key: Callable[[ComparedAnswer], Hashable | None],
    way: Way,
) -> Pairing:
    left, right = _by_key(before, key), _by_key(after, key)
    groups = [AnswerGroup(answers, right[value], "capture") for value, answers in left.items() if value in right]
    alone_before = _count(before) - sum(_count(group.left) for group in groups)
    alone_after = _count(after) - sum(_count(group.right) for group in groups)
    return Pairing(groups, way, alone_before, alone_after)


def _count(answers: Iterable[ComparedAnswer]) -> int:
    """Return how many answers are no temporary errors."""
    return sum(not answer.is_temporary_error for answer in answers)


def _by_key(
    answers: Iterable[ComparedAnswer], key: Callable[[ComparedAnswer], Hashable | None]
) -> dict[Hashable, list[ComparedAnswer]]:
    by_key: dict[Hashable, list[ComparedAnswer]] = {}
    for answer in answers:
        if (value := key(answer)) is not None:
            by_key.setdefault(value, []).append(answer)
    return by_key


def _name_key(compared: ComparedAnswer) -> Hashable:
    return compared.name


def _request_key(compared: ComparedAnswer) -> Hashable | None:
    key = request_key(compared)
    return None if key is None else (key, compared.exchange.asks_for_stream)


def _request_or_name_key(compared: ComparedAnswer) -> Hashable:
    return compared.name if compared.exchange.request is None else _request_key(compared)


def _any_model_or_name_key(compared: ComparedAnswer) -> Hashable:
    key = request_key(compared, ignoring=FORM_OPTIONS | {"model"})
    return compared.name if compared.exchange.request is None else key and (key, compared.exchange.asks_for_stream)
