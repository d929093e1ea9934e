"""Features of exchanges and payloads that a rule may name in ``needs``: without them it has nothing to find.

Most answers have none of them, and asking for a feature costs less than running the rules that need it. No rule is
named here. Where a feature is said to be there, it need not be; where it is said to be absent, it is.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from isogloss.validator.exchange import Exchange, Payload, Stream
from isogloss.validator.streams.trace import Trace

__all__ = ["NONE", "of_completion", "of_exchange", "of_pair", "of_stream"]

NONE: frozenset[str] = frozenset()

_CALLS = frozenset({"calls"})
_STREAM = frozenset({"stream"})


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
    """Features of a completion: ``choices`` for several of them, ``logprobs``, ``calls`` (of tools or of a function),
    and of its messages ``refusal`` and ``annotations``.
    """
    choices = value.get("choices")
    if not isinstance(choices, list):
        return NONE
    several = "choices" if len(choices) > 1 else ""
    logprobs = calls = refusal = annotations = ""
    for choice in choices:
        if not isinstance(choice, dict):
            continue
        if choice.get("logprobs"):
            logprobs = "logprobs"
        message = choice.get("message")
        if isinstance(message, dict):
            get = message.get
            if get("tool_calls") is not None or get("function_call") is not None:
                calls = "calls"
            if get("refusal"):
                refusal = "refusal"
            if get("annotations"):
                annotations = "annotations"
    return _combined(several, logprobs, calls, refusal, annotations)


def of_stream(trace: Trace) -> frozenset[str]:
    """Features of a stream: ``calls``."""
    return _CALLS if any(trace.calls) else NONE


def of_pair(completion: frozenset[str], *, streamed: bool) -> frozenset[str]:
    """Features of a request with its answer: those of the completion, and ``stream``."""
    return completion | _STREAM if streamed else completion
