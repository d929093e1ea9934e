"""Match calls with the tool messages that answer them, in the order of the conversation."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from isogloss.validator.views import Call, Message, Request

__all__ = ["TurnFaults", "turn_faults"]


class TurnFaults(NamedTuple):
    """The faults of a conversation, each kind in order.

    ``unmatched`` are the tool messages that answer no call before them, ``twice`` those that answer a call again.
    ``unanswered`` are the calls that were not answered in time, each with whether the conversation goes on after it.
    """

    unmatched: list[Message]
    twice: list[Message]
    unanswered: list[tuple[Call, bool]]


@lru_cache(maxsize=1)
def turn_faults(request: Request) -> TurnFaults:
    """Return the faults of the conversation.

    If an answer comes too late, only the call has a fault. Calls and messages without an id are ignored.
    """
    faults = TurnFaults([], [], [])
    waiting: dict[str, Call] = {}
    is_answered: dict[str, bool] = {}
    for message in request.messages:
        call_id = message.tool_call_id
        if message.role != "tool":
            faults.unanswered.extend((call, True) for call in waiting.values())
            waiting = {}
            if message.role == "assistant":
                waiting = {call.id: call for call in message.calls if call.id is not None}
                is_answered |= dict.fromkeys(waiting, False)
        elif call_id is None:
            continue
        elif call_id not in is_answered:
            faults.unmatched.append(message)
        elif is_answered[call_id]:
            faults.twice.append(message)
        elif waiting.pop(call_id, None) is not None:
            is_answered[call_id] = True
    faults.unanswered.extend((call, False) for call in waiting.values())
    return faults
