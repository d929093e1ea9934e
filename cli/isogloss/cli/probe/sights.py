"""Whether an answer shows what a case is about. What a model says is not judged, only what there is to look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from isogloss.validator.exchange import Exchange, Payload, Stream
from isogloss.validator.streams.fold import fold
from isogloss.validator.streams.trace import Trace

__all__ = ["Completion", "a_tool_call", "completion_of", "logprobs", "the_limit", "two_choices", "two_tool_calls"]

Completion = Mapping[str, Any]


def completion_of(exchange: Exchange) -> Completion | None:
    """The completion that was answered, or that the stream folds into; ``None`` when there is neither."""
    body = exchange.response.body if exchange.response is not None else None
    if isinstance(body, Stream):
        folded = fold(Trace(body))
        return folded.value if folded is not None else None
    if isinstance(body, Payload) and body.kind == "completion" and isinstance(body.value, dict):
        return body.value
    return None


def _choices(completion: Completion) -> Iterator[Completion]:
    choices = completion.get("choices")
    yield from (one for one in (choices if isinstance(choices, list) else ()) if isinstance(one, dict))


def _calls(completion: Completion) -> int:
    messages = [choice.get("message") for choice in _choices(completion)]
    calls = [message.get("tool_calls") for message in messages if isinstance(message, dict)]
    return max((len(one) for one in calls if isinstance(one, list)), default=0)


def a_tool_call(completion: Completion) -> str | None:
    """Why no tool call was seen."""
    return None if _calls(completion) else "the answer calls no tool"


def two_tool_calls(completion: Completion) -> str | None:
    """Why no parallel tool calls were seen."""
    return None if _calls(completion) > 1 else "the answer has no two calls"


def two_choices(completion: Completion) -> str | None:
    """Why no second choice was seen."""
    return None if sum(1 for _ in _choices(completion)) > 1 else "the answer has no second choice"


def logprobs(completion: Completion) -> str | None:
    """Why no log probabilities were seen."""
    return None if any(choice.get("logprobs") for choice in _choices(completion)) else "the answer has no logprobs"


def the_limit(completion: Completion) -> str | None:
    """Why it was not seen what happens at the limit."""
    reached = any(choice.get("finish_reason") == "length" for choice in _choices(completion))
    return None if reached else "the answer ended before the limit"
