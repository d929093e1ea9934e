"""Features of exchanges and payloads that a rule may name in ``needs``: without them it has nothing to find.

Most answers have none of them, and asking for a feature costs less than running the rules that need it. No rule is
named here. Where a feature is said to be there, it need not be; where it is said to be absent, it is.
"""

from __future__ import annotations

import time
from functools import cache
from typing import Any

from isogloss.validator.exchange import Exchange, Payload, Stream
from isogloss.validator.pointer import ABSENT
from isogloss.validator.streams.trace import Trace

__all__ = ["NONE", "of_completion", "of_exchange", "of_pair", "of_stream"]

NONE: frozenset[str] = frozenset()

_CALLS = frozenset({"calls"})
_STREAM = frozenset({"stream"})


_STARTED = time.time()
"""When isogloss began, in seconds since 1970: answers were created before, in everything but a live check."""


@cache
def _combined(*features: str) -> frozenset[str]:
    return frozenset(features) - {""}


def of_exchange(exchange: Exchange) -> frozenset[str]:
    """Features of an exchange.

    ``request``; ``status`` and ``type`` where the capture tells; ``expected`` where it says what has to be answered,
    and ``expected-code``; ``earlier-ids`` where it tells those of other answers; ``models`` where these were asked for;
    ``broken`` where it says that the connection broke, ``arrivals`` where it says when the bytes of the body came; and
    of what the body is: ``stream``, ``text``, ``error`` (also for a failed stream), ``unsound`` for JSON with a fault
    in it, and ``padded`` for one that may begin with white space.
    """
    response = exchange.response
    request = "" if exchange.request is None else "request"
    if response is None:
        return _combined(request, "" if exchange.models is None else "models")
    body, status, content_type = response.body, response.status, response.content_type
    error = padded = other = ""
    if isinstance(body, Payload):
        other = "" if body.sound else "unsound"
        error = "error" if body.kind == "error" else ""
        padded = "padded" if not body.at and body.text.data[:1].isspace() else ""
        if status is None and not (content_type or request or error or padded or other or response.broken):
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
        "expected-code" if exchange.expected_code is not None else "",
        "earlier-ids" if exchange.earlier_ids else "",
        "broken" if response.broken else "",
        "arrivals" if response.arrivals else "",
        error,
        padded,
        other,
    )


def of_completion(value: dict[str, Any]) -> frozenset[str]:
    """Features of a completion.

    Of the whole: ``empty`` where its id or model is an empty text, ``odd-time`` where it was not created between 1970
    and the start of isogloss, ``no-usage``, ``zero-usage`` where its total is 0 or none are of the completion,
    ``details`` where one of the usage is not 0, ``float`` where one of its numbers, a choice's index or the time has a
    decimal point or is as large as that. Of its choices: ``choices`` for several, ``odd-index`` if one is not its
    position, ``delta``, ``logprobs``, ``finish-calls`` where a finish reason speaks of calls. Of its messages:
    ``calls`` (of tools or of a function), ``no-content`` where it is null or blank, ``refusal`` and ``annotations``;
    ``reasoning``; ``marks`` where there are calls, or text with any character of markup or the replacement character.
    """
    found: list[str] = []
    if value.get("id") == "" or value.get("model") == "":
        found.append("empty")
    created = value.get("created")
    if type(created) is not int or not 0 < created <= _STARTED:
        found.append("odd-time")
        if type(created) is float:
            found.append("float")
    usage = value.get("usage")
    if isinstance(usage, dict):
        if not usage.get("total_tokens") or usage.get("completion_tokens") == 0:
            found.append("zero-usage")
        if float in map(type, usage.values()):
            found.append("float")
        for name in ("prompt_tokens_details", "completion_tokens_details"):
            details = usage.get(name)
            if isinstance(details, dict) and details:
                if any(details.values()):
                    found.append("details")
                if float in map(type, details.values()):
                    found.append("float")
    elif "usage" not in value:
        found.append("no-usage")
    choices = value.get("choices")
    if isinstance(choices, list):
        if len(choices) > 1:
            found.append("choices")
        for position, choice in enumerate(choices):
            if isinstance(choice, dict):
                _of_choice(choice, position, found)
            else:  # rules count only the objects
                found.append("odd-index")
    return _combined(*found) if found else NONE


def _of_choice(choice: dict[str, Any], position: int, found: list[str]) -> None:
    get = choice.get
    index = get("index")
    if index != position:
        found.append("odd-index")
    if type(index) is float:
        found.append("float")
    if "delta" in choice:
        found.append("delta")
    if get("logprobs"):
        found.append("logprobs")
    if get("finish_reason") in ("tool_calls", "function_call"):
        found.append("finish-calls")
    message = get("message")
    if isinstance(message, dict):
        get = message.get
        content = get("content", ABSENT)
        if content is None or (type(content) is str and not content.strip()):
            found.append("no-content")
        elif type(content) is str and _may_have_marks(content):
            found.append("marks")
        for name in ("reasoning_content", "reasoning"):
            text = get(name)
            if text and type(text) is str:
                found.append("reasoning")
                if _may_have_marks(text):
                    found.append("marks")
        if get("tool_calls") is not None or get("function_call") is not None:
            found += ("calls", "marks")
        if get("refusal"):
            found.append("refusal")
        if get("annotations"):
            found.append("annotations")


def _may_have_marks(text: str) -> bool:
    return "<" in text or "[" in text or "\ufffd" in text or "◁" in text


def of_stream(trace: Trace) -> frozenset[str]:
    """Features of a stream: ``calls``."""
    return _CALLS if any(trace.calls) else NONE


def of_pair(completion: frozenset[str], *, streamed: bool) -> frozenset[str]:
    """Features of a request with its answer: those of the completion, and ``stream``."""
    return completion | _STREAM if streamed else completion
