"""Recognise documents that look like Chat Completions but are not: those of other APIs, and those that are no traffic.

Each row names a kind of document, and has the tests that recognise it: properties that it has, values of properties,
and properties of the items of a list. A test uses only what no payload of Chat Completions has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from msgspec import Struct

__all__ = ["other_api", "other_kind"]


class _Test(Struct, frozen=True):
    """A test of a document. It can succeed only if the document has the property ``name``.

    If there are ``values``, the property must have one of them, too. ``passes`` need not test this again.
    """

    name: str
    passes: Callable[[Mapping[str, Any]], bool]
    values: tuple[str, ...] = ()


_FREQUENT_PROPERTIES = frozenset({"messages", "message", "model", "error", "tools", "type", "object", "id", "input"})
"""Properties that payloads of Chat Completions or many other documents have, too. Any other property is rarer."""


def _has(*names: str) -> _Test:
    """Make a test that the document has all of the properties."""
    rarest = next((name for name in names if name not in _FREQUENT_PROPERTIES), names[0])
    return _Test(rarest, lambda value: all(name in value for name in names))


def _is(name: str, *values: str) -> _Test:
    """Make a test that the property has one of the values."""
    return _Test(name, lambda _: True, values)


def _begins(name: str, *starts: str) -> _Test:
    """Make a test that the property is a string that begins with one of ``starts``."""
    return _Test(name, lambda value: isinstance(value.get(name), str) and value[name].startswith(starts))


def _holds(name: str, inner: str) -> _Test:
    """Make a test that the property is an object with the property ``inner``, or an array of objects.

    In an array, one of the first 20 items must be an object with ``inner``.
    """

    def passes(value: Mapping[str, Any]) -> bool:
        inner_value = value.get(name)
        parts = inner_value[:20] if isinstance(inner_value, list) else [inner_value]
        return any(isinstance(part, dict) and inner in part for part in parts)

    return _Test(name, passes)


def _part_types(*types: str) -> _Test:
    """Make a test that a part of the content of a message has one of the types."""
    return _Test(
        "messages",
        lambda value: any(isinstance(part.get("type"), str) and part["type"] in types for part in _parts(value)),
    )


def _parts(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    messages = value.get("messages")
    contents = (
        [message.get("content") for message in messages[:20] if isinstance(message, dict)]
        if isinstance(messages, list)
        else []
    )
    return [part for content in contents if isinstance(content, list) for part in content if isinstance(part, dict)]


def _and(first: _Test, other: _Test) -> _Test:
    """Make a test that passes if both tests pass. Values may be demanded only by the first one."""
    return _Test(first.name, lambda value: first.passes(value) and other.passes(value), first.values)


def _without(name: str) -> _Test:
    """Make a test that the property is missing. It works only as the second test of ``_and``."""
    return _Test(name, lambda value: name not in value)


def _is_no_object(name: str) -> _Test:
    """Make a test that the property is no object. It works only as the second test of ``_and``."""
    return _Test(name, lambda value: not isinstance(value.get(name), dict))


def _without_chat_choice() -> _Test:
    """Make a test that the first choice has no message and no delta. It works only as the second test of ``_and``."""

    def passes(value: Mapping[str, Any]) -> bool:
        choices = value.get("choices")
        first = choices[0] if isinstance(choices, list) and choices else None
        return not (isinstance(first, dict) and ("message" in first or "delta" in first))

    return _Test("choices", passes)


_OTHERS: tuple[tuple[str, tuple[_Test, ...]], ...] = (
    ("trace span of an APM", (
        _has("trace_id", "span_id"), _has("traceId", "spanId"), _has("traceId", "id", "duration"),
    )),
    ("an object of a client library, not as it was sent", (_has("__type__", "__data__"),)),
    ("an object of Inspect AI, not as it was sent", (
        _and(_and(_holds("choices", "stop_reason"), _without("object")), _without("created")),
    )),
    ("OpenTelemetry data", (_has("resourceSpans"), _has("resourceLogs"), _has("resourceMetrics"))),
    ("OpenAPI document", (_has("openapi", "info"), _has("swagger", "info"))),
    ("JSON Schema", (_has("$schema", "properties"), _has("$defs", "properties"))),
    ("JSON-RPC message", (_has("jsonrpc"),)),
    ("GraphQL answer", (_and(_has("data", "errors"), _without("error")),)),
    ("OCI Generative AI", (
        _has("chatResponse", "modelId"), _has("chatRequest", "servingMode"), _has("apiFormat"),
    )),
    ("Bedrock Converse", (_has("inferenceConfig"), _has("toolConfig"), _has("modelId"), _has("stopReason", "output"),
                          _has("contentBlockIndex"), _has("messageStart"), _has("additionalModelRequestFields"))),
    ("Anthropic Messages API", (
        _has("anthropic_version"), _and(_is("type", "message"), _has("content")),
        _holds("tools", "input_schema"), _has("system", "messages"),
        _begins("type", "message_", "content_block_"), _and(_is("type", "error"), _has("error", "request_id")),
        _and(_is("type", "ping"), _without("choices")),
        _part_types("tool_use", "tool_result", "redacted_thinking", "server_tool_use"),
        _has("messages", "stop_sequences"),
    )),
    ("Responses API", (
        _is("object", "response"), _begins("type", "response."), _has("input", "instructions"),
        _has("previous_response_id"),
        _and(_is("type", "error"), _has("sequence_number")),
    )),
    ("Responses or Embeddings API", (
        _and(_and(_has("input", "model"), _without("messages")), _is_no_object("input")),
    )),
    ("Realtime API", (_begins("type", "session.", "conversation.item.", "input_audio_buffer."),)),
    ("Assistants API", (_begins("object", "assistant", "thread"), _has("assistant_id"), _is("object", "vector_store"))),
    ("Completions API (legacy)", (
        _and(_is("object", "text_completion"), _without_chat_choice()),
        _and(_has("prompt", "model"), _without("messages")),
    )),
    ("messages of a stored completion", (_and(_is("object", "list"), _holds("data", "role")),)),
    ("list of another API", (_and(_is("object", "list"), _without("choices")),)),
    ("Embeddings API", (_is("object", "embedding"), _has("embeddings"))),
    ("Models API", (_is("object", "model"),)),
    ("Batch API", (_is("object", "batch"),)),
    ("Files API", (_is("object", "file"),)),
    ("Moderations API", (_holds("results", "category_scores"),)),
    ("fine-tuning job", (_begins("object", "fine_tuning"),)),
    ("fine-tuning example of preferences", (_has("input", "preferred_output"),)),
    ("Gemini API", (_has("candidates"), _has("contents"), _has("promptFeedback"), _has("generationConfig"))),
    ("Cohere API", (_has("chat_history"), _has("generations"), _and(_has("message", "model"), _has("preamble")),
                    _and(_is("finish_reason", "COMPLETE", "MAX_TOKENS", "TOOL_CALL"), _has("message")),
                    _has("text", "generation_id"))),
    ("Ollama API", (
        _and(_has("done", "model"), _without("choices")), _and(_has("messages", "options"), _without("choices")),
        _has("messages", "keep_alive"), _has("created_at", "done"),
    )),
    ("text generation (Hugging Face)", (_has("generated_text"), _has("inputs", "parameters"))),
    ("ChatCompletion API of MiniMax", (_has("reply", "base_resp"),)),
    ("ERNIE API of Baidu", (_and(_has("result", "need_clear_history"), _without("choices")),
                            _and(_has("result", "needClearHistory"), _without("choices")))),
    ("answer of a chat application", (_has("history_metadata", "choices"),)),
    ("AI SDK messages", (_holds("messages", "parts"), _has("messages", "trigger"))),
    ("LangChain messages", (_has("lc", "type"), _has("run_type"))),
    ("training conversation (ShareGPT)", (_has("conversations"),)),
    ("error of a web framework", (
        _has("statusCode", "message"), _has("timestamp", "status", "path"), _has("type", "title", "status"),
        _has("status", "error", "exception"),
    )),
    ("error of Anthropic or the Responses API", (_and(_is("type", "error"), _has("error")),)),
    ("Stripe API", (_holds("error", "doc_url"), _holds("error", "request_log_url"))),
    ("source map", (_has("sources", "mappings"),)),
    ("package manifest", (_has("name", "version", "dependencies"), _has("name", "version", "scripts"))),
)  # fmt: skip


_Row: TypeAlias = tuple[int, str, _Test]
"""A test, with the number and the name of its row."""
_BY_PROPERTY: dict[str, list[_Row]] = {}
"""The tests by the property that they need."""
_BY_VALUE: dict[str, dict[str, list[_Row]]] = {}
"""The tests that need a value of the property, too, by the property and its value."""
for _number, (_name, _tests) in enumerate(_OTHERS):
    for _test in _tests:
        if not _test.values:
            _BY_PROPERTY.setdefault(_test.name, []).append((_number, _name, _test))
        for _value in _test.values:
            _BY_VALUE.setdefault(_test.name, {}).setdefault(_value, []).append((_number, _name, _test))


def other_kind(value: Mapping[str, Any]) -> str | None:
    """Describe what kind of other document this is, or return ``None`` if it is not a known kind.

    If several rows fit, the first one counts.
    """
    first = len(_OTHERS)
    found = None
    for property_name, inner in value.items():
        rows = _BY_PROPERTY.get(property_name, [])
        if isinstance(inner, str) and property_name in _BY_VALUE:
            rows = rows + _BY_VALUE[property_name].get(inner, [])
        for number, name, test in rows:
            if number < first and test.passes(value):
                first, found = number, name
    return found


_ENDPOINTS = {
    "/embeddings": "Embeddings API", "/responses": "Responses API", "/models": "Models API",
    "/threads": "Assistants API",  # before the messages, which a thread has too
    "/messages": "Anthropic Messages API", "/moderations": "Moderations API", "/files": "Files API",
    "/batches": "Batch API", "/images": "Images API", "/audio": "Audio API", "/rerank": "reranking",
    "/tokenize": "tokenizing", "/generate": "text generation", "/api/chat": "Ollama API",
    "/assistants": "Assistants API", "/vector_stores": "Vector stores API", "/uploads": "Uploads API",
    "/realtime": "Realtime API", "/fine_tuning": "fine-tuning API", "/converse": "Bedrock Converse",
    "/converse-stream": "Bedrock Converse", "/invoke": "Bedrock InvokeModel",
    "/invoke-with-response-stream": "Bedrock InvokeModel", "/v2/chat": "Cohere API",
    "/conversations": "Conversations API", "/ocr": "OCR API",
}  # fmt: skip


def other_api(path: str) -> str | None:
    """Name the other API, or other part of this API, that a URL path belongs to. Return ``None`` if none is known."""
    path = path.partition("?")[0].rstrip("/")
    if path.endswith("/chat/completions"):
        return None
    if "/chat/completions/" in path:
        return "stored completions"
    if path.endswith("/completions"):
        return "Completions API (legacy)"
    return next((name for part, name in _ENDPOINTS.items() if f"{part}/" in f"{path}/"), None)
