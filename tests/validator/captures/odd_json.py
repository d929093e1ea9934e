"""Strategies for JSON values in which objects have the names that recorders give to the parts of a message."""

from __future__ import annotations

from hypothesis import strategies as st

__all__ = ["BODIES"]

NAMES = (
    "body", "choices", "chunks", "code", "content", "data", "delta", "error", "event", "headers", "host", "httpRequest",
    "httpResponse", "items", "log", "message", "messages", "method", "model", "object", "output", "path", "raw", "req",
    "request", "requestBody", "res", "response", "responseBody", "response_text", "responses", "sse", "status",
    "statusCode", "stream", "text", "type", "url",
)  # fmt: skip
TEXTS = ("", "200 OK", "POST", "[]", "chat.completion", "data: {}\n\n", "HTTP/1.1 200 OK\r\n\r\n{}", '{"choices": []}')
BODIES = st.recursive(
    st.sampled_from([None, True, 0, 200, 404, *TEXTS]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5),
    max_leaves=14,
)
