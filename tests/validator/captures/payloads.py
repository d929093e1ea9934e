"""Payloads that tests of captures write in many layouts. They conform to the reference."""

from __future__ import annotations

import json
from typing import Any

URL = "https://api.example.com/v1/chat/completions"
REQUEST: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
COMPLETION: dict[str, Any] = {
    "id": "chatcmpl-Fake1",
    "object": "chat.completion",
    "created": 1760000000,
    "model": "m",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "Ho", "refusal": None},
            "logprobs": None,
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}
ERROR: dict[str, Any] = {"error": {"message": "No", "type": "server_error", "param": None, "code": None}}


def chunk(delta: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
    """Return a chunk with this delta."""
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
    envelope = {"id": "chatcmpl-Fake2", "object": "chat.completion.chunk", "created": 1760000000, "model": "m"}
    return envelope | {"choices": [choice]}


CHUNKS = [chunk({"role": "assistant", "content": "Ho"}), chunk({}, "stop")]
EVENTS = "".join(f"data: {json.dumps(one)}\n\n" for one in CHUNKS) + "data: [DONE]\n\n"


def with_finish_reason(value: object) -> dict[str, Any]:
    """Return the completion with another reason for its end."""
    [choice] = COMPLETION["choices"]
    return COMPLETION | {"choices": [choice | {"finish_reason": value}]}
