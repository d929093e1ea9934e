"""Payloads that tests of captures write in many layouts. They conform to the reference, except the faulty one."""

from __future__ import annotations

import base64
import json
from typing import Any

from hypothesis import strategies as st

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


def as_events(*values: object, end: str = "\n") -> str:
    """Return an event stream of texts, and of values as JSON."""
    return "".join(f"data: {one if isinstance(one, str) else json.dumps(one)}{end}{end}" for one in values)


def json_lines(*values: object) -> str:
    """Return values as JSON, each on a line of its own; texts stay as they are."""
    return "".join(one if isinstance(one, str) else json.dumps(one) + "\n" for one in values)


CHUNKS = [chunk({"role": "assistant", "content": "Ho"}), chunk({}, "stop")]
EVENTS = as_events(*CHUNKS, "[DONE]")


def with_finish_reason(value: object) -> dict[str, Any]:
    """Return the completion with another reason for its end."""
    [choice] = COMPLETION["choices"]
    return COMPLETION | {"choices": [choice | {"finish_reason": value}]}


FAULTY = with_finish_reason("")
"""A completion with one finding."""
WHOLE_CHUNK = chunk({"role": "assistant", "content": "Ho"}, "stop")
"""A chunk that is a whole answer."""
WHOLE_EVENTS = as_events(WHOLE_CHUNK, "[DONE]")


def pair_of(response: Any, **request: Any) -> dict[str, Any]:
    """Return a request to Chat Completions, with these properties, and its response."""
    return {"request": {"method": "POST", "url": URL, "body": REQUEST} | request, "response": response}


def base64_of(value: Any) -> str:
    """Return Base64 of a text, or of a value as JSON."""
    return base64.b64encode((value if isinstance(value, str) else json.dumps(value)).encode()).decode()


NAMES = st.sampled_from(
    ["a", "case", "req", "res", "input", "expected", "payload", "attributes", "in.out", "日本", "x y"]
)
"""Names that no module knows."""
