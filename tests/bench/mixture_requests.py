"""Generate requests that fit the answers, with options and conversations as the clients of a vendor send them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from mixture_fitting import calls, choices, objects
from mixture_values import WORDS, Counts, Filler, pick, schema

__all__ = ["request_for", "tools_of"]

_SHOWN_BY_ANSWERS = (
    "function_call",
    "functions",
    "logprobs",
    "n",
    "parallel_tool_calls",
    "stop",
    "tool_choice",
    "top_logprobs",
)
"""Options that must fit the answer, and so do not follow the counts."""


def tools_of(source: random.Random, count: int) -> list[dict[str, Any]]:
    """Return so many function tools with different names."""
    names = source.sample(range(30), min(count, 30))
    tools = [{"name": f"get_{WORDS[name % 16]}_{name}", "parameters": schema(name % 4)} for name in names]
    return [{"type": "function", "function": tool} for tool in tools]


def _messages(source: random.Random, vendor: Counts, filler: Filler) -> list[dict[str, Any]]:
    """Generate a conversation, in which each tool call is answered once."""
    roles = pick(source, vendor["conversations"]["shapes"]) or ["user"]
    shapes = vendor["messages"]["shapes"]
    messages: list[dict[str, Any]] = []
    waiting: list[str] = []
    for at, role in enumerate(roles):
        answers = 0
        while role == "assistant" and roles[at + 1 + answers : at + 2 + answers] == ["tool"]:
            answers += 1
        of_role = [row for row in shapes if row[1].get("role") == f"={role}"]
        fit = [row for row in of_role if bool(row[1].get("tool_calls")) == bool(answers)]
        message = filler.value(pick(source, fit)) if fit else {"role": role, "content": "so"}
        if answers:
            first = (message.get("tool_calls") or [{"type": "function"}])[0]
            waiting = [f"call_{source.getrandbits(64):016x}" for _ in range(answers)]
            function = {"name": "get_the_0", "arguments": "{}"}
            message["tool_calls"] = [{**first, "id": one, "function": dict(function)} for one in waiting]
        elif role == "tool":
            message["tool_call_id"] = waiting.pop() if waiting else "call_0"
        messages.append(message)
    return messages


def request_for(
    parts: Sequence[Mapping[str, Any]], source: random.Random, table: Counts, vendor: Counts, *, stream: bool
) -> dict[str, Any]:
    """Generate the request for an answer: for a completion, an error, or the chunks of a stream."""
    filler = Filler(source, table, vendor, "request")
    rows = [row for row in vendor["requests"]["shapes"] if (row[1].get("stream") == "t") == stream]
    request: dict[str, Any] = filler.value(pick(source, rows or vendor["requests"]["shapes"]))
    inner = [pair for part in parts for pair in choices(part)]
    called = any(calls(message) for _, message in inner)
    logprobs = [choice["logprobs"] for choice, _ in inner if isinstance(choice.get("logprobs"), dict)]
    count = max((len(objects(part, "choices")) for part in parts), default=1)
    tools = int(request.pop("tools", 0))
    for name in _SHOWN_BY_ANSWERS:
        request.pop(name, None)
    if tools or called:
        request["tools"] = tools_of(source, max(tools, 1))
    if called or logprobs:
        request.pop("response_format", None)
    if count > 1:
        request["n"] = count
    if logprobs:
        request |= {"logprobs": True, "top_logprobs": 5}
    if stream:
        request["stream"] = True
        if any(part.get("usage") for part in parts):
            request["stream_options"] = {"include_usage": True}
    request["messages"] = _messages(source, vendor, filler)
    if (request.get("response_format") or {}).get("type") == "json_object":
        request["messages"][0]["content"] = "Answer in JSON."
    return request
