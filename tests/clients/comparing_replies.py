"""Compare a deviating reply and its twin: do they have the same content, and differ only by the deviation?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import answers
from judging_replies import ReplyFinding, fold_reply
from repairing import NOT_REPAIRED_BY_FOLD
from replay_server import Reply

from isogloss.validator.exchange import Exchange
from isogloss.validator.pointer import ABSENT, generic

__all__ = ["differ_only_at", "have_same_content", "mode_of", "oracle_of", "sent_content"]

_MISREAD_BY_FOLD = NOT_REPAIRED_BY_FOLD | {"tool-call-name-repeated", "usage-repeated"}
"""Rules about streams: where one is broken, the fold of the stream is not the answer that was meant."""
_STATUS_RULES = frozenset(
    {"completion-with-error-status", "error-with-success-status", "error-in-stream", "error-in-chunk"}
)
"""Rules about the status. Under these, case and twin may have different statuses."""
_WHOLE_RULES = frozenset(
    {"body-empty", "body-not-json", "body-not-completion", "completion-wrapped", "event-not-chunk"}
)
"""Rules about a body or an event as a whole."""


def mode_of(reply: Reply, original: Exchange | None = None) -> str:
    """Return ``stream`` if the request asks for a stream, and ``answer`` otherwise.

    Without a request, the content type of the reply decides.
    """
    if original is not None and original.request is not None and isinstance(original.request.value, dict):
        return "stream" if original.request.value.get("stream") else "answer"
    return "stream" if "event-stream" in reply.content_type else "answer"


def oracle_of(reply: Reply) -> answers.Answer | None:
    """Return the content of a conforming reply if isogloss and the second fold read the same; ``None`` otherwise."""
    completion = fold_reply(reply)
    if isinstance(completion, dict) and isinstance(completion.get("error"), dict):
        return {"error": completion["error"].get("message")}
    try:
        first = answers.read_completion(completion)
        second = answers.read_body(b"".join(reply.pieces), reply.content_type)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    has_names = all(
        call["name"] for choice in first["choices"] or [first] for call in choice["calls"]
    )  # custom tools have none
    return first if first == second and has_names else None


def sent_content(reply: Reply, finding: ReplyFinding) -> answers.Answer:
    """Return the content of a deviating reply; nothing if the fold of its stream is not the answer that was meant."""
    if finding.kind == "stream" or finding.rule in _MISREAD_BY_FOLD:
        return {}
    try:
        return answers.read_completion(fold_reply(reply))
    except ValueError:
        return {}


def have_same_content(reply: Reply, twin: Reply, oracle: answers.Answer, finding: ReplyFinding) -> bool:
    """Return whether a twin has the same text and calls as its case, or the same error, as far as they can be read."""
    if reply.status != twin.status and finding.rule not in _STATUS_RULES:
        return False
    if "error" in oracle:
        body = b"".join(reply.pieces).decode("utf-8", "replace")
        return isinstance(oracle["error"], str) and oracle["error"] in body
    if finding.rule in _MISREAD_BY_FOLD or not isinstance(fold_reply(reply), dict):
        return True
    try:
        content = answers.read_completion(fold_reply(reply))
    except (ValueError, TypeError):
        return True
    if not finding.rule.startswith("choice-") and len(content["choices"] or [content]) != len(
        oracle["choices"] or [oracle]
    ):
        return False
    if (
        content["calls"]
        and "tool_calls" not in finding.path
        and _names_and_arguments(content["calls"]) != _names_and_arguments(oracle["calls"])
    ):
        return False
    return (
        not isinstance(content["text"], str)
        or "content" in finding.path
        or (content["text"] or None) == (oracle["text"] or None)
    )


def _names_and_arguments(calls: list[dict[str, Any]]) -> list[Any]:
    return [(call["name"], call["arguments"]) for call in calls]


def differ_only_at(case: Any, twin: Any, finding: ReplyFinding) -> bool:
    """Return whether two answers differ only by a deviation.

    Documents, and streams with equally many events, differ only at its path. If a case has more events than its twin,
    these have the deviation, and the others are the twin. If it has fewer, it lacks events that follow one another.
    """
    is_stream = isinstance(case, list) and isinstance(twin, list)
    others = [value for event, value in enumerate(case) if event not in finding.events] if is_stream else []
    if is_stream and len(case) > len(twin):
        return _are_equal(others, twin)
    if is_stream and len(case) < len(twin):
        missing = len(twin) - len(case)
        return any(_are_equal(case, twin[:start] + twin[start + missing :]) for start in range(len(case) + 1))
    if finding.path:
        return all(_is_one_inside_the_other(path, finding.path) for path in _differing_paths(case, twin))
    others_of_twin = [value for event, value in enumerate(twin) if event not in finding.events] if is_stream else []
    return _are_equal(case, twin) or (finding.rule in _WHOLE_RULES and _are_equal(others, others_of_twin))


def _are_equal(first: Any, second: Any) -> bool:
    return not any(True for _ in _differing_paths(first, second))


def _is_one_inside_the_other(first: str, second: str) -> bool:
    shorter, longer = sorted((first, second), key=len)
    return longer.startswith(shorter) and longer[len(shorter) :][:1] in ("", ".", "[")


def _differing_paths(first: Any, second: Any, pointer: tuple[str | int, ...] = ()) -> Iterator[str]:
    """Yield the paths at which the payloads of two answers differ."""
    if isinstance(first, dict) and isinstance(second, dict):
        for name in sorted({*first, *second}):
            yield from _differing_paths(first.get(name, ABSENT), second.get(name, ABSENT), (*pointer, name))
    elif isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        for index, pair in enumerate(zip(first, second, strict=True)):
            yield from _differing_paths(*pair, (*pointer, index))
    elif first != second or type(first) is not type(second):
        yield generic(pointer[1:] if pointer and isinstance(pointer[0], int) else pointer)
