"""Find the features of a stream: of its chunks, and of how its choices and tool calls are sent."""

from __future__ import annotations

from itertools import count

from isogloss.validator.examining.features.sets import combined_of
from isogloss.validator.streams.trace import CallTrace, Trace

__all__ = ["of_stream"]


def of_stream(trace: Trace) -> frozenset[str]:
    """Return the features of a stream.

    Of the stream:

    * ``calls``, ``usage``, and ``repeated usage`` if there are several usage objects.
    * ``changing envelope``: a property of the envelope is not the same in all chunks.
    * ``empty choices``: a chunk has an empty list of choices.
    * ``unusual chunks``: an event is an error or no chunk; a chunk is unlike those of OpenAI, for example with a null
      delta; or choices begin out of order or change their index.

    Of its choices:

    * ``unusual role``: the first delta has no role, or another delta has one, too.
    * ``unusual finish``: the choice does not have exactly one finish reason.
    * ``chunks after the finish``.
    * ``unusual fragments``: a tool call is not sent as OpenAI sends it.
    """
    choices = trace.choices
    found = ["calls" if any(trace.called) else "", "usage" if trace.usages else ""]
    if len(trace.usages) > 1:
        found.append("repeated usage")
    if any(len(run) > 1 for run in trace.runs.values()):
        found.append("changing envelope")
    if trace.empty:
        found.append("empty choices")
    unusual = (trace.null_deltas, trace.null_errors, trace.messages, trace.no_chunks, trace.errors)
    if any(unusual) or trace.index_change is not None:
        found.append("unusual chunks")
    if list(choices) != sorted(choices):
        found.append("unusual chunks")
    for choice in choices.values():
        roles = choice.roles
        if len(roles) != 1 or not roles[0].value or "role" not in choice.deltas[0].delta:
            found.append("unusual role")
        if len(choice.finishes) != 1 or choice.blank_finishes:
            found.append("unusual finish")
        if choice.after:
            found.append("chunks after the finish")
        if choice.empty_calls:
            found.append("unusual chunks")
        function_call = choice.function_call
        if (
            choice.unindexed
            or choice.float_indexed
            or choice.texts_with_calls
            or not all(map(_is_plain, choice.calls, count()))
            or not (function_call is None or _is_plain_function_call(function_call))
        ):
            found.append("unusual fragments")
    return combined_of(found)


def _is_plain_function_call(call: CallTrace) -> bool:
    return len(call.names) == 1 and bool(call.fragments[0].function.get("name"))


def _is_plain(call: CallTrace, position: int) -> bool:
    """Return whether a call is sent as OpenAI does: its beginning in its first fragment, its position as index."""
    first = call.fragments[0]
    function = first.function
    return (
        call.index == position
        and len(call.ids) == len(call.types) == len(call.names) == 1
        and not call.nulls
        and bool(first.value.get("id") and first.value.get("type") and function.get("name"))
        and (function.get("arguments") is not None or "input" in function)
    )
