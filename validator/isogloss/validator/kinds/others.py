"""Recognise documents that look like Chat Completions but are not: those of other APIs, and those that are no traffic.

Each row names a kind of document, and has the tests that recognise it: properties that it has, values of properties,
and properties of the items of a list. A test uses only what no payload of Chat Completions has.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from msgspec import Struct

__all__ = ["MODELS", "is_shared", "other_api", "other_kind"]


MODELS = "Models API"


class _Test(Struct, frozen=True):
    """A test of a document. It can succeed only if the document has the property ``name``.

    If there are ``values``, the property must have one of them, too. ``passes`` need not test this again.
    """

    name: str
    passes: Callable[[Mapping[str, Any]], bool]
    values: tuple[str, ...] = ()


_FREQUENT_PROPERTIES = frozenset({
    "messages", "message", "model", "error", "tools", "type", "object", "id", "input", "max_tokens",
})  # fmt: skip
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


def _part_types(*types: str, with_source: tuple[str, ...]) -> _Test:
    """Make a test that a part of the content of a message has one of the types.

    Of the types ``with_source``, the part must have an object ``source``, too.
    """

    def passes(part: Mapping[str, Any]) -> bool:
        kind = part.get("type")
        return kind in types or (kind in with_source and isinstance(part.get("source"), dict))

    return _Test("messages", lambda value: any(map(passes, _parts(value))))


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


def _item(name: str, *properties: str, without: tuple[str, ...] = ()) -> _Test:
    """Make a test that the first item of an array is an object with all ``properties`` and with none of ``without``."""

    def passes(value: Mapping[str, Any]) -> bool:
        items = value.get(name)
        first = items[0] if isinstance(items, list) and items else None
        return isinstance(first, dict) and first.keys() >= set(properties) and first.keys().isdisjoint(without)

    return _Test(name, passes)


def _without(*names: str) -> _Test:
    """Make a test that the properties are missing. It works only as the second test of ``_and``."""
    return _Test(names[0], lambda value: value.keys().isdisjoint(names))


def _is_object(name: str) -> _Test:
    """Make a test that the property is an object. It works only as the second test of ``_and``."""
    return _Test(name, lambda value: isinstance(value.get(name), dict))


def _is_no_object(name: str) -> _Test:
    """Make a test that the property is no object. It works only as the second test of ``_and``."""
    return _Test(name, lambda value: not isinstance(value.get(name), dict))


def _or(first: _Test, other: _Test) -> _Test:
    """Make a test that passes if one of the tests passes. It works only as the second test of ``_and``."""
    return _Test(first.name, lambda value: first.passes(value) or other.passes(value))


def _without_chat_choice() -> _Test:
    """Make a test that the first choice has no message and no delta. It works only as the second test of ``_and``."""

    def passes(value: Mapping[str, Any]) -> bool:
        choices = value.get("choices")
        first = choices[0] if isinstance(choices, list) and choices else None
        return not (isinstance(first, dict) and ("message" in first or "delta" in first))

    return _Test("choices", passes)


_OUTCOMES = ("output", "outputs", "response")
"""Properties that say what came of a request. With one, a document is the record of a program."""
_NOT_LEGACY = (
    "messages", "choices", "object", "tools", "name", "options", "keep_alive", "input", "seconds", "size", "quality",
)  # fmt: skip
"""Properties that a document with a model and a prompt has if it is no request for a legacy completion."""

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
    ("Bedrock Converse", (_has("inferenceConfig"), _has("toolConfig"),
                          _and(_has("modelId"), _without(*_OUTCOMES)), _has("stopReason", "output"),
                          _has("contentBlockIndex"), _has("messageStart"), _has("additionalModelRequestFields"))),
    ("Anthropic Messages API", (
        _has("anthropic_version"), _and(_is("type", "message"), _has("content")),
        _holds("tools", "input_schema"), _has("system", "messages", "model"),
        _has("system", "messages", "max_tokens"),
        _begins("type", "message_", "content_block_"), _and(_is("type", "error"), _has("error", "request_id")),
        _and(_has("custom_id"), _or(_holds("params", "messages"), _holds("result", "message"))),
        _and(_is("type", "ping"), _without("choices")),
        _part_types(
            "tool_use", "tool_result", "redacted_thinking", "server_tool_use", with_source=("image", "document")
        ),
        _has("messages", "stop_sequences"),
    )),
    ("Realtime API", (
        _begins("type", "session.", "conversation.item.", "input_audio_buffer."), _begins("object", "realtime."),
        _and(_begins("type", "response."), _has("event_id")), _is("type", "response.create", "response.cancel"),
        _and(_is("type", "error"), _has("error", "event_id")),
    )),
    ("Responses API", (
        _is("object", "response", "response.compaction", "response.input_tokens"), _has("input", "instructions"),
        _has("previous_response_id"), _and(_has("prompt", "model"), _and(_is_object("prompt"), _without("messages"))),
        _and(_is("type", "error"), _has("sequence_number")),
        _begins("type", "response."),
        _and(_is("object", "list"), _item("data", "type", "role", without=("object",))),
        _and(_item("input", "role"), _and(_has("model"), _without("messages", "output", "labels", "range"))),
    )),
    ("Conversations API", (_begins("object", "conversation"),)),
    ("Audio API", (
        _and(_has("input", "voice"), _without("messages")), _begins("type", "transcript.", "speech."),
    )),
    ("Embeddings API", (
        _is("object", "embedding"), _has("embeddings"), _has("input", "encoding_format"), _has("input", "dimensions"),
    )),
    ("Responses or Embeddings API, or another one with an `input`", (
        _and(_has("input", "model"), _and(_without("messages", "output", "voice"), _is_no_object("input"))),
    )),
    ("Assistants API", (
        _begins("object", "assistant", "thread"), _and(_has("assistant_id"), _without("input")),
        _is("object", "vector_store"), _and(_is("object", "list"), _item("data", "object", "thread_id")),
    )),
    ("LangGraph API", (_has("assistant_id", "input"),)),
    ("Images API", (
        _and(_has("prompt", "size"), _without("messages", "seconds")),
        _and(_has("prompt", "quality"), _without("messages")),
        _item("data", "b64_json"), _item("data", "revised_prompt"),
        _begins("type", "image_generation.", "image_edit."),
    )),
    ("Videos API", (_is("object", "video"), _and(_has("prompt", "seconds"), _without("messages")))),
    ("Completions API (legacy)", (
        _and(_is("object", "text_completion"), _without_chat_choice()),
        _and(_has("prompt", "model"), _and(_without(*_NOT_LEGACY, *_OUTCOMES), _is_no_object("prompt"))),
    )),
    ("messages of a stored completion", (
        _and(_is("object", "list"), _item("data", "role", without=("object", "type"))),
    )),
    ("list of another API", (_and(_is("object", "list"), _without("choices")),)),
    (MODELS, (_is("object", "model"),)),
    ("Batch API", (_is("object", "batch"),)),
    ("Files API", (_is("object", "file"),)),
    ("Moderations API", (_holds("results", "category_scores"),)),
    ("fine-tuning job", (_begins("object", "fine_tuning"),)),
    ("fine-tuning example of preferences", (_has("input", "preferred_output"),)),
    ("Gemini API", (
        _holds("candidates", "content"), _holds("candidates", "finishReason"), _has("candidates", "usageMetadata"),
        _holds("contents", "parts"), _has("promptFeedback"), _has("generationConfig"),
    )),
    ("LangChain result", (_has("generations", "llm_output"),)),
    ("Cohere API", (_has("chat_history"), _has("generations"), _has("is_finished", "event_type"),
                    _has("messages", "safety_mode"),
                    _is("type", "message-start", "content-start", "content-delta", "content-end", "message-end"),
                    _and(_has("message", "model"), _has("preamble")),
                    _and(_is("finish_reason", "COMPLETE", "MAX_TOKENS", "TOOL_CALL"), _has("message")),
                    _has("text", "generation_id"))),
    ("Ollama API", (
        _and(_has("done", "model"), _without("choices")),
        _and(_has("messages", "model", "options"), _without("choices")),
        _and(_has("messages", "model", "format"), _without("choices")),
        _has("messages", "keep_alive"), _has("created_at", "done"),
        _and(_has("prompt", "model"), _and(_or(_has("options"), _has("keep_alive")), _without("messages"))),
    )),
    ("text generation (Hugging Face)", (_has("generated_text"), _has("inputs", "parameters"))),
    ("ChatCompletion API of MiniMax", (_has("reply", "base_resp"),)),
    ("ERNIE API of Baidu", (_and(_has("result", "need_clear_history"), _without("choices")),
                            _and(_has("result", "needClearHistory"), _without("choices")))),
    ("answer of a chat application", (_has("history_metadata", "choices"),)),
    ("AI SDK", (
        _holds("messages", "parts"), _has("messages", "trigger"), _has("type", "errorText"),
        _is("type", "start-step", "finish-step", "text-start", "text-delta", "text-end", "reasoning-delta",
            "tool-input-start", "tool-input-available", "tool-output-available"),
    )),
    ("AG-UI protocol", (_has("threadId", "runId"), _begins("type", "RUN_", "TEXT_MESSAGE_"))),
    ("A2A message", (_has("parts", "messageId"),)),
    ("a trace of messages, without the answer as it was sent", (
        _and(_and(_holds("input", "role"), _holds("output", "role")), _without("choices")),
    )),
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
    "embeddings": "Embeddings API", "embed": "Embeddings API", "responses": "Responses API", "models": MODELS,
    "threads": "Assistants API", "messages": "Anthropic Messages API", "moderations": "Moderations API",
    "files": "Files API", "batches": "Batch API", "images": "Images API", "audio": "Audio API", "videos": "Videos API",
    "rerank": "reranking", "tokenize": "tokenizing", "generate": "text generation",
    "generate_stream": "text generation", "assistants": "Assistants API", "vector_stores": "Vector stores API",
    "uploads": "Uploads API", "realtime": "Realtime API", "fine_tuning": "fine-tuning API",
    "conversations": "Conversations API", "ocr": "OCR API", "completions": "Completions API (legacy)",
    "agents/completions": "Agents API of Mistral", "fim/completions": "completion in the middle",
}  # fmt: skip
"""The endpoints of APIs of models, by the first segments of their path behind the base of the API."""
_BASES = frozenset({"", "openai", "anthropic", "api", "inference", "beta", "compat", "cohere", "mistral", "groq"})
"""Segments that the base of an API ends with, besides a version. The first one is the root of a host."""
_VERSION = re.compile(r"v\d{1,2}(?:(?:alpha|beta|rc)\d{0,3}|\.\d{1,2})?")
_NAMED_BASES = frozenset({"deployments", "engines"})
"""Segments that the base of an API has before the name of a model."""
_ENDINGS = (
    ("/api/chat", "Ollama API, or an application"), ("/v2/chat", "Cohere API"),
    ("/converse", "Bedrock Converse"), ("/converse-stream", "Bedrock Converse"),
    ("/invoke", "Bedrock InvokeModel"), ("/invoke-with-response-stream", "Bedrock InvokeModel"),
)  # fmt: skip
_GEMINI_METHOD = re.compile(r":(?:generateContent|streamGenerateContent|countTokens|(?:batchE|e)mbedContents?)\Z")
_PREDICTION = re.compile(r":predict(?:LongRunning)?\Z")
_SHARED_PATH = re.compile(r"(?:(?:/api)?/\w+|.*(?:/invoke|:predict))\Z")
"""A path that other services have, too: those of applications, such as ``/api/chat`` and ``/generate``, and those that
invoke the model of any maker, whose API the maker defines: OpenAI's models on Bedrock answer with completions."""


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
    if _GEMINI_METHOD.search(path):
        return "Gemini API"
    if _PREDICTION.search(path):
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
    return _SHARED_PATH.match(path.partition("?")[0].rstrip("/")) is not None


def _is_base(before_last: str, last: str) -> bool:
    """Return whether the base of an API may end with these two segments of a path."""
    return last in _BASES or _VERSION.fullmatch(last) is not None or before_last in _NAMED_BASES
