"""The evidence for each kind of payload, with its weight in points. No other module has such evidence.

A document gets points for properties of a kind, and loses points for properties that do not belong to the kind. The
points are chosen so that two properties which other documents have, too, are not enough, but one property that only
Chat Completions has is enough.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from isogloss.validator.exchange import Cause, Kind, Why

__all__ = [
    "REQUEST_PROPERTIES", "TELLING_PROPERTIES", "holds_messages", "plain_answer", "points", "what_is_missing",
]  # fmt: skip

_Value: TypeAlias = Mapping[str, Any]

REQUEST_PROPERTIES = frozenset({
    "model", "messages", "stream", "stream_options", "temperature", "top_p", "max_tokens", "max_completion_tokens",
    "response_format", "tools", "tool_choice", "parallel_tool_calls", "functions", "function_call", "logprobs",
    "top_logprobs", "frequency_penalty", "presence_penalty", "logit_bias", "reasoning_effort", "modalities", "audio",
    "service_tier", "web_search_options", "prediction", "verbosity", "stop", "n", "seed", "user", "metadata", "store",
    "safety_identifier", "prompt_cache_key", "prompt_cache_retention", "prompt_cache_options",
    "moderation",
})  # fmt: skip
"""All properties of a request that the reference knows."""

_EXAMPLE_PROPERTIES = frozenset({"messages", "tools", "functions", "function_call", "parallel_tool_calls"})
_COMMON_PROPERTIES = frozenset({"moderation", "model", "stop", "n", "seed", "user", "metadata", "store", "audio"})
_VENDOR_PROPERTIES = frozenset({
    "models", "top_k", "top_a", "min_p", "repetition_penalty", "transforms", "chat_template_kwargs", "data_sources",
    "guided_json", "enable_thinking", "continue_final_message",
})  # fmt: skip
_PARAMETERS = REQUEST_PROPERTIES - _EXAMPLE_PROPERTIES - _COMMON_PROPERTIES | _VENDOR_PROPERTIES
"""Properties that say how to answer. With them, messages are a request."""

_ANSWERS = ("chat.completion", "chat.completion.chunk")
_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_MESSAGE_CONTENTS = frozenset({"content", "tool_calls", "function_call", "refusal", "audio"})
_PARTS_OF_MESSAGES = _MESSAGE_CONTENTS | {
    "role", "reasoning", "reasoning_content", "reasoning_details", "thinking", "annotations", "tool_call_id", "name",
}  # fmt: skip
"""Properties of the messages and deltas of answers. Each that has something to say has one of them."""
_TEXTS_OF_OTHERS = frozenset({"text", "messages"})
"""Where choices of the old Completions API hold their text, and those of the first API of MiniMax."""
_STORED_PROPERTIES = frozenset({
    "created_at", "createdAt", "updated_at", "updatedAt", "timestamp", "date", "uuid", "conversation_id",
    "conversationId", "sessionId", "thread_id", "score", "label", "answers", "expected", "ideal", "tags",
    "trajectory",
})  # fmt: skip
"""Properties of stored conversations and of examples. No request has them."""
_STORED_MESSAGE_PROPERTIES = frozenset({"timestamp", "created_at", "createdAt", "create_time", "uuid"})
"""Properties of the messages in stored conversations."""
_DEFINITION_PROPERTIES = frozenset({
    "name", "title", "description", "systemPrompt", "system_prompt", "modelParameters", "model_parameters", "testData",
    "evaluators", "input_variables",
})  # fmt: skip
"""Properties of prompts and agents as programs and libraries keep them. No request has them."""
_TEMPLATE_PROPERTIES = frozenset({"add_generation_prompt", "chat_template", "template_kwargs", "thinking_mode"})
"""Properties of the input of a chat template. Without a model, it is no request."""
_OUTCOME_PROPERTIES = frozenset({
    "completion", "cost", "duration", "duration_ms", "elapsed", "elapsed_ms", "error", "generation", "latency",
    "latency_ms", "model_output", "model_response", "output", "outputs", "raw_response", "response", "response_text",
    "response_time", "result", "total_tokens",
})  # fmt: skip
"""Properties that a program knows only after the answer: those of its own log, and of no request."""

_PROPERTIES_OF_NO_REQUEST = _OUTCOME_PROPERTIES | _DEFINITION_PROPERTIES
_POINTS_OF_NO_REQUEST = 5
"""The points that a request loses for each of these properties: with one, no document has enough."""

_OTHER_ERROR_PROPERTIES = frozenset({
    "success", "ok", "data", "timestamp", "path", "stack", "trace", "status", "statusCode", "jsonrpc", "errors",
    "title", "meta", "level", "logger", "msg",
})  # fmt: skip
_OTHER_INNER_PROPERTIES = frozenset({
    "stack", "name", "errors", "path", "statusCode", "statusText", "doc_url", "decline_code", "request_log_url",
    "innerError", "fbtrace_id", "error_subcode", "timestamp", "traceId",
})  # fmt: skip
_OTHER_ERROR_TYPES = frozenset({
    "OAuthException", "GraphMethodException", "FacebookApiException", "card_error", "idempotency_error",
})  # fmt: skip
"""Types of errors of the Graph API of Meta and of the API of Stripe, whose errors have OpenAI's properties, too."""
TELLING_PROPERTIES = frozenset({"choices", "object", "messages", "error", "detail"})
"""Properties; every payload has at least one of them."""
_NO_POINTS: Mapping[Kind, int] = {"completion": 0, "chunk": 0, "error": 0, "request": 0}

_MOST_MESSAGES = 20
"""How many messages are examined: the first messages of a long conversation show as much as all of them."""


def plain_answer(value: _Value) -> Kind | None:
    """Return the kind of a document at once if it looks like most answers, or ``None`` for any other document.

    A completion or a chunk is recognised if its ``object`` and its first choice agree. An error is recognised if its
    only property is an object ``error`` with OpenAI's four properties.
    """
    if len(value) == 1:
        error = value.get("error")
        is_plain = (
            type(error) is dict
            and len(error) == 4
            and type(error.get("message")) is str
            and "type" in error
            and "param" in error
            and "code" in error
            and not (type(error["type"]) is str and error["type"] in _OTHER_ERROR_TYPES)
        )
        return "error" if is_plain else None
    object_name = value.get("object")
    if object_name not in _ANSWERS:
        return None
    choices = value.get("choices")
    first = choices[0] if type(choices) is list and choices else None
    if type(first) is not dict:
        return None
    if object_name == "chat.completion":
        return "completion" if type(first.get("message")) is dict and "delta" not in first else None
    return "chunk" if type(first.get("delta")) is dict and "message" not in first else None


def points(value: _Value) -> Mapping[Kind, int]:
    """Count the points that a document has for each kind."""
    if value.keys().isdisjoint(TELLING_PROPERTIES):
        return _NO_POINTS
    answer = _answer(value)
    return {
        "completion": answer + _completion(value),
        "chunk": answer + _chunk(value),
        "error": _error(value),
        "request": _request(value),
    }


def holds_messages(value: object) -> bool:
    """Return whether a value is a list with a message of Chat Completions: with a known role, and something to say."""
    return _messages({"messages": value}) > 1


_WITH_MODEL = "a stored conversation: messages and a model, and properties that no request has"
_AS_REQUEST = "isogloss check --kind request checks it as a request"


def what_is_missing(value: _Value) -> Why | None:
    """Describe what a document with some properties of a payload lacks. Return ``None`` for any other document."""
    if "messages" in value and "choices" not in value:
        if _messages(value) < 2:
            return Why("its `messages` are not those of Chat Completions", Cause.OTHER)
        if "model" in value:
            return Why(_WITH_MODEL, advice=_AS_REQUEST)
        if value.keys() <= _EXAMPLE_PROPERTIES:
            return Why("fine-tuning example: messages without a model", advice=_AS_REQUEST)
        return Why("stored conversation or training example: messages without a model", advice=_AS_REQUEST)
    if "choices" in value:
        return Why("its `choices` are not those of Chat Completions", Cause.OTHER)
    if _error(value):
        return Why("an error body that nothing shows to be of Chat Completions (--kind error checks it)")
    return None


# Answers ------------------------------------------------------------------------------------------------------


def _answer(value: _Value) -> int:
    """Count the points for what completions and chunks share.

    There are none if the document has neither ``choices`` nor an ``object`` of Chat Completions.
    """
    choices, object_name = value.get("choices"), value.get("object")
    is_ours = object_name in _ANSWERS and not _is_row_of_log(value)
    if "choices" not in value and not is_ours:
        return 0
    first = _first_choice(value)
    usage = value.get("usage")
    return (
        (isinstance(choices, list))
        + ("finish_reason" in first)
        + (type(value.get("created")) is int)
        + isinstance(value.get("model"), str)
        + (isinstance(value.get("id"), str) and value["id"].startswith("chatcmpl"))
        + (isinstance(usage, dict) and ("completion_tokens" in usage or "prompt_tokens" in usage))
        - 2 * (isinstance(object_name, str) and object_name != "" and not is_ours)
        - 4 * (not first.keys().isdisjoint(_TEXTS_OF_OTHERS) and "message" not in first and "delta" not in first)
    )


def _completion(value: _Value) -> int:
    first = _first_choice(value)
    is_named = value.get("object") == "chat.completion" and not _is_row_of_log(value)
    return 3 * is_named + _part(first, "message")


def _is_row_of_log(value: _Value) -> bool:
    """Return whether a document without choices holds a request: nobody sends that back.

    Bifrost keeps the kind of answer as the ``object`` of a row of its log, beside the two bodies
    (https://docs.getbifrost.ai/api-reference/logging/get-a-single-log-entry, read 2026-11).
    """
    return "choices" not in value and any(
        "request" in name and (isinstance(inner, dict) or (isinstance(inner, str) and inner.lstrip()[:1] == "{"))
        for name, inner in value.items()
    )


def _chunk(value: _Value) -> int:
    first = _first_choice(value)
    has_prompt_results = "prompt_filter_results" in value or "prompt_annotations" in value
    is_filter_chunk = (  # Azure's first chunk, which may have lost the results, and those of its asynchronous filter
        ("choices" in value and not first and (has_prompt_results or value.get("object") == ""))
        or ("content_filter_offsets" in first and "message" not in first)
    )
    has_both = "delta" in first and "message" in first  # as the last chunk of Perplexity; OpenAI sends a message alone
    return 3 * (value.get("object") == "chat.completion.chunk") + _part(first, "delta") + has_both + 3 * is_filter_chunk


def _part(choice: _Value, name: str) -> int:
    """Count the points for a message or a delta in a choice. An object that says nothing of a message has one."""
    if name not in choice:
        return 0
    part = choice[name]
    return 4 if isinstance(part, dict) and (not part or part.keys() & _PARTS_OF_MESSAGES) else 1


def _first_choice(value: _Value) -> _Value:
    choices = value.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) else {}


# Requests -----------------------------------------------------------------------------------------------------


def _messages(value: _Value) -> int:
    """Return 2 points if a message has a known role and says something. Return 1 point for an empty or faulty list.

    Return 0 points if there is no list of messages, if its items have neither a role nor content, or if the document
    has an ``object``.
    """
    messages = value.get("messages")
    if not isinstance(messages, list) or "object" in value:
        return 0
    if all(isinstance(message, str) for message in messages[:_MOST_MESSAGES]):
        return 1
    first = [message for message in messages[:_MOST_MESSAGES] if isinstance(message, dict)]
    if any(
        isinstance(message.get("role"), str) and message["role"] in _ROLES and message.keys() & _MESSAGE_CONTENTS
        for message in first
    ):
        return 2
    return int(any("role" in message or "content" in message for message in first))


def _request(value: _Value) -> int:
    if "messages" not in value or "choices" in value:
        return 0
    message_points = _messages(value)
    model_points = 2 if isinstance(value.get("model"), str) else int("model" in value)
    return (
        (message_points + model_points + min(3, len(value.keys() & _PARAMETERS)) if message_points else 0)
        - (0 if model_points else len(value.keys() & _TEMPLATE_PROPERTIES))
        - (1 + _is_only_stored(value) if _ends_with_the_answer(value) else 0)
        - len(value.keys() & _STORED_PROPERTIES)
        - 2 * _has_stored_messages(value)
        - _POINTS_OF_NO_REQUEST * len(value.keys() & _PROPERTIES_OF_NO_REQUEST)
    )


def _ends_with_the_answer(value: _Value) -> bool:
    """Return whether the last message is the model's.

    A conversation that is over ends in this way. A request may do so too, if the model has to continue that message.
    """
    messages = value.get("messages")
    last = messages[-1] if isinstance(messages, list) and messages else None
    return isinstance(last, dict) and last.get("role") == "assistant"


def _has_stored_messages(value: _Value) -> bool:
    """Return whether the first or the last message has a property that a program adds when it stores messages."""
    messages = value.get("messages")
    ends = (messages[0], messages[-1]) if isinstance(messages, list) and messages else ()
    return any(isinstance(one, dict) and not one.keys().isdisjoint(_STORED_MESSAGE_PROPERTIES) for one in ends)


def _is_only_stored(value: _Value) -> bool:
    """Return whether a document has no parameter, and a text under a name that is unknown, as rows of data sets have.

    Most extensions of vendors are switches, numbers or objects.
    """
    names = value.keys() - _EXAMPLE_PROPERTIES - _COMMON_PROPERTIES
    return names.isdisjoint(_PARAMETERS) and any(isinstance(value[name], str) for name in names)


# Errors -------------------------------------------------------------------------------------------------------


def _error(value: _Value) -> int:
    """Count the points for an object ``error`` with a message and a type, or for the shapes of Mistral and FastAPI.

    These two shapes have no object ``error``. Most APIs send a property named ``error``. OpenAI's has four properties,
    and no property of another API beside them.
    """
    error = value.get("error")
    if value.get("object") == "error" and isinstance(value.get("message"), str):
        return 3 if "type" in value or "param" in value else 1  # Notion sends neither
    if value.keys() == {"detail"}:
        return 3 if _echoes_a_request(value["detail"]) else int(isinstance(value["detail"], str | list | dict))
    if not error or "choices" in value or "messages" in value or value.get("object") in _ANSWERS:
        return 0
    if not isinstance(error, dict):
        return 1
    has_type = isinstance(error.get("type"), str)
    return max(
        1,
        2 * isinstance(error.get("message"), str)
        + has_type
        + ("param" in error)
        + (has_type and "code" in error)
        - 2 * ("type" in value)
        - len(value.keys() & _OTHER_ERROR_PROPERTIES)
        - 2 * len(error.keys() & _OTHER_INNER_PROPERTIES)
        - 4 * (has_type and error["type"] in _OTHER_ERROR_TYPES),
    )


def _echoes_a_request(detail: object) -> bool:
    """Return whether FastAPI's details of a rejected request contain this request, and it is of Chat Completions."""
    faults = detail[:_MOST_MESSAGES] if isinstance(detail, list) else []
    inputs = [fault.get("input") for fault in faults if isinstance(fault, dict)]
    return any(isinstance(one, dict) and _request(one) >= 3 for one in inputs)
