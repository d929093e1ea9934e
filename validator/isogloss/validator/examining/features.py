"""Features of exchanges and payloads that a rule may name in ``needs``: without them it has nothing to find.

Most exchanges have few of them, and finding a feature costs less than running the rules that need it. No rule is
named here. Where a feature is said to be there, it need not be; where it is said to be absent, it is. Features are
named in the words that reports show them with, and :mod:`~isogloss.validator.examining.subjects` counts by them.
"""

from __future__ import annotations

import time
from functools import lru_cache
from itertools import count
from typing import Any

from isogloss.validator.exchange import Exchange, Payload, Stream
from isogloss.validator.pointer import ABSENT
from isogloss.validator.rules.pairing import demand, usage_asked
from isogloss.validator.streams.trace import CallTrace, Trace, error_events
from isogloss.validator.views import Request, items, obj

__all__ = ["NONE", "SIGNS", "joined", "of_completion", "of_exchange", "of_pair", "of_request", "of_stream"]

NONE: frozenset[str] = frozenset()

SIGNS = frozenset({
    "broken", "broken events", "call after call", "changing envelope", "chunks behind the finish",
    "data behind the end", "delta", "empty", "empty choices", "entities", "error events", "error status", "float",
    "late time", "marks", "no calls", "no chunks", "no content", "no end", "no stream", "no stream asked for",
    "no tools", "no usage", "number of choices", "odd calls", "odd chunks", "odd content type", "odd finish",
    "odd fragments", "odd framing", "odd index", "odd role", "odd time", "odd total", "padded", "several ends",
    "slash in model", "stop beside calls", "text", "tool_choice of an object", "two token limits", "unsound",
    "usage after usage", "zero usage",
})  # fmt: skip
"""The features that are signs of a fault, such as an empty id; all others say what rules are about."""

_COMPLETION = frozenset({"completion"})
_NUMBER = frozenset({"number of choices"})
_OPTIONS = {
    "logit_bias": "logit_bias", "max_completion_tokens": "token limit", "max_tokens": "token limit",
    "service_tier": "service_tier", "stop": "stop", "stream_options": "stream_options", "tools": "tools",
    "functions": "tools",
    "top_logprobs": "top_logprobs", "tool_choice": "tool_choice", "function_call": "tool_choice",
}  # fmt: skip
_TOOL_OPTIONS = frozenset({"tool_choice", "parallel_tool_calls"})

_LONGEST_NAME = 64

_STARTED = time.time()
"""When isogloss began, in seconds since 1970: answers were created before, in everything but a live check."""


@lru_cache(maxsize=4096)
def _combined(*features: str) -> frozenset[str]:
    return frozenset(features) - {""}


def of_exchange(exchange: Exchange, trace: Trace | None) -> frozenset[str]:
    """Features of an exchange, whose stream, if it has one, has that trace.

    ``request``, and ``stream asked for`` or ``no stream asked for``, ``no stream`` where one was asked for and there is
    none; ``status`` and ``content type`` where the capture tells, ``error status`` for one that is not of a success,
    ``odd content type`` for one that OpenAI does not send with such a body; ``expected status`` where it says what has
    to be answered, and ``expected code``; ``ids of earlier answers``; ``models`` where these were asked for; ``broken``
    where it says that the connection broke, ``times of arrival`` where it says when the bytes of the body came; and of
    what the body is: ``text``, ``error`` (also for a failed stream), ``unsound`` for JSON with a fault in it,
    ``padded`` for one that may begin with white space; and ``stream``, with ``odd framing`` where an event is more than
    one line of data, ``error events``, ``broken events`` that are no JSON, ``no chunks`` where none is, and ``no end``,
    ``several ends`` or ``data behind the end``, which is `[DONE]`.
    """
    response = exchange.response
    request = asked = ""
    streams = False
    if exchange.request is not None:
        request, value = "request", exchange.request.value
        streams = isinstance(value, dict) and value.get("stream") is True
        asked = "stream asked for" if streams else "no stream asked for"
    if response is None:
        return _combined(request, asked, "" if exchange.models is None else "models")
    body, status, content_type = response.body, response.status, response.content_type
    failed = status is not None and status >= 400
    error = padded = other = no_stream = ""
    usual = "application/json"
    events: tuple[str, ...] = ()
    if isinstance(body, Payload):
        other = "" if body.sound else "unsound"
        no_stream = "no stream" if streams else ""
        error = "error" if body.kind == "error" else ""
        padded = "padded" if not body.at and body.text.data[:1].isspace() else ""
        if status is None and not (content_type or request or error or padded or other or response.broken):
            return NONE
    elif isinstance(body, Stream):
        other, usual = "stream", "text/event-stream"
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
        "odd content type" if content_type and content_type.partition(";")[0] != usual else "",
        no_stream,
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
        "no chunks" if not (trace.chunks or trace.errors or trace.strangers or trace.broken) else "",
        "no end" if not ends else "several ends" if len(ends) > 1 else "",
        "data behind the end" if ends and ends[0] < len(stream.values) - 1 else "",
    )


def of_request(request: Request) -> frozenset[str]:
    """Features of a request.

    Its options, as far as rules read them: ``logit_bias``, ``service_tier``, ``stop``, ``stream_options``,
    ``top_logprobs``; ``token limit``, ``tools`` and ``tool_choice`` by both of their names, ``two token limits``, ``no
    tools`` and ``tool_choice of an object``; ``tool options`` for those that need tools; ``number of choices`` where
    that is not 1. What it asks for: ``usage asked for``, ``logprobs asked for``, ``audio asked for``, ``JSON asked
    for``, with a ``response schema``; ``call demanded``, ``tool_choice none`` or ``parallel_tool_calls false``; and a
    ``strict schema``, of a tool or of the response. In its messages: ``tool calls in messages``, with ``odd calls``
    where there are none after all, ``tool messages`` and ``file parts``.
    """
    value, get = request.value, request.value.get
    found = [feature for name, feature in _OPTIONS.items() if get(name) is not None]
    if found.count("token limit") > 1:
        found.append("two token limits")
    if not get("tools"):
        found.append("no tools")
    if get("n", 1) != 1:
        found.append("number of choices")
    if "stream_options" in found and usage_asked(request):
        found.append("usage asked for")
    if get("logprobs") is True:
        found.append("logprobs asked for")
    if not _TOOL_OPTIONS.isdisjoint(value):
        found.append("tool options")
        if get("parallel_tool_calls") is False:
            found.append("parallel_tool_calls false")
    modalities = get("modalities")
    if isinstance(modalities, list) and "audio" in modalities:
        found.append("audio asked for")
    if "tool_choice" in found:
        if isinstance(get("tool_choice"), dict):
            found.append("tool_choice of an object")
        mode = demand(request).mode
        if mode != "auto":
            found.append("tool_choice none" if mode == "none" else "call demanded")
    strict = False
    wanted = get("response_format")
    if isinstance(wanted, dict):
        if wanted.get("type") in ("json_object", "json_schema"):
            found.append("JSON asked for")
            if wanted["type"] == "json_schema":
                found.append("response schema")
        strict = (obj(wanted.get("json_schema")) or {}).get("strict") is True
    if strict or True in [tool.strict for tool in request.tools]:
        found.append("strict schema")
    for message in request.messages:
        if message.role == "tool":
            found.append("tool messages")
        calls = message.value.get("tool_calls")
        if calls is not None:
            found.append("tool calls in messages")
            if not calls:
                found.append("odd calls")
        if type(message.content) is list and any(part.get("type") == "file" for _, part in items(message.content)):
            found.append("file parts")
    return _combined(*dict.fromkeys(found)) if found else NONE


def of_completion(value: dict[str, Any]) -> frozenset[str]:
    """Features of a completion.

    Of the whole: ``empty`` where its id or model is an empty text, ``slash in model`` where there is one of any kind,
    ``odd time`` where it was created in 1970 or before, ``late time`` after the start of isogloss, ``usage`` or ``no
    usage``, ``zero usage`` where its total is 0 or none are of the completion, ``odd total`` where it may not be the
    sum, ``usage details`` where one is not 0, ``float`` where one of its numbers, a choice's index or the time has a
    decimal point or is as large as that. Of its choices: ``several choices``, ``odd index`` if one is not its position,
    ``delta``, ``logprobs``, ``finish reason of calls``, with ``no calls`` where these may be missing. Of its messages:
    ``no content`` where it is null or blank and there are no calls, ``refusal`` and ``annotations``; ``reasoning``;
    ``calls`` (of tools or of a function), ``call after call`` where there are several, ``stop beside calls``, ``odd
    calls`` where there are none after all or where one has an empty id or an unusual name; ``marks`` where text or
    arguments have any character of markup or the replacement character, ``entities`` where arguments have a character
    that escapes HTML.
    """
    found: list[str] = []
    model, created = value.get("model"), value.get("created")
    if value.get("id") == "" or model == "":
        found.append("empty")
    if isinstance(model, str) and ("/" in model or "\\" in model):
        found.append("slash in model")
    if type(created) is float:
        found.append("float")
    if type(created) is int or type(created) is float:
        if created <= 0:
            found.append("odd time")
        elif created > _STARTED:
            found.append("late time")
    usage = value.get("usage")
    if isinstance(usage, dict):
        found.append("usage")
        asked, answered, total = usage.get("prompt_tokens"), usage.get("completion_tokens"), usage.get("total_tokens")
        if not total or answered == 0:
            found.append("zero usage")
        if type(asked) is not int or type(answered) is not int or asked + answered != total:
            found.append("odd total")
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
    reason, message = get("finish_reason"), get("message")
    if reason in ("tool_calls", "function_call"):
        found.append("finish reason of calls")
        if reason != "tool_calls" or not isinstance(message, dict) or not message.get("tool_calls"):
            found.append("no calls")
    if isinstance(message, dict):
        get = message.get
        content, calls, function = get("content", ABSENT), get("tool_calls"), get("function_call")
        if content is None or (type(content) is str and (not content or content.isspace())):
            if not calls and not function:
                found.append("no content")
        elif type(content) is str and _may_have_marks(content):
            found.append("marks")
        for name in ("reasoning_content", "reasoning"):
            text = get(name)
            if text and type(text) is str:
                found.append("reasoning")
                if _may_have_marks(text):
                    found.append("marks")
        if calls is not None or function is not None:
            found.append("calls")
            if reason == "stop":
                found.append("stop beside calls")
            _of_calls(calls, function, found)
        if get("refusal"):
            found.append("refusal")
        if get("annotations"):
            found.append("annotations")


def _of_calls(calls: object, function: object, found: list[str]) -> None:
    made = [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    if len(made) > 1:
        found.append("call after call")
    inner = [call.get("custom" if call.get("type") == "custom" else "function") for call in made]
    odd = calls == [] or any(call.get("id") == "" for call in made)
    for one in (*inner, function):
        if isinstance(one, dict):
            name, arguments = one.get("name"), one.get("arguments")
            odd = odd or not (isinstance(name, str) and _is_usual(name))
            if isinstance(arguments, str):
                if _may_have_marks(arguments):
                    found.append("marks")
                if "&" in arguments:
                    found.append("entities")
    if odd:
        found.append("odd calls")


def _is_usual(name: str) -> bool:
    return name.isascii() and len(name) <= _LONGEST_NAME and name.replace("-", "_").isidentifier()


def _may_have_marks(text: str) -> bool:
    return "<" in text or "[" in text or "\ufffd" in text or "◁" in text


def of_stream(trace: Trace) -> frozenset[str]:
    """Features of a stream.

    ``calls`` and ``usage``, ``usage after usage``; ``changing envelope`` where a property of the envelope is not the
    same on all chunks, ``empty choices`` where a chunk has no choice; ``odd chunks`` where one is no chunk, an error,
    or has a property that none of OpenAI's has, such as a null delta, and where choices begin out of order or change
    their index. Of its choices: ``odd role`` where not the first delta alone has one, ``odd finish`` where it is not
    finished once, ``chunks behind the finish``, and ``odd fragments`` where a tool call is not sent as OpenAI does.
    """
    choices = trace.choices
    found = ["calls" if any(trace.calls) else "", "usage" if trace.usages else ""]
    if len(trace.usages) > 1:
        found.append("usage after usage")
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
        if choice.unindexed or not all(map(_is_plain, choice.calls, count())):
            found.append("odd fragments")
    return _combined(*found)


def _is_plain(call: CallTrace, position: int) -> bool:
    """Whether a call is sent as OpenAI does: id, type and name on its first fragment, and its place as index."""
    first = call.fragments[0]
    return (
        call.index == position
        and len(call.ids) == len(call.names) == 1
        and not (call.reuses or call.nulls)
        and bool(first.value.get("id") and first.value.get("type") and first.function.get("name"))
    )


@lru_cache(maxsize=4096)
def joined(features: frozenset[str], others: frozenset[str]) -> frozenset[str]:
    """The features of two parts of an exchange."""
    return features | others


@lru_cache(maxsize=4096)
def of_pair(request: frozenset[str], exchange: frozenset[str], completion: frozenset[str] | None) -> frozenset[str]:
    """Features of a request with its answer: those of both and of the exchange, and ``completion`` if it is one.

    ``number of choices`` is there, too, where the answer has several.
    """
    if completion is None:
        return request | exchange
    number = _NUMBER if "several choices" in completion else NONE
    return request | exchange | completion | number | _COMPLETION
