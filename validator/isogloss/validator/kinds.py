"""Of what kind a JSON document is, told from its content; and what it is when it is no Chat Completions payload."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from isogloss.validator.exchange import Kind

__all__ = ["KINDS", "is_exchange", "is_sent", "kind_of", "other_api", "other_endpoint"]

KINDS: tuple[Kind, ...] = ("request", "completion", "chunk", "error")

_OTHER_OBJECTS = {
    "response": "Responses API",
    "text_completion": "Completions API (legacy)",
    "list": "list of another API",
    "embedding": "Embeddings API",
    "model": "Models API",
    "batch": "Batch API",
    "file": "Files API",
    "assistant": "Assistants API",
    "thread": "Assistants API",
    "message": "Anthropic Messages API",
}
_OTHER_ENDPOINTS = (
    "/embeddings", "/responses", "/models", "/messages", "/moderations", "/files", "/batches", "/images", "/audio",
    "/rerank", "/tokenize", "/generate", "/api/chat", "/threads", "/assistants", "/vector_stores", "/uploads",
    "/realtime", "/fine_tuning",
    "/converse", "/invoke", "/v2/chat", "/conversations", "/ocr",
)  # fmt: skip


def kind_of(value: object) -> Kind | None:
    """The kind of a JSON document, or ``None`` when it does not look like Chat Completions.

    ``object`` decides where it is one of ours and ``choices`` do not contradict it; then the members that only one
    kind has. A document with an ``error`` and without choices is an error of some Chat Completions server or another:
    nothing tells them apart.
    """
    if not isinstance(value, dict):
        return None
    choices = value.get("choices")
    first = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    named = value.get("object") if isinstance(value.get("object"), str) else None
    if named == "chat.completion.chunk":
        return "completion" if "message" in first and "delta" not in first else "chunk"
    if named == "chat.completion":
        return "chunk" if "delta" in first and "message" not in first else "completion"
    if "choices" in value:
        if "message" in first:
            return "completion"
        if "delta" in first or "prompt_filter_results" in value:
            return "chunk"
        return (
            None
            if "text" in first or named in _OTHER_OBJECTS
            else "completion"
            if "usage" in value or "id" in value
            else None
        )
    if isinstance(value.get("messages"), list) and "object" not in value and "anthropic_version" not in value:
        return "request"
    if (value.get("error") and value.get("object") != "response") or _is_bare_error(value):
        return "error"
    return None


def _is_bare_error(value: Mapping[str, Any]) -> bool:
    """The errors of Mistral and old vLLM (``object`` is ``error``) and of FastAPI (``detail``): no member ``error``."""
    return (value.get("object") == "error" and "message" in value) or (
        value.keys() == {"detail"} and isinstance(value["detail"], str | list | dict)
    )


def other_api(value: object) -> str:
    """Why a document is not checked: the API it looks like, in words for a reader."""
    if not isinstance(value, dict):
        return "not a Chat Completions payload"
    named = value.get("object")
    if isinstance(named, str) and named in _OTHER_OBJECTS:
        return f"not Chat Completions: {_OTHER_OBJECTS[named]}"
    if value.get("type") == "message" or "anthropic_version" in value:
        return "not Chat Completions: Anthropic Messages API"
    if "input" in value and "model" in value:
        return "not Chat Completions: Responses or Embeddings API"
    if "prompt" in value and "model" in value:
        return "not Chat Completions: Completions API (legacy)"
    if "candidates" in value or "contents" in value:
        return "not Chat Completions: Gemini API"
    return "not a Chat Completions payload"


def other_endpoint(path: str) -> bool:
    """Whether an URL path names another API's endpoint (``/v1/embeddings``) or another one of this (stored ones)."""
    path = path.partition("?")[0].rstrip("/")
    if path.endswith("/chat/completions"):
        return False
    if "/chat/completions/" in path or path.endswith("/completions"):
        return True
    return any(f"{name}/" in f"{path}/" for name in _OTHER_ENDPOINTS)


def is_exchange(value: Mapping[str, Any]) -> bool:
    """Whether a JSON object is an exchange record rather than a payload."""
    return (
        "choices" not in value
        and "messages" not in value
        and any(key in value for key in ("request", "response", "sse", "chunks", "response_text", "body_base64"))
    )


def is_sent(value: Mapping[str, Any]) -> bool:
    """Whether a JSON object says what to send where: an HTTP request with its body."""
    return "method" in value and "body" in value and any(key in value for key in ("url", "uri", "path"))
