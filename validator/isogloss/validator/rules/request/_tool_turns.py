"""Match calls with the tool messages that answer them, in the order of the conversation."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from isogloss.validator.views import Call, Message, Request

__all__ = ["TurnFault", "turn_faults"]


class TurnFault(NamedTuple):
    """What is wrong with a tool message, or with a call that was not answered in time.

    ``before`` is the message before which the answer should have come; ``None`` at the end of the conversation.
    """

    kind: Literal["unmatched", "twice", "unanswered"]
    message: Message | None = None
    call: Call | None = None
    before: Message | None = None


@lru_cache(maxsize=1)
def turn_faults(request: Request) -> list[TurnFault]:
    """Return the faults of the conversation, in order.

    If an answer comes too late, only the call has a fault. Calls and messages without an id are ignored.
    """
    return list(_faults(request))


def _faults(request: Request) -> Iterator[TurnFault]:
    open_calls: dict[str, Call] = {}
    states: dict[str, Literal["open", "answered", "unanswered"]] = {}
    for message in request.messages:
        if message.role == "tool":
            call_id = message.tool_call_id
            if call_id is None:
                continue
            if call_id not in states:
                yield TurnFault("unmatched", message)
            elif states[call_id] == "answered":
                yield TurnFault("twice", message)
            elif open_calls.pop(call_id, None) is not None:
                states[call_id] = "answered"
            continue
        yield from _close_open_calls(open_calls, states, message)
        if message.role == "assistant":
            for call in message.calls:
                if call.id is not None:
                    open_calls[call.id] = call
                    states[call.id] = "open"
    yield from _close_open_calls(open_calls, states, None)


def _close_open_calls(
    open_calls: dict[str, Call], states: dict[str, Literal["open", "answered", "unanswered"]], before: Message | None
) -> Iterator[TurnFault]:
    for call_id, call in open_calls.items():
        states[call_id] = "unanswered"
        yield TurnFault("unanswered", call=call, before=before)
    open_calls.clear()
