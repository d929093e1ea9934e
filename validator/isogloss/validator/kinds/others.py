"""Recognise documents that look like Chat Completions but are not: those of other APIs, and those that are no traffic.

Each row names a kind of document, and has the tests that recognise it: properties that it has, values of properties,
and properties of the items of a list. A test uses only what no payload of Chat Completions has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from msgspec import Struct

from isogloss.validator.kinds.endpoints import MODELS

__all__ = ["REPORT_NAME", "answering_api", "other_kind"]


_Condition: TypeAlias = Callable[[Mapping[str, Any]], bool]


class _Test(Struct, frozen=True):
    """A test of a document. It can succeed only if the document has the property ``name``.

    If there are ``values``, the property must have one of them, too. ``passes`` need not test this again.
    """

    name: str
    passes: _Condition
    values: tuple[str, ...] = ()

    def __and__(self, other: _Test | _Condition) -> _Test:
        """Make a test that passes if both pass. Only the first one may have values."""
        also = other.passes if isinstance(other, _Test) else other
        return _Test(self.name, lambda value: self.passes(value) and also(value), self.values)


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


def _dated_types(name: str) -> _Test:
    """Make a test that an item of an array has a name, and a type that ends with the date of its version."""

    def passes(item: object) -> bool:
        kind = item.get("type") if isinstance(item, dict) and "name" in item and "function" not in item else None
        return isinstance(kind, str) and kind[-9:-6] == "_20" and kind[-6:].isdecimal()

    def any_passes(value: Mapping[str, Any]) -> bool:
        items = value.get(name)
        return any(map(passes, items[:20])) if isinstance(items, list) else False

    return _Test(name, any_passes)


def _parts(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    messages = value.get("messages")
    first = messages[:20] if isinstance(messages, list) else []
    contents = [message.get("content") for message in first if isinstance(message, dict)]
    return [part for content in contents if isinstance(content, list) for part in content if isinstance(part, dict)]


def _item(name: str, *properties: str, without: tuple[str, ...] = ()) -> _Test:
    """Make a test that the first item of an array is an object with all ``properties`` and with none of ``without``."""

    def passes(value: Mapping[str, Any]) -> bool:
        names = _first_item(value, name).keys()
        return names >= set(properties) and names.isdisjoint(without)

    return _Test(name, passes)


def _first_item(value: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the first item of an array if it is an object, or else an empty object."""
    items = value.get(name)
    first = items[0] if isinstance(items, list) and items else None
    return first if isinstance(first, dict) else {}


def _lacks(*names: str) -> _Condition:
    """Make the condition that the properties are missing."""
    return lambda value: value.keys().isdisjoint(names)


def _is_object(name: str) -> _Condition:
    """Make the condition that the property is an object."""
    return lambda value: isinstance(value.get(name), dict)


def _is_no_object(name: str) -> _Condition:
    """Make the condition that the property is no object."""
    return lambda value: not isinstance(value.get(name), dict)


def _holds_no_chat_choice(value: Mapping[str, Any]) -> bool:
    """Return whether the first choice has no message and no delta."""
    return _first_item(value, "choices").keys().isdisjoint(("message", "delta"))


_OUTCOMES = ("output", "outputs", "response")
"""Properties that say what came of a request. With one, a document is the record of a program."""
_NOT_LEGACY = (
    "messages", "choices", "object", "tools", "name", "options", "keep_alive", "input", "seconds", "size", "quality",
)  # fmt: skip
"""Properties that a document with a model and a prompt has if it is no request for a legacy completion."""

REPORT_NAME = "report of isogloss"
_OTHERS: tuple[tuple[str, tuple[_Test, ...]], ...] = (
    ("trace span of an APM", (
        _has("trace_id", "span_id"), _has("traceId", "spanId"), _has("traceId", "id", "duration"),
    )),
    ("an object of a client library, not as it was sent", (_has("__type__", "__data__"),)),
    ("an object of Inspect AI, not as it was sent", (
        _holds("choices", "stop_reason") & _lacks("object", "created"),
    )),
    ("an answer with names in camel case, as client libraries write it", (
        _item("choices", "finishReason", without=("finish_reason",)) & _lacks("object"),
    )),
    ("OpenTelemetry data", (_has("resourceSpans"), _has("resourceLogs"), _has("resourceMetrics"))),
    ("OpenAPI document", (_has("openapi", "info"), _has("swagger", "info"))),
    ("JSON Schema", (_has("$schema", "properties"), _has("$defs", "properties"))),
    ("JSON-RPC message", (_has("jsonrpc"),)),
    ("GraphQL answer", (_has("data", "errors") & _lacks("error"),)),
    ("OCI Generative AI", (
        _has("chatResponse", "modelId"), _has("chatRequest", "servingMode"), _has("apiFormat"),
    )),
    ("Bedrock Converse", (_has("inferenceConfig"), _has("toolConfig"),
                          _has("modelId") & _lacks(*_OUTCOMES), _has("stopReason", "output"),
                          _has("contentBlockIndex"), _has("messageStart"), _has("additionalModelRequestFields"))),
    ("Anthropic Messages API", (
        _has("anthropic_version"), _is("type", "message") & _has("content"),
        _holds("tools", "input_schema"), _dated_types("tools"), _has("system", "messages", "model"),
        _has("system", "messages", "max_tokens"),
        _begins("type", "message_", "content_block_"), _is("type", "error") & _has("error", "request_id"),
        _has("custom_id") & _holds("params", "messages"), _has("custom_id") & _holds("result", "message"),
        _is("type", "ping") & _lacks("choices"),
        _part_types(
            "tool_use", "tool_result", "redacted_thinking", "server_tool_use", with_source=("image", "document")
        ),
        _has("messages", "stop_sequences"), _has("messages", "max_tokens", "output_config"),
    )),
    ("Realtime API", (
        _begins("type", "session.", "conversation.item.", "input_audio_buffer."), _begins("object", "realtime."),
        _begins("type", "response.") & _has("event_id"), _is("type", "response.create", "response.cancel"),
        _is("type", "error") & _has("error", "event_id"),
    )),
    ("Responses API", (
        _is("object", "response", "response.compaction", "response.input_tokens"), _has("input", "instructions"),
        _has("previous_response_id"), _has("prompt", "model") & _is_object("prompt") & _lacks("messages"),
        _is("type", "error") & _has("sequence_number"),
        _begins("type", "response."),
        _is("object", "list") & _item("data", "type", "role", without=("object",)),
        _item("input", "role") & _has("model") & _lacks("messages", "output", "labels", "range"),
    )),
    ("Conversations API", (_begins("object", "conversation"),)),
    ("Audio API", (
        _has("input", "voice") & _lacks("messages"), _begins("type", "transcript.", "speech."),
    )),
    ("Embeddings API", (
        _is("object", "embedding"), _has("embeddings"), _has("input", "encoding_format"), _has("input", "dimensions"),
    )),
    ("Responses or Embeddings API, or another one with an `input`", (
        _has("input", "model") & _lacks("messages", "output", "voice") & _is_no_object("input"),
    )),
    ("Assistants API", (
        _begins("object", "assistant", "thread"), _has("assistant_id") & _lacks("input"),
        _is("object", "vector_store"), _is("object", "list") & _item("data", "object", "thread_id"),
    )),
    ("LangGraph API", (_has("assistant_id", "input"),)),
    ("Images API", (
        _has("prompt", "size") & _lacks("messages", "seconds"),
        _has("prompt", "quality") & _lacks("messages"),
        _item("data", "b64_json"), _item("data", "revised_prompt"),
        _begins("type", "image_generation.", "image_edit."),
    )),
    ("Videos API", (_is("object", "video"), _has("prompt", "seconds") & _lacks("messages"))),
    ("Completions API (legacy)", (
        _is("object", "text_completion") & _holds_no_chat_choice,
        _has("prompt", "model") & _lacks(*_NOT_LEGACY, *_OUTCOMES) & _is_no_object("prompt"),
    )),
    ("messages of a stored completion", (
        _is("object", "list") & _item("data", "role", without=("object", "type")),
    )),
    ("a stored completion that was deleted", (_is("object", "chat.completion.deleted"),)),
    ("Evals API", (_is("object", "eval"), _begins("object", "eval."))),
    ("list of another API", (_is("object", "list") & _lacks("choices"),)),
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
    ("LangChain messages", (
        _has("lc", "type"), _is("type", "human", "ai", "system", "tool") & _holds("data", "content"),
    )),
    ("DashScope API", (
        _has("output", "usage", "request_id") & _holds("usage", "input_tokens"),
        _holds("input", "messages") & _has("model", "parameters"),
    )),
    ("watsonx.ai text generation", (_has("model_id") & _holds("results", "generated_text"),)),
    ("conversation exported from ChatGPT", (_has("mapping", "current_node"),)),
    ("conversation of Open WebUI", (_holds("chat", "history"),)),
    ("session of Codex", (
        _is("type", "session_meta", "turn_context", "response_item", "event_msg") & _has("payload", "timestamp"),
    )),
    ("session of Claude Code", (_has("sessionId", "uuid", "message"),)),
    ("Cohere API", (_has("chat_history"), _has("generations"), _has("is_finished", "event_type"),
                    _has("messages", "safety_mode"),
                    _has("messages", "citation_options") & _is_object("citation_options"),
                    _is("type", "message-start", "content-start", "content-delta", "content-end", "message-end"),
                    _has("preamble", "message", "model"),
                    _is("finish_reason", "COMPLETE", "MAX_TOKENS", "TOOL_CALL") & _has("message"),
                    _has("text", "generation_id"))),
    ("Ollama API", (
        _has("done", "model") & _lacks("choices"),
        _has("messages", "model", "options") & _lacks("choices"),
        _has("messages", "model", "format") & _lacks("choices"),
        _has("messages", "keep_alive"), _has("created_at", "done"),
        _has("prompt", "model", "options") & _lacks("messages"),
        _has("prompt", "model", "keep_alive") & _lacks("messages"),
    )),
    ("text generation (Hugging Face)", (_has("generated_text"), _has("inputs", "parameters"))),
    ("ChatCompletion API of MiniMax", (_has("reply", "base_resp"),)),
    ("CLOVA Studio API", (_has("messages", "topK", "maxTokens") & _lacks("model"),)),
    ("ERNIE API of Baidu", (_has("result", "need_clear_history") & _lacks("choices"),
                            _has("result", "needClearHistory") & _lacks("choices"))),
    ("answer of a chat application", (_has("history_metadata", "choices"),)),
    ("AI SDK", (
        _holds("messages", "parts"), _has("messages", "trigger"), _has("type", "errorText"),
        _is("type", "start-step", "finish-step", "text-start", "text-delta", "text-end", "reasoning-delta",
            "tool-input-start", "tool-input-available", "tool-output-available"),
    )),
    ("AG-UI protocol", (_has("threadId", "runId"), _begins("type", "RUN_", "TEXT_MESSAGE_"))),
    ("A2A message", (_has("parts", "messageId"),)),
    ("a trace of messages, without the answer as it was sent", (
        _holds("input", "role") & _holds("output", "role") & _lacks("choices"),
    )),
    ("a run of LangSmith, without the answer as it was sent", (_has("run_type"),)),
    ("training conversation (ShareGPT)", (_has("conversations"),)),
    ("error of a web framework", (
        _has("statusCode", "message"), _has("timestamp", "status", "path"), _has("type", "title", "status"),
        _has("status", "error", "exception"),
    )),
    ("error of Anthropic or the Responses API", (_is("type", "error") & _has("error"),)),
    ("Stripe API", (_holds("error", "doc_url"), _holds("error", "request_log_url"))),
    (REPORT_NAME, (
        _has("report_version", "findings"), _has("report_version", "servers"), _has("comparison_version", "twins"),
        _has("dialect_report_version"), _has("coverage_report_version"), _has("clients_report_version"),
    )),
    ("source map", (_has("sources", "mappings"),)),
    ("package manifest", (_has("name", "version", "dependencies"), _has("name", "version", "scripts"))),
)  # fmt: skip


_CHAT_APIS = frozenset({"Anthropic Messages API", "Ollama API", "Cohere API"})
"""APIs whose requests may have nothing that those of Chat Completions do not have."""
_OF_REQUESTS = frozenset({"messages", "prompt", "system", "tools", "chat_history", "preamble", "params"})

_NumberedTest: TypeAlias = tuple[int, str, _Test]
"""A test, with the number and the name of its row."""
_BY_PROPERTY: dict[str, list[_NumberedTest]] = {}
"""The tests by the property that they need."""
_BY_VALUE: dict[str, dict[str, list[_NumberedTest]]] = {}
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


def answering_api(value: Mapping[str, Any]) -> str | None:
    """Return the name of the API that gave an answer, or an event of one, or ``None`` for any other document.

    Only the APIs count whose requests may look like those of Chat Completions.
    """
    name = other_kind(value) if value.keys().isdisjoint(_OF_REQUESTS) else None
    return name if name in _CHAT_APIS else None
