"""What some exchanges and payloads have and most have not: what rules ``need`` to have anything to find.

Deciding which rules to ask costs less than asking them, and an ordinary answer gives most of them nothing to do.
Where this says that a feature is there, it need not be; where it says that it is not, rules that need it find nothing.
"""

from __future__ import annotations

import time
from functools import cache
from typing import Any

from isogloss.validator.exchange import Exchange, Payload, Stream
from isogloss.validator.streams.trace import Trace

__all__ = ["NONE", "of_completion", "of_exchange", "of_pair", "of_stream"]

NONE: frozenset[str] = frozenset()

_UNUSUAL = frozenset({"unusual"})
_CALLS = frozenset({"calls"})
_STREAM = frozenset({"stream"})

_STARTED = time.time()
"""When isogloss began: answers come before, in everything but a live check."""


@cache
def _combined(*features: str) -> frozenset[str]:
    return frozenset(features) - {""}


def of_exchange(exchange: Exchange) -> frozenset[str]:
    """Features of an exchange.

    ``request``; ``status`` and ``type`` where the capture tells; ``expected`` where it says what has to be answered;
    and of what the body is: ``stream``, ``text``, ``error`` (also for a failed stream) and ``padded`` for one that may
    begin with white space.
    """
    response = exchange.response
    request = "" if exchange.request is None else "request"
    if response is None:
        return _combined(request)
    body, status, content_type = response.body, response.status, response.content_type
    error = padded = other = ""
    if isinstance(body, Payload):
        error = "error" if body.kind == "error" else ""
        padded = "padded" if not body.at and body.text.data[:1].isspace() else ""
        if status is None and not (content_type or request or error or padded):
            return NONE
    elif isinstance(body, Stream):
        other = "stream"
        error = "error" if status is not None and status >= 400 else ""
    else:
        other = "text"
    return _combined(
        request,
        "" if status is None else "status",
        "type" if content_type else "",
        "expected" if exchange.expected_status else "",
        error,
        padded,
        other,
    )


def of_completion(value: dict[str, Any]) -> frozenset[str]:
    """Features of a completion.

    ``calls`` (of tools or of a function), ``logprobs``, ``refusal``, ``annotations``, ``choices`` for several of
    them, and ``unusual`` for every completion that is not one plain text with an identifier, a time, and counts that
    add up.
    """
    if _ordinary(value):
        return NONE
    choices = value.get("choices")
    if not isinstance(choices, list):
        return _UNUSUAL
    features = {"unusual"}
    if len(choices) > 1:
        features.add("choices")
    for choice in choices:
        if not isinstance(choice, dict):
            continue
        if choice.get("logprobs"):
            features.add("logprobs")
        message = choice.get("message")
        if isinstance(message, dict):
            if message.get("tool_calls") is not None or message.get("function_call") is not None:
                features.add("calls")
            features.update(name for name in ("refusal", "annotations") if message.get(name))
    return _combined(*sorted(features))


def _ordinary(value: dict[str, Any]) -> bool:
    """Whether a completion has none of the features. Its types are not asked for: what raises is not ordinary."""
    try:
        (choice,) = value["choices"]
        message, index, usage = choice["message"], choice["index"], value["usage"]
        prompt, answer, total = usage["prompt_tokens"], usage["completion_tokens"], usage["total_tokens"]
        return bool(
            type(prompt + answer + total + index + value["created"]) is int  # only if none of them is a float
            and prompt + answer == total > 0
            and index == 0
            and 0 < value["created"] <= _STARTED
            and value["id"]
            and value["model"]
            and choice["finish_reason"] in ("stop", "length")
            and message["content"] is not None
            and not message.get("refusal")
            and not message.get("annotations")
            and message.get("tool_calls") is None
            and message.get("function_call") is None
            and not choice.get("logprobs")
            and _ordinary_details(usage.get("prompt_tokens_details"), prompt)
            and _ordinary_details(usage.get("completion_tokens_details"), answer)
        )
    except (AttributeError, KeyError, TypeError, ValueError):
        return False


def _ordinary_details(details: Any, whole: int) -> bool:
    if details is not None:
        for count in details.values():
            if count is not None and (type(count) is not int or count > whole):
                return False
    return True


def of_stream(trace: Trace) -> frozenset[str]:
    """Features of a stream: ``calls``."""
    return _CALLS if any(trace.calls) else NONE


def of_pair(completion: frozenset[str], *, streamed: bool) -> frozenset[str]:
    """Features of a request with its answer: those of the completion, and ``stream``."""
    return completion | _STREAM if streamed else completion
