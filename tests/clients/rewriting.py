"""Write a completion as the stream in which OpenAI would have sent it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["unfold"]

_ENVELOPE = {
    "id": "chatcmpl-Fake0000000000000000000000072",
    "object": "chat.completion.chunk",
    "created": 1760000702,
    "model": "gpt-4.1-mini-2025-04-14",
    "service_tier": "default",
    "system_fingerprint": "fp_0123456789",
}


def unfold(completion: Mapping[str, Any]) -> list[Any]:
    """Return the chunks of a completion: for each choice its role, text, calls and finish reason, and then the usage.

    Choices and calls are numbered from 0. Properties that the reference does not have are left out. Properties that are
    missing get the values that OpenAI would have sent.
    """
    deltas = []
    for index, choice in enumerate(completion.get("choices") or ()):
        deltas += [(index, delta, finish_reason) for delta, finish_reason in _deltas(choice)]
    usage = completion.get("usage")
    chunks = [
        {**_ENVELOPE, "choices": [{"index": index, "delta": delta, "logprobs": None, "finish_reason": finish_reason}]}
        for index, delta, finish_reason in deltas
    ]
    if not isinstance(usage, dict):
        return chunks
    return [*({**chunk, "usage": None} for chunk in chunks), {**_ENVELOPE, "choices": [], "usage": usage}]


def _deltas(choice: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], str | None]]:
    message = choice["message"]
    calls = message.get("tool_calls") or ()
    yield {"role": "assistant", "content": None if calls else "", "refusal": None}, None
    for name in ("content", "refusal"):
        if message.get(name):
            yield {name: message[name]}, None
    for index, call in enumerate(calls):
        function = call.get("function") or {}
        name, arguments = function.get("name"), function.get("arguments") or ""
        head = {"index": index, "id": call.get("id") or f"call_Fake0000000000000000007{index}", "type": "function"}
        yield {"tool_calls": [{**head, "function": {"name": name, "arguments": ""}}]}, None
        if arguments:
            yield {"tool_calls": [{"index": index, "function": {"arguments": arguments}}]}, None
    yield {}, choice.get("finish_reason") or ("tool_calls" if calls else "stop")
