"""Calls and the tool messages that answer them, in the order of the conversation."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from isogloss.validator.views import Call, Message, Request

__all__ = ["Fault", "faults"]


class Fault(NamedTuple):
    """What is wrong with a tool message, or with a call that was not answered in time.

    ``before`` is the message before which the answer should have come; ``None`` at the end of the conversation.
    """

    kind: Literal["unmatched", "twice", "unanswered"]
    message: Message | None = None
    call: Call | None = None
    before: Message | None = None


@lru_cache(maxsize=1)
def faults(request: Request) -> list[Fault]:
    """Return the faults of the conversation, in order.

    If an answer comes too late, only the call has a fault. Calls and messages without an id are ignored.
    """
    return list(_faults(request))


def _faults(request: Request) -> Iterator[Fault]:
    waiting: dict[str, Call] = {}
    state: dict[str, Literal["open", "answered", "lapsed"]] = {}
    for message in request.messages:
        if message.role == "tool":
            known = message.tool_call_id
            if known is None:
                continue
            if known not in state:
                yield Fault("unmatched", message)
            elif state[known] == "answered":
                yield Fault("twice", message)
            elif waiting.pop(known, None) is not None:
                state[known] = "answered"
            continue
        yield from _lapse(waiting, state, message)
        if message.role == "assistant":
            for call in message.calls:
                if call.id is not None:
                    waiting[call.id] = call
                    state[call.id] = "open"
    yield from _lapse(waiting, state, None)


def _lapse(
    waiting: dict[str, Call], state: dict[str, Literal["open", "answered", "lapsed"]], before: Message | None
) -> Iterator[Fault]:
    for known, call in waiting.items():
        state[known] = "lapsed"
        yield Fault("unanswered", call=call, before=before)
    waiting.clear()
