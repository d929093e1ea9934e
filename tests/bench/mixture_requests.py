"""Generate requests that fit the answers, with options and messages like those that the clients of a vendor send."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from mixture_fitting import calls, choices, objects
from mixture_values import WORDS, Counts, Filler, draw_value, make_schema

__all__ = ["request_for", "tools_of"]

_FITTED_OPTIONS = (
    "function_call",
    "functions",
    "logprobs",
    "n",
    "parallel_tool_calls",
    "stop",
    "tool_choice",
    "top_logprobs",
)
"""Options that must fit the answer, and are therefore not drawn from the counts."""


def tools_of(rng: random.Random, count: int) -> list[dict[str, Any]]:
    """Return ``count`` function tools with different names, at most 30."""
    names = rng.sample(range(30), min(count, 30))
    tools = [{"name": f"get_{WORDS[name % 16]}_{name}", "parameters": make_schema(name % 4)} for name in names]
    return [{"type": "function", "function": tool} for tool in tools]


def _messages(rng: random.Random, vendor: Counts, filler: Filler) -> list[dict[str, Any]]:
    """Generate the messages of a request, in which each tool call has one message with its result."""
    roles = draw_value(rng, vendor["conversations"]["shapes"]) or ["user"]
    shapes = vendor["messages"]["shapes"]
    messages: list[dict[str, Any]] = []
    open_ids: list[str] = []
    for index, role in enumerate(roles):
        tool_messages = 0
        while role == "assistant" and roles[index + 1 + tool_messages : index + 2 + tool_messages] == ["tool"]:
            tool_messages += 1
        of_role = [row for row in shapes if row[1].get("role") == f"={role}"]
        fitting = [row for row in of_role if bool(row[1].get("tool_calls")) == bool(tool_messages)]
        message = filler.value(draw_value(rng, fitting)) if fitting else {"role": role, "content": "so"}
        if tool_messages:
            first = (message.get("tool_calls") or [{"type": "function"}])[0]
            open_ids = [f"call_{rng.getrandbits(64):016x}" for _ in range(tool_messages)]
            function = {"name": "get_the_0", "arguments": "{}"}
            message["tool_calls"] = [{**first, "id": call_id, "function": dict(function)} for call_id in open_ids]
        elif role == "tool":
            message["tool_call_id"] = open_ids.pop() if open_ids else "call_0"
        messages.append(message)
    return messages


def request_for(
    parts: Sequence[Mapping[str, Any]], rng: random.Random, table: Counts, vendor: Counts, *, stream: bool
) -> dict[str, Any]:
    """Generate the request for an answer: for a completion, an error, or the chunks of a stream."""
    filler = Filler(rng, table, vendor, "request")
    rows = [row for row in vendor["requests"]["shapes"] if (row[1].get("stream") == "t") == stream]
    request: dict[str, Any] = filler.value(draw_value(rng, rows or vendor["requests"]["shapes"]))
    choices_and_messages = [pair for part in parts for pair in choices(part)]
    has_calls = any(calls(message) for _, message in choices_and_messages)
    logprobs = [choice["logprobs"] for choice, _ in choices_and_messages if isinstance(choice.get("logprobs"), dict)]
    count = max((len(objects(part, "choices")) for part in parts), default=1)
    tools = int(request.pop("tools", 0))
    for name in _FITTED_OPTIONS:
        request.pop(name, None)
    if tools or has_calls:
        request["tools"] = tools_of(rng, max(tools, 1))
    if has_calls or logprobs:
        request.pop("response_format", None)
    if count > 1:
        request["n"] = count
    if logprobs:
        request |= {"logprobs": True, "top_logprobs": 5}
    if stream:
        request["stream"] = True
        if any(part.get("usage") for part in parts):
            request["stream_options"] = {"include_usage": True}
    request["messages"] = _messages(rng, vendor, filler)
    if (request.get("response_format") or {}).get("type") == "json_object":
        request["messages"][0]["content"] = "Answer in JSON."
    return request
