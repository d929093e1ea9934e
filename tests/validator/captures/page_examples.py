"""Parts of pages for tests: a request, an answer and a stream, and a function that reads a page."""

from __future__ import annotations

import json
from functools import partial

from payloads import as_events
from reading import read_all

REQUEST = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}

read = partial(read_all, name="page.md")

CHUNKS = [
    {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [
        {"index": 0, "delta": delta, "finish_reason": reason}
    ]}
    for delta, reason in (({"role": "assistant", "content": "Hi"}, None), ({}, "stop"))
]  # fmt: skip
EVENTS = as_events(*CHUNKS) + "data: [DONE]"
ANSWER = json.dumps({
    "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}],
})  # fmt: skip
