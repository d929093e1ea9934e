"""Make exchanges in which no rule finds anything: answers and streams, with text, calls, JSON or probabilities."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from payloads import as_events

TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
CALL = {
    "id": "call_Fake00000000000000000001",
    "type": "function",
    "function": {"name": "get_weather", "arguments": '{"city": "Paris"}'},
}
USAGE = {
    "prompt_tokens": 8,
    "completion_tokens": 4,
    "total_tokens": 12,
    "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
    "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
}
ENVELOPE = {
    "created": 1760000000,
    "model": "gpt-4.1-mini-2025-04-14",
    "service_tier": "default",
    "system_fingerprint": "fp_0123456789",
}


def make_request(**properties: Any) -> dict[str, Any]:
    """Return a request with these options."""
    return {
        "model": "gpt-4.1-mini",
        "messages": [{"role": "user", "content": "Weather in Paris? As JSON."}],
        **properties,
    }


def make_answer(finish: str, **message: Any) -> dict[str, Any]:
    """Return a completion with this finish reason, and these properties of its message."""
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": None, "refusal": None, "annotations": []} | message,
        "logprobs": None,
        "finish_reason": finish,
    }
    return {
        "id": "chatcmpl-Fake0000000000000000000000001",
        "object": "chat.completion",
        "choices": [choice],
        "usage": copy.deepcopy(USAGE),
        **ENVELOPE,
    }


def make_chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    """Return a chunk with this delta."""
    return {
        "id": "chatcmpl-Fake0000000000000000000000002",
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}],
        "usage": None,
        **ENVELOPE,
    }


def make_fragment(**properties: Any) -> dict[str, Any]:
    """Return a chunk with a fragment of a tool call."""
    return make_chunk({"tool_calls": [{"index": 0, **properties}]})


def _text_stream() -> list[dict[str, Any]]:
    first = {"role": "assistant", "content": "", "refusal": None}
    body = [make_chunk(first), make_chunk({"content": "Sun"}), make_chunk({"content": "ny."}), make_chunk({}, "stop")]
    return [*body, make_chunk({}) | {"choices": [], "usage": copy.deepcopy(USAGE)}]


def _call_stream() -> list[dict[str, Any]]:
    first = {"role": "assistant", "content": None, "refusal": None}
    first_fragment = {**CALL, "function": {"name": "get_weather", "arguments": ""}}
    return [
        make_chunk({**first, "tool_calls": [{"index": 0, **first_fragment}]}),
        make_fragment(function={"arguments": '{"city": '}),
        make_fragment(function={"arguments": '"Paris"}'}),
        make_chunk({}, "tool_calls"),
        make_chunk({}) | {"choices": [], "usage": copy.deepcopy(USAGE)},
    ]


def _function_stream() -> list[dict[str, Any]]:
    """Return a stream that calls a function in the form that OpenAI used before there were tool calls."""
    chunks = _call_stream()
    for chunk in chunks[:3]:
        delta = chunk["choices"][0]["delta"]
        delta["function_call"] = delta.pop("tool_calls")[0]["function"]
    chunks[3]["choices"][0]["finish_reason"] = "function_call"
    return chunks


def _streaming(**properties: Any) -> dict[str, Any]:
    return make_request(stream=True, stream_options={"include_usage": True}, **properties)


def events_of(chunks: list[Any]) -> str:
    """Return chunks as the text of a whole event stream."""
    return as_events(*chunks, "[DONE]")


def _answer_with_two_choices() -> dict[str, Any]:
    answer = make_answer("stop", content="Sunny.")
    answer["choices"].append({**copy.deepcopy(answer["choices"][0]), "index": 1})
    return answer


def _answer_with_logprobs() -> dict[str, Any]:
    answer = make_answer("stop", content="Sunny.")
    token = {"token": "Sunny.", "logprob": -0.1, "bytes": [*b"Sunny."], "top_logprobs": []}
    answer["choices"][0]["logprobs"] = {"content": [token], "refusal": None}
    return answer


Parts = dict[str, Any]
"""The properties of an exchange record. A stream is kept in ``chunks``."""
GOOD_EXCHANGES: dict[str, Callable[[], Parts]] = {
    "text": lambda: {"request": make_request(), "response": make_answer("stop", content="Sunny.")},
    "call": lambda: {"request": make_request(tools=[TOOL]), "response": make_answer("tool_calls", tool_calls=[CALL])},
    "two": lambda: {"request": make_request(n=2), "response": _answer_with_two_choices()},
    "json": lambda: {
        "request": make_request(response_format={"type": "json_object"}),
        "response": make_answer("stop", content='{"sky": "sunny"}'),
    },
    "logprobs": lambda: {"request": make_request(logprobs=True), "response": _answer_with_logprobs()},
    "stream": lambda: {"request": _streaming(), "chunks": _text_stream()},
    "calls": lambda: {"request": _streaming(tools=[TOOL]), "chunks": _call_stream()},
    "function": lambda: {"chunks": _function_stream()},
    "turns": lambda: {
        "request": make_request(tools=[TOOL])
        | {
            "messages": [
                {"role": "user", "content": "Weather in Paris?"},
                {"role": "assistant", "content": None, "tool_calls": [CALL]},
                {"role": "tool", "tool_call_id": CALL["id"], "content": "Sunny"},
            ]
        },
        "response": make_answer("stop", content="Sunny."),
    },
}


def good_exchange(name: str) -> Parts:
    """Return a new copy of one of the exchanges."""
    return copy.deepcopy(GOOD_EXCHANGES[name]())
