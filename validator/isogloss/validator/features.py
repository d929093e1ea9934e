"""What some exchanges and payloads have and most have not: what rules ``need`` to have anything to find.

Deciding which rules to ask costs less than asking them, and an ordinary answer gives most of them nothing to do.
Where this says that a feature is there, it need not be; where it says that it is not, rules that need it find nothing.
"""

from __future__ import annotations

import time
from functools import cache
from typing import Any

from isogloss.validator.exchange import Body, Exchange, Payload, Stream
from isogloss.validator.trace import Trace

__all__ = ["NONE", "of_completion", "of_exchange", "of_pair", "of_stream"]

NONE: frozenset[str] = frozenset()

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
    elif isinstance(body, Stream):
        other = "stream"
        error = "error" if status is not None and status >= 400 else ""
    elif isinstance(body, Body):
        other = "text"
    if status is None and content_type is None and not (request or error or padded or other):
        return NONE
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
    them, and ``unusual`` for one that is not ordinary in its identifiers, times, counts, or in how its choices end.
    """
    features = [] if _ordinary(value) else ["unusual"]
    choices = value.get("choices")
    if not isinstance(choices, list):
        return _combined(*features)
    if len(choices) > 1:
        features.append("choices")
    for choice in choices:
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(message, dict):
            message = {}
        if message.get("tool_calls") is not None or message.get("function_call") is not None:
            features.append("calls")
        if isinstance(choice, dict) and choice.get("logprobs"):
            features.append("logprobs")
        if message.get("refusal"):
            features.append("refusal")
        if message.get("annotations"):
            features.append("annotations")
    return _combined(*sorted(set(features))) if features else NONE


def _ordinary(value: dict[str, Any]) -> bool:
    created = value.get("created")
    if type(created) is not int or not 0 < created <= _STARTED or not value.get("id") or not value.get("model"):
        return False
    choices = value.get("choices")
    if not isinstance(choices, list):
        return False
    for position, choice in enumerate(choices):
        if not isinstance(choice, dict) or type(choice.get("index")) is not int or choice["index"] != position:
            return False
        message, reason = choice.get("message"), choice.get("finish_reason")
        if not isinstance(message, dict):
            return False
        if not message.get("tool_calls") and (message.get("content") is None or reason == "tool_calls"):
            return False
        if reason == "function_call":
            return False
    return _ordinary_usage(value.get("usage"))


def _ordinary_usage(usage: object) -> bool:
    """Whether all counts are there, are integers and make sense together."""
    if not isinstance(usage, dict):
        return False
    prompt, answer, total = usage.get("prompt_tokens"), usage.get("completion_tokens"), usage.get("total_tokens")
    if type(prompt) is not int or type(answer) is not int or type(total) is not int or prompt + answer != total:
        return False
    return _ordinary_details(usage.get("prompt_tokens_details"), prompt) and _ordinary_details(
        usage.get("completion_tokens_details"), answer
    )


def _ordinary_details(details: object, whole: int) -> bool:
    if details is None:
        return True
    if not isinstance(details, dict):
        return False
    for count in details.values():  # noqa: SIM110 - a generator takes longer than the few counts
        if count is not None and (type(count) is not int or count > whole):
            return False
    return True


def of_stream(trace: Trace) -> frozenset[str]:
    """Features of a stream: ``calls``."""
    return _CALLS if any(trace.calls) else NONE


def of_pair(completion: frozenset[str], *, streamed: bool) -> frozenset[str]:
    """Features of a request with its answer: those of the completion, and ``stream``."""
    return completion | _STREAM if streamed else completion


_CALLS = frozenset({"calls"})
_STREAM = frozenset({"stream"})
