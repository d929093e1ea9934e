"""Tell from a URL path to which other API, or other part of this API, a request went."""

from __future__ import annotations

import re

__all__ = ["MODELS", "is_shared", "other_api"]

MODELS = "Models API"

_ENDPOINTS = {
    "embeddings": "Embeddings API", "embed": "Embeddings API", "responses": "Responses API", "models": MODELS,
    "threads": "Assistants API", "messages": "Anthropic Messages API", "moderations": "Moderations API",
    "files": "Files API", "batches": "Batch API", "images": "Images API", "audio": "Audio API", "videos": "Videos API",
    "rerank": "reranking", "tokenize": "tokenizing", "generate": "text generation",
    "generate_stream": "text generation", "assistants": "Assistants API", "vector_stores": "Vector stores API",
    "uploads": "Uploads API", "realtime": "Realtime API", "fine_tuning": "fine-tuning API",
    "conversations": "Conversations API", "ocr": "OCR API", "completions": "Completions API (legacy)",
    "agents/completions": "Agents API of Mistral", "fim/completions": "fill-in-the-middle completions",
}  # fmt: skip
"""The endpoints of APIs of models, by the first segments of their path behind the base of the API."""
_BASES = frozenset({"", "openai", "anthropic", "api", "inference", "beta", "compat", "cohere", "mistral", "groq"})
"""Segments that the base of an API ends with, besides a version. The first one is the root of a host."""
_VERSION = r"v\d{1,2}(?:(?:alpha|beta|rc)\d{0,3}|\.\d{1,2})?"
_NAMED_BASES = frozenset({"deployments", "engines"})
"""Segments that the base of an API has before the name of a model."""
_ENDINGS = (
    ("/api/chat", "Ollama API, or an application"), ("/v2/chat", "Cohere API"),
    ("/converse", "Bedrock Converse"), ("/converse-stream", "Bedrock Converse"),
    ("/invoke", "Bedrock InvokeModel"), ("/invoke-with-response-stream", "Bedrock InvokeModel"),
)  # fmt: skip
_GEMINI_METHOD = r":(?:generateContent|streamGenerateContent|countTokens|(?:batchE|e)mbedContents?)\Z"
_PREDICTION = r":predict(?:LongRunning)?\Z"
_SHARED_PATH = r"(?:(?:/api)?/\w+|.*(?:/invoke|:predict|/chat/completions/stream))\Z"
"""A path that other services have, too: those of applications, such as ``/api/chat`` and ``/generate``, those that
invoke the model of any maker, whose API the maker defines: OpenAI's models on Bedrock answer with completions; and one
of which no completion has the id: there some servers stream chunks, and some applications text (api/simple_chat.py of
AsyncFuncAI/deepwiki-open, read 2026-11)."""


def other_api(path: str) -> str | None:
    """Name the other API, or other part of this API, that a URL path belongs to. Return ``None`` if none is known.

    A path belongs to an API only if the name of an endpoint stands directly behind its base: a version, or the root of
    the host. Further in, the same words are resources of other services, like ``/channels/1/messages``.
    """
    path = path.partition("?")[0].rstrip("/")
    if path.endswith("/chat/completions"):
        return None
    if "/chat/completions/" in path:
        return "stored completions"
    if re.search(_GEMINI_METHOD, path):
        return "Gemini API"
    if re.search(_PREDICTION, path):
        return "prediction of Vertex AI"
    for ending, name in _ENDINGS:
        if path.endswith(ending):
            return name
    segments = ["", "", *path.removeprefix("/").split("/")]
    for position in range(len(segments) - 1, 1, -1):
        found = _ENDPOINTS.get("/".join(segments[position : position + 2])) or _ENDPOINTS.get(segments[position])
        if found and _is_base(*segments[position - 2 : position]) and not (found == MODELS and ":" in segments[-1]):
            return found
    return None


def is_shared(path: str) -> bool:
    """Return whether other services have a path, too, so that it is no evidence against answers of Chat Completions."""
    return re.match(_SHARED_PATH, path.partition("?")[0].rstrip("/")) is not None


def _is_base(before_last: str, last: str) -> bool:
    """Return whether the base of an API may end with these two segments of a path."""
    return last in _BASES or re.fullmatch(_VERSION, last) is not None or before_last in _NAMED_BASES
