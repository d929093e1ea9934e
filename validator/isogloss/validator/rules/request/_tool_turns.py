"""Match calls with the tool messages that answer them, in the order of the conversation."""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import NamedTuple

from isogloss.validator.pointer import Pointer
from isogloss.validator.views import Call, Message, Request

__all__ = ["TurnFaults", "turn_faults"]

_ROLES = frozenset({"developer", "system", "user", "assistant", "tool", "function"})
_ANY_NUMBER = sys.maxsize


class TurnFaults(NamedTuple):
    """The faults of a conversation, each kind in order.

    ``unmatched`` are the tool messages that answer no call before them, ``twice`` those that answer a call again.
    ``unanswered`` are the calls that were not answered in time, each with whether the conversation goes on after it.
    ``stand_ins`` has, by the pointer of a message that answers no call, that of a call before it without an answer.
    """

    unmatched: list[Message]
    twice: list[Message]
    unanswered: list[tuple[Call, bool]]
    stand_ins: dict[Pointer, Pointer]


@lru_cache(maxsize=1)
def turn_faults(request: Request) -> TurnFaults:
    """Return the faults of the conversation.

    If an answer comes too late, only the call has a fault. If it stands before its call, only the answer has one. A
    call or a message whose id cannot be read, a call with the id of another one, and a message of an unknown role have
    findings of their own: each may belong to one of the others, which lacks its partner.
    """
    faults = TurnFaults([], [], [], {})
    waiting: dict[str, Call] = {}
    is_answered: dict[str, bool] = {}
    strangers: list[Message] = []  # since the last message that made calls, those that answer none

    def end_turn(*, goes_on: bool) -> None:
        unanswered = [*waiting.values()][unread_answers:]
        faults.unanswered.extend((call, goes_on) for call in unanswered)
        faults.stand_ins.update((message.at, call.at) for message, call in zip(strangers, unanswered, strict=False))

    unread_calls, unread_answers = 0, 0
    messages = request.value.get("messages")
    if isinstance(messages, list) and len(messages) > len(request.messages):
        return faults  # some of them are no objects
    for message in request.messages:
        call_id = message.tool_call_id
        if message.role not in _ROLES:
            unread_calls = unread_answers = _ANY_NUMBER
        elif message.role != "tool":
            if waiting:
                end_turn(goes_on=True)
                waiting = {}
            unread_answers, strangers = 0, []
            calls = message.value.get("tool_calls") if message.role == "assistant" else None
            if calls is not None:
                waiting = {call.id: call for call in message.calls if call.id is not None}
                is_answered |= dict.fromkeys(waiting, False)
                unread_calls += len(calls) - len(waiting) if isinstance(calls, list) else _ANY_NUMBER
        elif call_id is None:
            unread_answers += 1
        elif call_id not in is_answered:
            if unread_calls:
                unread_calls -= 1
            else:
                faults.unmatched.append(message)
                strangers.append(message)
        elif is_answered[call_id]:
            faults.twice.append(message)
        elif waiting.pop(call_id, None) is not None:
            is_answered[call_id] = True
    end_turn(goes_on=False)
    if faults.unmatched and faults.unanswered:
        early = {message.tool_call_id for message in faults.unmatched}
        faults.unanswered[:] = [fault for fault in faults.unanswered if fault[0].id not in early]
    return faults
