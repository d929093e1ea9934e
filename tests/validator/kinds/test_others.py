"""Test how documents of other APIs are distinguished from those of Chat Completions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from isogloss.validator.exchange import Exchange, Payload, Skipped, Stream
from isogloss.validator.kinds import kind_of, others

FIXTURES = Path(__file__).parents[3] / "fixtures"


def _payloads(found: Iterable[Exchange | Skipped]) -> Iterator[dict[str, Any]]:
    for exchange in found:
        if isinstance(exchange, Exchange):
            bodies = [body for body in (exchange.request, exchange.response) if isinstance(body, Payload)]
            events = exchange.response.values if isinstance(exchange.response, Stream) else []
            values = [*(body.value for body in bodies), *events]
            yield from (value for value in values if isinstance(value, dict))


def test_no_genuine_payload_is_of_another_api_whichever_property_it_lacks(
    read: Callable[[Path], list[Exchange | Skipped]],
) -> None:
    paths = [path for group in ("conforming", "dialects") for path in (FIXTURES / group).rglob("*.*")]
    payloads = list(_payloads(chain.from_iterable(map(read, paths))))
    assert len(payloads) > 100
    for payload in payloads:
        if payload.get("type") == "error" or payload.get("object") == "text_completion":
            continue  # Envoy's errors have the form of Anthropic's, and TGI's answers say that they are legacy
        for lesser in (payload, *({k: payload[k] for k in payload if k != name} for name in payload)):
            assert others.other_kind(lesser) is None, lesser


DOCUMENTS = {
    "trace span of an APM": ["trace_id span_id", "traceId spanId", "traceId id duration"],
    "an object of a client library, not as it was sent": ["__type__ __data__"],
    "an object of Inspect AI, not as it was sent": ["choices[].stop_reason !object !created"],
    "an answer with names in camel case, as client libraries write it": ["choices[].finishReason !object"],
    "OpenTelemetry data": ["resourceSpans", "resourceLogs", "resourceMetrics"],
    "OpenAPI document": ["openapi info", "swagger info"],
    "JSON Schema": ["$schema properties", "$defs properties"],
    "JSON-RPC message": ["jsonrpc"],
    "GraphQL answer": ["data errors !error"],
    "OCI Generative AI": ["chatResponse modelId", "chatRequest servingMode", "apiFormat"],
    "Bedrock Converse": ["inferenceConfig", "toolConfig", "modelId !output !outputs !response", "stopReason output",
                         "contentBlockIndex", "messageStart", "additionalModelRequestFields"],
    "Anthropic Messages API": [
        "anthropic_version", "type=message content", "tools[].input_schema", "system messages model",
        "system messages max_tokens", "type=message_start", "type=content_block_delta",
        "type=error error request_id", "custom_id params.messages", "custom_id result.message", "type=ping !choices",
        "messages stop_sequences", "messages max_tokens output_config",
    ],
    "Realtime API": [
        "type=session.created", "type=conversation.item.created", "type=input_audio_buffer.append",
        "object=realtime.item", "type=response.done event_id", "type=response.create", "type=response.cancel",
        "type=error error event_id",
    ],
    "Responses API": [
        "object=response", "object=response.compaction", "object=response.input_tokens", "input instructions",
        "previous_response_id", "prompt.id model !messages", "type=error sequence_number",
        "type=response.output_text.delta", "object=list data[].type,role",
        "input[].role model !messages !output !labels !range",
    ],
    "Conversations API": ["object=conversation"],
    "Audio API": ["input voice !messages", "type=transcript.text.delta", "type=speech.audio.delta"],
    "Embeddings API": ["object=embedding", "embeddings", "input encoding_format", "input dimensions"],
    "Responses or Embeddings API, or another one with an `input`": ["input model !messages !output"],
    "Assistants API": ["object=assistant", "object=thread.run", "assistant_id", "object=vector_store",
                       "object=list data[].object,thread_id"],
    "LangGraph API": ["assistant_id input"],
    "Images API": ["prompt size !messages !seconds", "prompt quality !messages", "data[].b64_json",
                   "data[].revised_prompt", "type=image_generation.completed", "type=image_edit.completed"],
    "Videos API": ["object=video", "prompt seconds !messages"],
    "Completions API (legacy)": [
        "object=text_completion",
        "prompt model !messages !choices !object !tools !name !options !keep_alive !input !seconds !size !quality"
        " !output !outputs !response",
    ],
    "messages of a stored completion": ["object=list data[].role"],
    "a stored completion that was deleted": ["object=chat.completion.deleted"],
    "Evals API": ["object=eval", "object=eval.run"],
    "list of another API": ["object=list !choices"],
    "Models API": ["object=model"],
    "Batch API": ["object=batch"],
    "Files API": ["object=file"],
    "Moderations API": ["results[].category_scores"],
    "fine-tuning job": ["object=fine_tuning.job"],
    "fine-tuning example of preferences": ["input preferred_output"],
    "Gemini API": ["candidates[].content", "candidates[].finishReason", "candidates usageMetadata", "contents[].parts",
                   "promptFeedback", "generationConfig"],
    "LangChain result": ["generations llm_output"],
    "LangChain messages": ["lc type", *(f"type={role} data.content" for role in ("human", "ai", "system", "tool"))],
    "DashScope API": ["output usage.input_tokens request_id", "input.messages model parameters"],
    "watsonx.ai text generation": ["model_id results[].generated_text"],
    "conversation exported from ChatGPT": ["mapping current_node"],
    "conversation of Open WebUI": ["chat.history"],
    "session of Codex": [
        f"type={name} payload timestamp" for name in ("session_meta", "turn_context", "response_item", "event_msg")
    ],
    "session of Claude Code": ["sessionId uuid message"],
    "Cohere API": [
        "chat_history", "generations", "is_finished event_type", "messages safety_mode",
        "messages citation_options.mode", "type=message-start",
        "type=content-start", "type=content-delta", "type=content-end", "type=message-end", "preamble message model",
        "finish_reason=COMPLETE message", "finish_reason=MAX_TOKENS message", "finish_reason=TOOL_CALL message",
        "text generation_id",
    ],
    "Ollama API": [
        "done model !choices", "messages model options !choices", "messages model format !choices",
        "messages keep_alive", "created_at done", "prompt model options", "prompt model keep_alive",
    ],
    "text generation (Hugging Face)": ["generated_text", "inputs parameters"],
    "ChatCompletion API of MiniMax": ["reply base_resp"],
    "CLOVA Studio API": ["messages topK maxTokens !model"],
    "ERNIE API of Baidu": ["result need_clear_history !choices", "result needClearHistory !choices"],
    "answer of a chat application": ["history_metadata choices"],
    "AI SDK": [
        "messages[].parts", "messages trigger", "type errorText",
        *(f"type={part}" for part in ("start-step", "finish-step", "text-start", "text-delta", "text-end",
                                      "reasoning-delta", "tool-input-start", "tool-input-available",
                                      "tool-output-available")),
    ],
    "AG-UI protocol": ["threadId runId", "type=RUN_STARTED", "type=TEXT_MESSAGE_CONTENT"],
    "A2A message": ["parts messageId"],
    "a trace of messages, without the answer as it was sent": ["input[].role output[].role !choices"],
    "a run of LangSmith, without the answer as it was sent": ["run_type"],
    "training conversation (ShareGPT)": ["conversations"],
    "error of a web framework": ["statusCode message", "timestamp status path", "type title status",
                                 "status error exception"],
    "error of Anthropic or the Responses API": ["type=error error"],
    "Stripe API": ["error.doc_url", "error.request_log_url"],
    "report of isogloss": ["report_version findings", "report_version servers", "comparison_version twins",
                           "dialect_report_version", "coverage_report_version", "clients_report_version"],
    "source map": ["sources mappings"],
    "package manifest": ["name version dependencies", "name version scripts"],
}  # fmt: skip
"""Sketches of the smallest document of each kind. A document is of the kind only with all of these properties, and only
without those behind an exclamation mark."""


def _sketched(part: str) -> tuple[str, Any]:
    """Return a property of a document, as one word of a sketch describes it."""
    name, _, text = part.partition("=")
    holder, _, inner = name.partition(".") if not text else (name, "", "")
    items = dict.fromkeys(inner.split(","), 1)
    return holder.removesuffix("[]"), text or (1 if not inner else [items] if holder.endswith("[]") else items)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_is_of_another_kind_by_nothing_less_than_its_marks(name: str) -> None:
    for sketch in DOCUMENTS[name]:
        parts = sketch.split(" ")
        value = dict(_sketched(part) for part in parts if not part.startswith("!"))
        assert others.other_kind(value) == name, sketch
        lesser = [{key: value[key] for key in value if key != missing} for missing in value]
        lesser += [value | {key: 1} for key, holder in value.items() if not isinstance(holder, int)]
        lesser += [value | {part[1:]: 1} for part in parts if part.startswith("!")]
        assert [one for one in lesser if others.other_kind(one) == name] == [], sketch


@pytest.mark.parametrize(
    "kind", ["tool_use", "tool_result", "redacted_thinking", "server_tool_use", "image", "document"]
)
def test_parts_of_messages_of_anthropic_are_known_by_their_types(kind: str) -> None:
    part = {"type": kind} | ({"source": {}} if kind in ("image", "document") else {})
    for content, name in (([part], "Anthropic Messages API"), ([{"type": kind + "s"}], None), (kind, None)):
        assert others.other_kind({"messages": [{"role": "user", "content": content}]}) == name
    assert others.other_kind({"messages": [{"content": [{"type": "image"}, {"type": "text", "source": {}}]}]}) is None


@pytest.mark.parametrize(
    ("tool", "is_of_anthropic"),
    [
        ({"type": "web_search_20250305", "name": "web_search", "max_uses": 5}, True),
        ({"type": "bash_20250124", "name": "bash"}, True),
        ({"type": "web_search_20250305"}, False),
        ({"type": "computer_20241022", "name": "computer", "function": {"name": "computer"}}, False),
        ({"type": "function", "name": "search_20250305", "parameters": {}}, False),
        ({"type": "web_search_2025", "name": "web_search"}, False),
        ({"type": 20250305, "name": "web_search"}, False),
        ("web_search_20250305", False),
    ],
)
def test_tools_of_anthropic_s_servers_are_known_by_the_date_in_their_type(tool: object, is_of_anthropic: bool) -> None:
    request = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}], "tools": [tool]}
    assert others.other_kind(request) == ("Anthropic Messages API" if is_of_anthropic else None)
    assert kind_of(request) == (None if is_of_anthropic else "request")
