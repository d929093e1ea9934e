"""Tell which request each answer in one record belongs to.

A gateway may log two requests and two answers in one record: those of its client, and those of its upstream. They have
names such as ``request_body``, ``upstream_request_body``, ``upstream_response_body`` and ``response_body``, in any
order. Most gateways map the name of the model, so that it shows which request an answer belongs to. Where they do not,
names with the same words belong together. If these do not tell, the order does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import repeat

from isogloss.validator.captures.names import words_of
from isogloss.validator.captures.structures.objects.halves import Half, Halves

__all__ = ["is_of_model", "with_requests"]

_MOST = 8
"""If there are more requests or answers than this, only their order counts."""
_MODEL = r'"model"\s*:\s*"([^"\\]*)"'


def with_requests(halves: Halves) -> Iterator[tuple[Half | None, Half]]:
    """Yield each answer of an object with the request that it belongs to, or ``None`` if nobody knows which one.

    One request got all the answers.
    """
    requests, answers = halves.requests, halves.answers
    if len(requests) < 2:
        yield from ((requests[0] if requests else None, answer) for answer in answers)
    elif max(len(requests), len(answers)) > _MOST:
        is_in_order = len(requests) == len(answers)
        yield from zip(requests if is_in_order else repeat(None), answers, strict=False)
    elif len(requests) == len(answers):
        yield from _in_pairs(requests, answers)
    else:
        yield from ((_nearest(requests, answer), answer) for answer in answers)


def _in_pairs(requests: list[Half], answers: list[Half]) -> Iterator[tuple[Half, Half]]:
    """Yield each answer with a request of its own: the nearest ones first."""
    distances = sorted(
        (_distance(request, answer), abs(request_number - answer_number), request_number, answer_number)
        for request_number, request in enumerate(requests)
        for answer_number, answer in enumerate(answers)
    )
    request_of: dict[int, int] = {}
    for _, _, request_number, answer_number in distances:
        if answer_number not in request_of and request_number not in request_of.values():
            request_of[answer_number] = request_number
    yield from ((requests[request_of[number]], answer) for number, answer in enumerate(answers))


def _nearest(requests: list[Half], answer: Half) -> Half | None:
    distances = [_distance(request, answer) for request in requests]
    return requests[distances.index(min(distances))] if distances.count(min(distances)) == 1 else None


def _distance(request: Half, answer: Half) -> tuple[bool, int]:
    """Return whether the models differ, and how many words are in only one of the paths."""
    return not is_of_model(_model_of(request), _model_of(answer)), len(words_of(request.path) ^ words_of(answer.path))


def _model_of(half: Half) -> object:
    if isinstance(half.value, str):
        found = re.search(_MODEL, half.value)
        return found and found[1]
    return half.value.get("model") if isinstance(half.value, dict) else None


def is_of_model(requested: object, answering: object) -> bool:
    """Return whether the names of models may be of the same one: one begins with the other, or one is not known."""
    if not isinstance(requested, str) or not isinstance(answering, str):
        return True
    requested, answering = (name.lower().rpartition("/")[2] for name in (requested, answering))
    return requested.startswith(answering) or answering.startswith(requested)
