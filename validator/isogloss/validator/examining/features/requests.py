"""Features of a request: its options, what it asks for, and what its messages hold."""

from __future__ import annotations

from isogloss.validator.examining.features.sets import NONE, combined
from isogloss.validator.rules.pairing import demand, usage_asked
from isogloss.validator.views import Request, items, obj

__all__ = ["of_request"]

_OPTIONS = {
    "logit_bias": "logit_bias", "max_completion_tokens": "token limit", "max_tokens": "token limit",
    "service_tier": "service_tier", "stop": "stop", "stream_options": "stream_options", "tools": "tools",
    "functions": "tools",
    "top_logprobs": "top_logprobs", "tool_choice": "tool_choice", "function_call": "tool_choice",
}  # fmt: skip
_TOOL_OPTIONS = frozenset({"tool_choice", "parallel_tool_calls"})


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
    return combined(*dict.fromkeys(found)) if found else NONE
