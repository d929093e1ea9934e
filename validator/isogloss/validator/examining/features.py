"""Features of exchanges and payloads that a rule may name in ``needs``: without them it has nothing to find.

Most exchanges have few of them, and finding a feature costs less than running the rules that need it. No rule is
named here. Where a feature is said to be there, it need not be; where it is said to be absent, it is. Features are
named in the words that reports show them with, and :mod:`~isogloss.validator.examining.subjects` counts by them.
"""

from __future__ import annotations

import time
from functools import lru_cache
from typing import Any

from isogloss.validator.exchange import Exchange, Payload, Stream
from isogloss.validator.pointer import ABSENT
from isogloss.validator.rules.pairing import demand, usage_asked
from isogloss.validator.streams.trace import Trace, error_events
from isogloss.validator.views import Request, items, obj

__all__ = ["NONE", "SIGNS", "of_completion", "of_exchange", "of_pair", "of_request", "of_stream"]

NONE: frozenset[str] = frozenset()

SIGNS = frozenset({
    "broken", "broken events", "changing envelope", "chunks behind the finish", "data behind the end", "delta", "empty",
    "empty choices", "error events", "error status", "float", "marks", "no content", "no end", "no usage", "odd chunks",
    "odd finish", "odd framing", "odd index", "odd role", "odd time", "padded", "several ends", "text", "unsound",
    "zero usage",
})  # fmt: skip
"""The features that are signs of a fault, such as an empty id; all others say what rules are about."""

_COMPLETION = frozenset({"completion"})
_OPTIONS = {
    "logit_bias": "logit_bias", "max_completion_tokens": "token limit", "max_tokens": "token limit",
    "service_tier": "service_tier", "stop": "stop", "stream_options": "stream_options", "tools": "tools",
    "functions": "tools",
    "top_logprobs": "top_logprobs", "tool_choice": "tool_choice", "function_call": "tool_choice",
}  # fmt: skip
_TOOL_OPTIONS = frozenset({"tool_choice", "parallel_tool_calls"})

_STARTED = time.time()
"""When isogloss began, in seconds since 1970: answers were created before, in everything but a live check."""


@lru_cache(maxsize=4096)
def _combined(*features: str) -> frozenset[str]:
    return frozenset(features) - {""}


def of_exchange(exchange: Exchange, trace: Trace | None) -> frozenset[str]:
    """Features of an exchange, whose stream, if it has one, has that trace.

    ``request``, and ``stream asked for`` where it is a Chat Completions request that asks for one; ``status`` and
    ``content type`` where the capture tells, ``error status`` for one that is not of a success; ``expected status``
    where it says what has to be answered, and ``expected code``; ``ids of earlier answers``; ``models`` where
    these were asked for; ``broken`` where it says that the connection broke, ``times of arrival`` where it says when
    the bytes of the body came; and of what the body is: ``text``, ``error`` (also for a failed stream), ``unsound`` for
    JSON with a fault in it, ``padded`` for one that may begin with white space; and ``stream``, with ``odd framing``
    where an event is more than one line of data, ``error events``, ``broken events`` that are no JSON, and ``no end``,
    ``several ends`` or ``data behind the end``, which is `[DONE]`.
    """
    response = exchange.response
    request = asked = ""
    if exchange.request is not None:
        request, value = "request", exchange.request.value
        asked = "stream asked for" if isinstance(value, dict) and value.get("stream") is True else ""
    if response is None:
        return _combined(request, asked, "" if exchange.models is None else "models")
    body, status, content_type = response.body, response.status, response.content_type
    failed = status is not None and status >= 400
    error = padded = other = ""
    events: tuple[str, ...] = ()
    if isinstance(body, Payload):
        other = "" if body.sound else "unsound"
        error = "error" if body.kind == "error" else ""
        padded = "padded" if not body.at and body.text.data[:1].isspace() else ""
        if status is None and not (content_type or request or error or padded or other or response.broken):
            return NONE
    elif isinstance(body, Stream):
        other = "stream"
        error = "error" if failed else ""
        events = _of_events(body, trace) if trace is not None else ()
    else:
        other = "text"
    return _combined(
        request,
        asked,
        "" if status is None else "status",
        "error status" if failed else "",
        "content type" if content_type else "",
        "expected status" if exchange.expected_status else "",
        "expected code" if exchange.expected_code is not None else "",
        "ids of earlier answers" if exchange.earlier_ids else "",
        "broken" if response.broken else "",
        "times of arrival" if response.arrivals else "",
        error,
        padded,
        other,
        *events,
    )


def _of_events(stream: Stream, trace: Trace) -> tuple[str, ...]:
    ends = trace.done
    return (
        "odd framing" if stream.framing is not None and stream.framing.odd else "",
        "error events" if trace.errors or error_events(stream) else "",
        "broken events" if trace.broken or trace.blank else "",
        "no end" if not ends else "several ends" if len(ends) > 1 else "",
        "data behind the end" if ends and ends[0] < len(stream.values) - 1 else "",
    )


def of_request(request: Request) -> frozenset[str]:
    """Features of a request.

    Its options, as far as rules read them: ``logit_bias``, ``service_tier``, ``stop``, ``stream_options``,
    ``top_logprobs``; ``token limit``, ``tools`` and ``tool_choice`` by both of their names; ``tool options`` for those
    that need tools. What it asks for: ``usage asked for``, ``logprobs asked for``, ``audio asked for``, ``JSON asked
    for``, with a ``response schema``; ``call demanded``, ``tool_choice none`` or ``parallel_tool_calls false``; and a
    ``strict schema``, of a tool or of the response. In its messages: ``tool calls in messages``, ``tool messages`` and
    ``file parts``.
    """
    value = request.value
    found = [_OPTIONS[name] for name in _OPTIONS.keys() & value.keys() if value[name] is not None]
    if usage_asked(request):
        found.append("usage asked for")
    if value.get("logprobs") is True:
        found.append("logprobs asked for")
    if not value.keys().isdisjoint(_TOOL_OPTIONS):
        found.append("tool options")
        if value.get("parallel_tool_calls") is False:
            found.append("parallel_tool_calls false")
    modalities = value.get("modalities")
    if isinstance(modalities, list) and "audio" in modalities:
        found.append("audio asked for")
    if "tool_choice" in found:
        mode = demand(request).mode
        if mode != "auto":
            found.append("tool_choice none" if mode == "none" else "call demanded")
    wanted = obj(value.get("response_format")) or {}
    if wanted.get("type") in ("json_object", "json_schema"):
        found.append("JSON asked for")
        if wanted["type"] == "json_schema":
            found.append("response schema")
    strict = obj(wanted.get("json_schema")) or {}
    if strict.get("strict") is True or any(tool.strict for tool in request.tools):
        found.append("strict schema")
    for message in request.messages:
        if message.role == "tool":
            found.append("tool messages")
        if message.value.get("tool_calls") is not None:
            found.append("tool calls in messages")
        if type(message.content) is list and any(part.get("type") == "file" for _, part in items(message.content)):
            found.append("file parts")
    return _combined(*sorted(set(found))) if found else NONE


def of_completion(value: dict[str, Any]) -> frozenset[str]:
    """Features of a completion.

    Of the whole: ``empty`` where its id or model is an empty text, ``odd time`` where it was not created between 1970
    and the start of isogloss, ``usage`` or ``no usage``, ``zero usage`` where its total is 0 or none are of the
    completion, ``usage details`` where one is not 0, ``float`` where one of its numbers, a choice's index or the time
    has a decimal point or is as large as that. Of its choices: ``several choices``, ``odd index`` if one is not its
    position, ``delta``, ``logprobs``, ``finish reason of calls``. Of its messages: ``calls`` (of tools or of a
    function), ``no content`` where it is null or blank, ``refusal`` and ``annotations``; ``reasoning``; ``marks`` where
    there are calls, or text with any character of markup or the replacement character.
    """
    found: list[str] = []
    if value.get("id") == "" or value.get("model") == "":
        found.append("empty")
    created = value.get("created")
    if type(created) is not int or not 0 < created <= _STARTED:
        found.append("odd time")
        if type(created) is float:
            found.append("float")
    usage = value.get("usage")
    if isinstance(usage, dict):
        found.append("usage")
        if not usage.get("total_tokens") or usage.get("completion_tokens") == 0:
            found.append("zero usage")
        if float in map(type, usage.values()):
            found.append("float")
        for name in ("prompt_tokens_details", "completion_tokens_details"):
            details = usage.get(name)
            if isinstance(details, dict) and details:
                if any(details.values()):
                    found.append("usage details")
                if float in map(type, details.values()):
                    found.append("float")
    elif "usage" not in value:
        found.append("no usage")
    choices = value.get("choices")
    if isinstance(choices, list):
        if len(choices) > 1:
            found.append("several choices")
        for position, choice in enumerate(choices):
            if isinstance(choice, dict):
                _of_choice(choice, position, found)
            else:  # rules count only the objects
                found.append("odd index")
    return _combined(*found) if found else NONE


def _of_choice(choice: dict[str, Any], position: int, found: list[str]) -> None:
    get = choice.get
    index = get("index")
    if index != position:
        found.append("odd index")
    if type(index) is float:
        found.append("float")
    if "delta" in choice:
        found.append("delta")
    if get("logprobs"):
        found.append("logprobs")
    if get("finish_reason") in ("tool_calls", "function_call"):
        found.append("finish reason of calls")
    message = get("message")
    if isinstance(message, dict):
        get = message.get
        content = get("content", ABSENT)
        if content is None or (type(content) is str and not content.strip()):
            found.append("no content")
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
    """Features of a stream.

    ``calls`` and ``usage``; ``changing envelope`` where a property of the envelope is not the same on all chunks,
    ``empty choices`` where a chunk has no choice; ``odd chunks`` where one is no chunk, an error, or has a property
    that none of OpenAI's has, such as a null delta, and where choices begin out of order or change their index. Of its
    choices: ``odd role`` where not the first delta alone has one, ``odd finish`` where it is not finished once, and
    ``chunks behind the finish``.
    """
    choices = trace.choices
    found = ["calls" if any(trace.calls) else "", "usage" if trace.usages else ""]
    if any(len(run) > 1 for run in trace.runs.values()):
        found.append("changing envelope")
    if trace.empty:
        found.append("empty choices")
    if trace.null_deltas or trace.messages or trace.strangers or trace.errors or trace.index_change is not None:
        found.append("odd chunks")
    if list(choices) != sorted(choices):
        found.append("odd chunks")
    for choice in choices.values():
        roles = choice.roles
        if len(roles) != 1 or not roles[0].value or "role" not in choice.deltas[0].delta:
            found.append("odd role")
        if len(choice.finishes) != 1 or choice.blank_finishes:
            found.append("odd finish")
        if choice.after:
            found.append("chunks behind the finish")
        if choice.empty_calls:
            found.append("odd chunks")
    return _combined(*found)


def of_pair(request: frozenset[str], exchange: frozenset[str], completion: frozenset[str] | None) -> frozenset[str]:
    """Features of a request with its answer: those of both and of the exchange, and ``completion`` if it is one."""
    return request | exchange | completion | _COMPLETION if completion is not None else request | exchange
