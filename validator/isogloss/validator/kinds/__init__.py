"""Tell the kind of a JSON document from all evidence for and against it, or what else the document is.

A document gets points for each kind: `marks` has the evidence for each kind, and `others` has the evidence for another
API or for a document that is no traffic. A document is a payload only if it has `_ENOUGH` points. If the context shows
what a document is (the path of the request, or that it answers a request of Chat Completions), captures require fewer
points.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from isogloss.validator.exchange import Cause, Kind, NotJson, Stream, Why
from isogloss.validator.kinds import events, marks, others

__all__ = [
    "CHECK_AS_KIND", "FIRST_ITEMS", "KINDS", "REPORT", "SAY_WHERE", "answer_kind", "chunks_in", "is_stream",
    "kind_of", "why_no_payload", "why_no_stream",
]  # fmt: skip

KINDS: tuple[Kind, ...] = ("request", "completion", "chunk", "error")

_ENOUGH = 3
"""The points that a document needs to be a payload of a kind, whatever its context."""

_POINTS_OF_OTHERS = 4
"""The points that a document loses if it has the marks of something else."""


def kind_of(value: object) -> Kind | None:
    """Tell the kind of a JSON document without context, or return ``None`` if it has too few points for every kind.

    Of two kinds with the same points, the first of completion, chunk, error and request counts.
    """
    if not isinstance(value, dict):
        return None
    if (plain := marks.plain_answer(value)) is not None:
        return plain
    if value.keys().isdisjoint(marks.TELLING_PROPERTIES):
        return None
    if _fails_in_an_envelope(value):
        return "error"
    points = marks.points(value)
    kind = max(points, key=points.__getitem__)
    if points[kind] < _ENOUGH or (points[kind] - _POINTS_OF_OTHERS < _ENOUGH and others.other_kind(value)):
        return None
    return kind


def answer_kind(value: object, status: int | None) -> Kind:
    """Tell the kind of a known answer that is no stream: the kind with the most points, or the kind its status shows.

    A chunk stands in the place of a completion then.
    """
    if isinstance(value, dict) and (kind := marks.plain_answer(value) or _most_likely(value)) is not None:
        return "completion" if kind == "chunk" else kind
    return "error" if status is not None and status >= 400 else "completion"


def _most_likely(value: dict[str, Any]) -> Kind | None:
    """Return the kind of an answer with the most points, or ``None`` if it has none."""
    if _fails_in_an_envelope(value):
        return "error"
    answers = {kind: count for kind, count in marks.points(value).items() if kind != "request" and count > 0}
    return max(answers, key=answers.__getitem__, default=None)


def _fails_in_an_envelope(value: dict[str, Any]) -> bool:
    """Return whether an answer without choices holds an error. Some servers put the error into an empty completion."""
    return bool(
        value.get("error")
        and "choices" in value
        and not value["choices"]
        and value.get("object") != "chat.completion.chunk"
    )


def is_stream(values: Iterable[object]) -> bool:
    """Return whether the events of a stream are those of Chat Completions.

    One chunk is enough. Without a chunk, an error or ``[DONE]`` is enough, unless there are events of another kind. An
    error that many APIs send is of no other kind.
    """
    has_end = has_other = False
    for value in values:
        kind = kind_of(value)
        if kind in ("chunk", "completion"):
            return True
        has_end = has_end or kind == "error" or value is NotJson.DONE
        has_other = has_other or (kind is None and not isinstance(value, NotJson) and not _may_be_error(value))
    return has_end and not has_other


def _may_be_error(value: object) -> bool:
    """Return whether an event is an error with a message, which many APIs send."""
    return isinstance(value, dict) and marks.points(value)["error"] > 1 and others.other_kind(value) is None


_RECORDED = frozenset({"request", "response", "messages", "sse", "chunks", "method", "url", "body"})
"""Properties of records. No event of a stream has one of them."""
FIRST_ITEMS = 3
"""One of so many first items of a list is a chunk, if the list keeps a stream."""


def chunks_in(value: object) -> list[Any]:
    """Return the items of a list that keeps the events of a stream, or an empty list for any other value.

    Most of them are chunks. The others may be an error, the end, what only some servers send, such as heartbeats or the
    usage alone, or the whole completion behind chunks that have its id and no finish reason. An empty object or a null
    at the end stands for the end in some logs, and is left out.
    """
    if not isinstance(value, list) or not value:
        return []
    items = value[:-1] if value[-1] is None or value[-1] == {} else value
    if not any(kind_of(item) == "chunk" for item in items[:FIRST_ITEMS]):
        return []
    chunks: list[dict[str, Any]] = []
    others_between = 0
    for item in items:
        kind = kind_of(item)
        if kind == "chunk":
            chunks.append(item)
        elif (
            kind == "error"
            or (kind is None and isinstance(item, dict) and item.keys().isdisjoint(_RECORDED))
            or (kind == "completion" and (events.may_be_chunk(item) or _is_completion_of(chunks, item)))
        ):
            others_between += 1
        elif item is not None and item != "[DONE]":
            return []
    return items if len(chunks) > others_between else []


def _is_completion_of(chunks: Sequence[dict[str, Any]], value: dict[str, Any]) -> bool:
    """Return whether a value is the whole completion at the end of these chunks, which have no finish reason."""
    if not chunks or any(map(events.has_finish_reason, chunks)):
        return False
    return events.is_completion_of_stream(value, chunks[-1].get("id"))


def why_no_payload(value: object) -> Why:
    """Say what a document is if it is no payload, or what it lacks to be one, in words for a reader."""
    if not isinstance(value, dict):
        return _NOTHING
    if name := others.other_kind(value):
        return REPORT if name == others.REPORT_NAME else Why(f"not Chat Completions: {name}", Cause.OTHER)
    return marks.what_is_missing(value) or _NOTHING


def why_no_stream(stream: Stream) -> Why:
    """Say what the events of a stream are if they are not those of Chat Completions, in words for a reader."""
    found_names = (others.other_kind(value) for value in stream.values if isinstance(value, dict))
    name = next((name for name in found_names if name is not None), None)
    if name is None:
        return _CUT_EVENT if len(stream.cut) == len(stream.values) else _OTHER_EVENTS
    is_of_api = name.endswith(("API", "SDK", "protocol"))
    what = f"a stream of the {name}" if is_of_api else f"a stream of other events ({name})"
    return Why(f"not Chat Completions: {what}", Cause.OTHER)


REPORT = Why(
    f"not Chat Completions: {others.REPORT_NAME}",
    Cause.OTHER,
    "isogloss compare takes two reports of isogloss probe",
)
"""Why a report of isogloss is skipped."""
CHECK_AS_KIND = f"isogloss check --kind {'|'.join(KINDS)} checks it as a payload of that kind"
"""What to do with JSON that is not recognised as a payload."""
SAY_WHERE = "--columns request=PATH,response=PATH says where records hold the bodies"
"""What to do with records in which neither a request nor an answer is found."""
_NOTHING = Why(
    "not a Chat Completions payload",
    Cause.NOTHING,
    f"{CHECK_AS_KIND}; {SAY_WHERE}",
)
_CUT_EVENT = Why("the stream is cut off inside its first event, which does not show whether it is Chat Completions")
_OTHER_EVENTS = Why("not Chat Completions: a stream of other events", Cause.OTHER)
