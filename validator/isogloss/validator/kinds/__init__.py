"""Tell of what kind a JSON document is, by all that speaks for it and against it; and what it is instead.

A document is scored for each kind: `marks` says what speaks for a kind, `others` what speaks for another API or for a
document that is no traffic at all. Only a document with `ENOUGH` points is a payload. Where its surroundings tell what
it is (the path of the request, the answer to a request of ours), captures do not ask for that much.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from isogloss.validator.exchange import Kind, NotJson
from isogloss.validator.kinds import marks, others

__all__ = ["ENOUGH", "KINDS", "answer_kind", "is_stream", "kind_of", "why_no_stream", "why_not"]

KINDS: tuple[Kind, ...] = ("request", "completion", "chunk", "error")

ENOUGH = 3
"""The points from which on a document is a payload of a kind, whatever stands around it."""

_AGAINST = 4
"""The points that the marks of something else take away."""


def kind_of(value: object) -> Kind | None:
    """Tell the kind of a JSON document that stands by itself; ``None`` for what has too little of every kind.

    Of two kinds with the same points it is the first of completion, chunk, error and request.
    """
    if not isinstance(value, dict):
        return None
    if (plain := marks.plain_answer(value)) is not None:
        return plain
    if value.keys().isdisjoint(marks.TELLING):
        return None
    if _fails_in_an_envelope(value):
        return "error"
    kind, points = _best(value)
    if points < ENOUGH or (others.names(value) and points - _AGAINST < ENOUGH):
        return None
    return kind


def answer_kind(value: object, status: int | None) -> Kind:
    """Tell the kind of what is known to be an answer: the one that it has most of, else what its status says."""
    if isinstance(value, dict):
        if (plain := marks.plain_answer(value)) is not None:
            return plain
        if _fails_in_an_envelope(value):
            return "error"
        answers = {kind: count for kind, count in marks.points(value).items() if kind != "request" and count > 0}
        if answers:
            kind = max(answers, key=lambda kind: answers[kind])
            return "completion" if kind == "chunk" and value.get("object") == "chat.completion" else kind
    return "error" if status is not None and status >= 400 else "completion"


def _fails_in_an_envelope(value: dict[str, Any]) -> bool:
    """Whether an answer without choices holds an error: some servers fill in the rest of a completion around it."""
    return bool(
        value.get("error")
        and "choices" in value
        and not value["choices"]
        and value.get("object") != "chat.completion.chunk"
    )


def is_stream(values: Iterable[object]) -> bool:
    """Whether the events of a stream are those of Chat Completions.

    One chunk is enough. Without any, an error or ``[DONE]`` is, unless there are events of another kind, too.
    """
    ended = other = False
    for value in values:
        kind = kind_of(value)
        if kind in ("chunk", "completion"):
            return True
        ended = ended or kind == "error" or value is NotJson.DONE
        other = other or (kind is None and not isinstance(value, NotJson))
    return ended and not other


def why_not(value: object) -> str:
    """Say what a document is that is no payload, or what it lacks to be one, in words for a reader."""
    if not isinstance(value, dict):
        return _NOTHING
    if name := others.names(value):
        return f"not Chat Completions: {name}"
    return marks.lacking(value) or _NOTHING


def why_no_stream(values: Iterable[object]) -> str:
    """Say of what the events of a stream are that is none of ours, in words for a reader."""
    named = (others.names(value) for value in values if isinstance(value, dict))
    name = next((name for name in named if name is not None), None)
    return f"not Chat Completions: {f'a stream of the {name}' if name else 'a stream of other events'}"


_NOTHING = "not a Chat Completions payload"


def _best(value: dict[str, object]) -> tuple[Kind, int]:
    found = marks.points(value)
    kind = max(found, key=lambda one: found[one])
    return kind, found[kind]
