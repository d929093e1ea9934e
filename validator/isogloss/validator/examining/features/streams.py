"""Features of a stream: of its chunks, and of how its choices and tool calls come."""

from __future__ import annotations

from itertools import count

from isogloss.validator.examining.features.sets import combined
from isogloss.validator.streams.trace import CallTrace, Trace

__all__ = ["of_stream"]


def of_stream(trace: Trace) -> frozenset[str]:
    """Features of a stream.

    ``calls`` and ``usage``, ``usage after usage``; ``changing envelope`` where a property of the envelope is not the
    same on all chunks, ``empty choices`` where a chunk has no choice; ``odd chunks`` where one is no chunk, an error,
    or has a property that none of OpenAI's has, such as a null delta, and where choices begin out of order or change
    their index. Of its choices: ``odd role`` where not the first delta alone has one, ``odd finish`` where it is not
    finished once, ``chunks behind the finish``, and ``odd fragments`` where a tool call is not sent as OpenAI does.
    """
    choices = trace.choices
    found = ["calls" if any(trace.calls) else "", "usage" if trace.usages else ""]
    if len(trace.usages) > 1:
        found.append("usage after usage")
    if any(len(run) > 1 for run in trace.runs.values()):
        found.append("changing envelope")
    if trace.empty:
        found.append("empty choices")
    if trace.null_deltas or trace.messages or trace.strangers or trace.errors or trace.index_change is not None:
        found.append("odd chunks")
    if list(choices) != sorted(choices):
        found.append("odd chunks")
    for choice in choices.values():
        roles = choice.roles
        if len(roles) != 1 or not roles[0].value or "role" not in choice.deltas[0].delta:
            found.append("odd role")
        if len(choice.finishes) != 1 or choice.blank_finishes:
            found.append("odd finish")
        if choice.after:
            found.append("chunks behind the finish")
        if choice.empty_calls:
            found.append("odd chunks")
        if choice.unindexed or not all(map(_is_plain, choice.calls, count())):
            found.append("odd fragments")
    return combined(*found)


def _is_plain(call: CallTrace, position: int) -> bool:
    """Whether a call is sent as OpenAI does: id, type and name on its first fragment, and its place as index."""
    first = call.fragments[0]
    return (
        call.index == position
        and len(call.ids) == len(call.names) == 1
        and not (call.reuses or call.nulls)
        and bool(first.value.get("id") and first.value.get("type") and first.function.get("name"))
    )
