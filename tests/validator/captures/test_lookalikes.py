"""Tests that documents which only look like Chat Completions traffic are skipped, and that unusual traffic is read."""

from __future__ import annotations

import gzip
import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from reading import read_all

from isogloss import schemas
from isogloss.validator.exchange import Exchange, Kind, Payload, Skipped, Stream
from isogloss.validator.kinds import KINDS, kind_of, marks, others

FIXTURES = Path(__file__).parents[3] / "fixtures"

USER_MESSAGE = {"role": "user", "content": "Hi"}
REPLY = {"role": "assistant", "content": "Ho"}
REQUEST = {"model": "m", "messages": [USER_MESSAGE]}
COMPLETION = {"id": "chatcmpl-Fake1", "object": "chat.completion", "created": 1, "model": "m",
              "choices": [{"index": 0, "message": REPLY, "finish_reason": "stop"}]}  # fmt: skip
CHUNK = COMPLETION | {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "Ho"}}]}
ERROR = {"error": {"message": "No", "type": "server_error", "param": None, "code": None}}
CSS = ":root { --a: 1 }\nbody { color: red }\n"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _read(value: Any, kind: Kind | None = None) -> list[Exchange | Skipped]:
    return read_all(_text(value), "capture", kind=kind)


def _har_of_post(
    path: str, request: Any, response: Any, status: int = 200, content_type: str = "application/json"
) -> str:
    entry = {
        "request": {"method": "POST", "url": f"https://example.com{path}", "postData": {"text": _text(request)}},
        "response": {"status": status, "content": {"mimeType": content_type, "text": _text(response)}},
    }
    return json.dumps({"log": {"entries": [entry]}})


def _lines(*values: Any) -> str:
    return "".join(f"{json.dumps(value)}\n" for value in values)


def _events(*values: Any) -> str:
    return "".join(f"data: {_text(value)}\n\n" for value in values)


def _kinds(part: Exchange | Skipped) -> str:
    """Return what an exchange holds, such as ``request+stream``, or why it was skipped."""
    if isinstance(part, Skipped):
        return part.why.words
    body = part.response
    kinds: list[str] = [part.request.kind] if part.request is not None else []
    if body is not None:
        kinds.append(body.kind if isinstance(body, Payload) else "stream" if isinstance(body, Stream) else "body")
    return "+".join(kinds)


LOOKALIKES: dict[str, tuple[Any, str]] = {
    "fine-tuning": ({"messages": [USER_MESSAGE, REPLY]}, "fine-tuning example"),
    "fine-tuning with tools": ({"messages": [USER_MESSAGE, REPLY], "tools": []}, "fine-tuning example"),
    "fine-tuning with weights": ({"messages": [USER_MESSAGE, REPLY | {"weight": 0}]}, "fine-tuning example"),
    "fine-tuning of preferences": ({"input": {"messages": [USER_MESSAGE]}, "preferred_output": [REPLY]}, "preferences"),
    "fine-tuning lines": (f"{json.dumps({'messages': [USER_MESSAGE, REPLY]})}\n" * 3, "fine-tuning example"),
    "evaluation sample": ({"id": 1, "answers": {"text": ["a"]}, "messages": [USER_MESSAGE, REPLY]}, "without a model"),
    "input of a chat template": ({"messages": [USER_MESSAGE], "response_format": {}, "add_generation_prompt": True},
                                 "without a model"),
    "failure in a test of another API": ({"name": "x", "response": {"status": 404, "body": {"error": {"code": "x"}}}},
                                         "nothing shows to be of Chat Completions"),
    "transcript": ({"title": "t", "created_at": "2026", "messages": [USER_MESSAGE, REPLY]}, "without a model"),
    "transcript with a model": ({"title": "t", "created_at": 1, "model": "m", "messages": [USER_MESSAGE, REPLY]},
                                "stored conversation"),
    "row of a log": ({"model": "m", "messages": [USER_MESSAGE], "temperature": 1, "seed": 1, "latency": 0.1,
                      "generation": "Ho", "error": None}, "stored conversation"),
    "row of a log with the text of the answer": (
        {"model": "m", "messages": [USER_MESSAGE], "temperature": 1, "seed": 1, "top_p": 1, "max_tokens": 9,
         "stream": False, "response": "Ho"}, "stored conversation"),
    "prediction of an evaluation": (
        {"index": 0, "model": "m", "messages": [USER_MESSAGE, REPLY | {"source": "generate"}],
         "model_output": {"choices": [{"message": REPLY, "stop_reason": "stop"}]}}, "stored conversation"),
    "row of a log with another name": ({"model_name": "m", "messages": [USER_MESSAGE], "output": "Ho", "step": 1},
                                       "without a model"),
    "output of Inspect AI": ({"model": "m", "choices": [{"message": REPLY, "stop_reason": "stop"}],
                              "usage": {"input_tokens": 9, "output_tokens": 1}, "time": 0.6}, "Inspect AI"),
    "answer as Azure's library for Java writes it": (
        {"id": "chatcmpl-1", "created": "2024-05-01T02:03:04+00:00", "systemFingerprint": "fp_1",
         "choices": [{"index": 0, "finishReason": {}, "message": REPLY | {"toolCalls": []}}],
         "usage": {"completionTokens": 1, "promptTokens": 9, "totalTokens": 10}}, "names in camel case"),
    "messages of Slack": ([{"type": "message", "user": "U1", "text": "Hi", "ts": "1.2"}],
                          "not a Chat Completions payload"),
    "transcript of an agent": ({"messages": [{"direction": "send", "message": {}}]}, "its `messages`"),
    "conversation of ShareGPT": ({"conversations": [{"from": "human", "value": "Hi"}]}, "ShareGPT"),
    "translations": ({"messages": ["Hello", "Bye"], "locale": "en"}, "its `messages`"),
    "translations by key": ({"messages": {"error": "Error", "ok": "Fine"}, "error": "Fehler"}, "its `messages`"),
    "translations of errors": ({"error": "Fehler", "ok": "Gut"}, "an error body"),
    "blocked": ({"error": "blocked"}, "an error body"),
    "error as a number": ({"error": 1, "name": "x"}, "an error body"),
    "span": ([[{"name": "http.request", "trace_id": 0, "span_id": 1, "error": 1}]], "trace span"),
    "span of Zipkin": ([{"traceId": "a", "id": "b", "duration": 1, "tags": {"error": "x"}}], "trace span"),
    "traces of OpenTelemetry": ({"resourceSpans": [{"error": {"message": "x", "type": "y"}}]}, "OpenTelemetry"),
    "error of Spring": ({"timestamp": "t", "status": 500, "error": "Internal", "path": "/x"}, "web framework"),
    "error of NestJS": ({"statusCode": 400, "message": ["x"], "error": "Bad Request"}, "web framework"),
    "error of Rails": ({"status": 404, "error": "Not Found", "exception": "x"}, "web framework"),
    "problem details": ({"type": "about:blank", "title": "x", "status": 404}, "web framework"),
    "error of Express": ({"error": {"message": "x", "status": 404, "stack": "at"}}, "an error body"),
    "error in an envelope": ({"success": False, "error": {"code": "X", "message": "y"}}, "an error body"),
    "error of Google": ({"error": {"code": 404, "message": "x", "status": "NOT_FOUND"}}, "an error body"),
    "error of Stripe": ({"error": {"code": "c", "doc_url": "u", "message": "m", "param": "p", "type": "t"}}, "Stripe"),
    "error of Facebook": ({"error": {"message": "m", "type": "OAuthException", "code": 190, "fbtrace_id": "x"}},
                          "an error body"),
    "error of Facebook without a trace": (
        {"error": {"message": "m", "type": "OAuthException", "code": 190}}, "an error body"),
    "error of Stripe about a card": (
        {"error": {"code": "c", "message": "m", "param": "number", "type": "card_error"}}, "an error body"),
    "error of JSON-RPC": ({"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "x"}}, "JSON-RPC"),
    "errors of GraphQL": ({"data": None, "errors": [{"message": "x"}]}, "GraphQL"),
    "detail of FastAPI": ({"detail": "Not Found"}, "an error body"),
    "OpenAPI": ({"openapi": "3.1.0", "info": {}, "paths": {}}, "OpenAPI"),
    "JSON Schema": ({"$schema": "x", "properties": {"messages": {}, "model": {}}}, "JSON Schema"),
    "package.json": ({"name": "x", "version": "1", "dependencies": {"openai": "*"}}, "package manifest"),
    "source map": ({"version": 3, "sources": ["a.ts"], "sourcesContent": ["messages"], "mappings": "A"}, "source map"),
    "quiz": ({"id": 1, "question": "?", "choices": [{"text": "a"}, {"text": "b"}]}, "its `choices`"),
    "prompt of a command line": ({"type": "list", "name": "n", "message": "?", "choices": ["a", "b"]}, "its `choices`"),
    "form field": ({"model": "app.thing", "id": "x", "choices": [["a", "A"]]}, "its `choices`"),
    "legacy completion": ({"object": "text_completion", "choices": [{"text": "Ho", "index": 0}]}, "legacy"),
    "legacy completion without a name": ({"id": "cmpl-1", "created": 1, "model": "m", "choices": [{"text": "Ho"}]},
                                         "its `choices`"),
    "legacy request": ({"model": "m", "prompt": "Hi"}, "legacy"),
    "response": ({"object": "response", "output": [], "error": None}, "Responses API"),
    "response that failed": ({"object": "response", "error": {"message": "x", "type": "y"}}, "Responses API"),
    "generation of a tracer": ({"model": "m", "input": {"messages": [USER_MESSAGE]}, "output": {"role": "assistant"}},
                               "not a Chat Completions payload"),
    "messages of a stored completion": ({"object": "list", "data": [{"id": "chatcmpl-1-0", "role": "user"}]},
                                        "messages of a stored completion"),
    "native answer of MiniMax": ({"model": "m", "reply": "Hi", "created": 1, "id": "1", "usage": {"total_tokens": 3},
                                  "choices": [{"finish_reason": "stop", "messages": [{"text": "Hi"}]}],
                                  "base_resp": {"status_code": 0}}, "MiniMax"),
    "native stream of MiniMax": (_events(
        {"model": "m", "created": 1, "reply": "", "choices": [{"messages": [{"text": "Hi"}]}]},
        {"model": "m", "created": 1, "reply": "Hi", "choices": [{"finish_reason": "stop", "messages": []}],
         "base_resp": {"status_code": 0}}), "MiniMax"),
    "native stream of Baidu": (_events({"id": "as-1", "object": "chat.completion", "created": 1, "result": "Hi",
                                        "need_clear_history": False, "usage": {"total_tokens": 3}}), "ERNIE"),
    "chunk of a chat application": ({"id": "1", "object": "extensions.chat.completion.chunk", "history_metadata": {},
                                     "choices": [{"messages": [USER_MESSAGE], "delta": {"content": "Hi"}}]},
                                    "chat application"),
    "request for a response": ({"model": "m", "input": [USER_MESSAGE]}, "Responses API"),
    "stream of a response": (_events({"type": "response.created"}, {"type": "error", "error": ERROR["error"]}),
                             "Responses API"),
    "thread of assistants": ({"object": "thread.message", "role": "user", "content": []}, "Assistants"),
    "Anthropic request": ({"model": "m", "max_tokens": 1, "system": "Be kind.", "messages": [USER_MESSAGE]},
                          "Anthropic"),
    "Anthropic tools": ({"model": "m", "messages": [USER_MESSAGE], "tools": [{"name": "t", "input_schema": {}}]},
                        "Anthropic"),
    "Anthropic answer": ({"type": "message", "role": "assistant", "content": []}, "Anthropic"),
    "Anthropic error": ({"type": "error", "error": {"type": "overloaded_error", "message": "x"}}, "Anthropic"),
    "Anthropic exchange": ({"request": REQUEST, "response": {"type": "message", "content": []}}, "Anthropic"),
    "Anthropic stream": (_events({"type": "message_start"}, {"type": "message_stop"}), "Anthropic"),
    "Gemini request": ({"contents": [{"parts": [{"text": "Hi"}]}]}, "Gemini"),
    "Gemini stream": (_events({"candidates": [{"content": {}}]}), "Gemini"),
    "Bedrock request": ({"messages": [{"role": "user", "content": [{"text": "Hi"}]}], "inferenceConfig": {}},
                        "Bedrock"),
    "Bedrock answer": ({"output": {"message": REPLY}, "stopReason": "end_turn"}, "Bedrock"),
    "model of Anthropic on Bedrock": (
        _har_of_post("/model/us.anthropic.m/invoke", {"max_tokens": 9, "messages": [USER_MESSAGE]},
                     {"type": "message", "role": "assistant", "content": []}), "Bedrock InvokeModel"),
    "Bedrock stream": (_har_of_post("/model/m/converse-stream", {"messages": [USER_MESSAGE]}, "\x00\x01"), "Bedrock"),
    "Cohere": ({"id": "x", "finish_reason": "COMPLETE", "message": REPLY}, "Cohere"),
    "Ollama request": ({"model": "m", "messages": [USER_MESSAGE], "options": {"num_ctx": 1}}, "Ollama"),
    "Ollama request for JSON": ({"model": "m", "messages": [USER_MESSAGE], "format": "json"}, "Ollama"),
    "Ollama answer": ({"model": "m", "created_at": "t", "message": REPLY, "done": True}, "Ollama"),
    "AI SDK request": ({"id": "x", "model": "m", "messages": [{"role": "user", "parts": []}]}, "AI SDK"),
    "AI SDK stream": (_events({"type": "start"}, {"type": "text-delta", "delta": "x"}, "[DONE]"), "of the AI SDK"),
    "failed AI SDK stream": (_events({"type": "error", "errorText": "x"}, "[DONE]"), "a stream of the AI SDK"),
    "LangSmith run": ({"run_type": "llm", "inputs": {"messages": [USER_MESSAGE]}, "error": "x"}, "a run of LangSmith"),
    "object of a library": ({"request": {"url": "/v1/chat/completions", "method": "POST", "body": REQUEST},
                             "response": {"body": {"__type__": "T", "__data__": COMPLETION}}}, "client library"),
    "style sheet": (CSS, "no input format"),
    "style sheet with data": (":root { --icon: url(\ndata:image/png;base64,AA) }\n", "no input format"),
    "Markdown": (": a definition\n\nid: x\n", "no input format"),
    "YAML": ("id: chat-completion-123\nchoices:\n  - message:\n      content: Dublin\n", "written as YAML"),
    "YAML with data": ("event: push\ndata:\n  a: 1\n", "no input format"),
    "events that are words": ("data: hello\n\ndata: world\n\n", "no input format"),
    "events of a log": (_events({"level": "info"}, {"level": "warn"}), "other events"),
    "error of any API among other events": (
        _events({"error": {"message": "x"}}, {"level": "info"}, "[DONE]"), "other events"),
    "error of any API alone in a stream": (_events({"error": {"code": "1302", "message": "x"}}), "other events"),
    "application's own API": (_har_of_post("/api/ask", REQUEST, {"answer": "Ho"}), "at /api/ask"),
    "application's own error": (_har_of_post("/eval", {"name": "x"}, {"error": "not found"}, 404), "at /eval"),
    "charge of Stripe": (_har_of_post("/v1/charges", {"amount": 1}, ERROR, 400), "at /v1/charges"),
    "style sheet in an archive": (_har_of_post("/a.css", "", CSS, content_type="text/css"), "at /a.css"),
    "data set with models": ({"messages": [USER_MESSAGE, REPLY], "model": "m", "source": "s"}, "stored conversation"),
    "prompt of a library": ({"name": "p", "description": "d", "model": "m", "messages": [USER_MESSAGE],
                             "modelParameters": {"temperature": 1}, "testData": []}, "stored conversation"),
    "prompt with a name": ({"name": "p", "model": "m", "messages": [USER_MESSAGE]}, "stored conversation"),
    "stored messages": ({"model": "m", "messages": [USER_MESSAGE | {"timestamp": 1}]}, "stored conversation"),
    "configuration of an agent": ({"name": "a", "model": "m", "prompt": "Be kind.", "tools": ["f"]},
                                  "not a Chat Completions payload"),
    "question to a player": ({"id": "1", "choices": [{"message": {"en": "Go"}, "next": "2"}]}, "its `choices`"),
    "steps of a game": ({"choices": [{"delta": {"x": 1, "y": 2}}], "type": "move"}, "its `choices`"),
    "candidates of an election": ({"candidates": ["A", "B"], "contents": "text"}, "not a Chat Completions payload"),
    "generation of a tracer with a model": ({"model": "m", "input": [USER_MESSAGE], "output": REPLY},
                                            "a trace of messages"),
    "error of a service": ({"error": {"message": "x", "type": "NotFound"}, "status": 404}, "an error body"),
    "line of a log with an error": ({"level": "error", "error": {"message": "x", "type": "E"}, "msg": "y"},
                                    "an error body"),
    "request for embeddings": ({"model": "m", "input": ["x"], "encoding_format": "float"}, "Embeddings API"),
    "error of Notion": ({"object": "error", "status": 400, "code": "c", "message": "m"}, "an error body"),
    "request for an image": ({"model": "m", "prompt": "x", "size": "1x1"}, "Images"),
    "image": ({"created": 1, "data": [{"b64_json": "AA=="}]}, "Images"),
    "request for a video": ({"model": "m", "prompt": "x", "seconds": "4", "size": "1x1"}, "Videos"),
    "request for speech": ({"model": "m", "input": "x", "voice": "v"}, "Audio"),
    "request with a stored prompt": ({"model": "m", "prompt": {"id": "pmpt_1"}}, "Responses"),
    "items of a response": ({"object": "list", "data": [{"type": "message", "role": "user", "content": []}]},
                            "Responses"),
    "messages of a thread": (
        {"object": "list", "data": [{"object": "thread.message", "thread_id": "t", "role": "user"}]}, "Assistants"),
    "session of the Realtime API": ({"object": "realtime.session", "model": "m"}, "Realtime"),
    "events of the Realtime API": (
        [{"type": "response.done", "event_id": "e"}, {"type": "error", "event_id": "e", "error": ERROR["error"]}],
        "Realtime"),
    "Anthropic batch": (_lines({"custom_id": "1", "params": {"model": "m", "max_tokens": 1, "messages": []}}),
                        "Anthropic"),
    "Anthropic batch results": (_lines({"custom_id": "1", "result": {"type": "succeeded", "message": {}}}),
                                "Anthropic"),
    "batch of Mistral that names no model": (
        _lines({"custom_id": "1", "body": {"max_tokens": 1, "messages": [USER_MESSAGE]}}), "names its model elsewhere"),
    "batch of Mistral for embeddings": (_lines({"custom_id": "1", "body": {"input": ["x"]}}),
                                        "not a Chat Completions payload"),
    "stream of an image": (_events({"type": "image_generation.partial_image", "b64_json": "A"}), "of the Images API"),
    "stream of a transcript": (_events({"type": "transcript.text.delta", "delta": "x"}), "of the Audio API"),
    "stream of MCP": (_events({"jsonrpc": "2.0", "id": 1, "result": {}}), "other events (JSON-RPC message)"),
    "button of Discord": (_lines({"custom_id": "b", "type": 2, "label": "x"}), "not a Chat Completions payload"),
    "Anthropic image": ({"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": [
        {"type": "image", "source": {"type": "url", "url": "u"}}]}]}, "Anthropic"),
    "Cohere stream": (_events({"type": "message-start", "id": "1"}, {"type": "content-delta", "index": 0}), "Cohere"),
    "Cohere request": ({"model": "m", "messages": [USER_MESSAGE], "safety_mode": "STRICT"}, "Cohere"),
    "Ollama prompt": ({"model": "m", "prompt": "x", "options": {"num_ctx": 1}}, "Ollama"),
    "transcript with options": ({"title": "t", "messages": [{"sender": "User", "text": "x"}], "options": {}},
                                "its `messages`"),
    "result of LangChain": ({"generations": [[{"text": "x"}]], "llm_output": {}}, "LangChain"),
    "run of LangGraph": ({"assistant_id": "a", "input": {"messages": [USER_MESSAGE]}}, "LangGraph"),
    "run of AG-UI": ({"threadId": "t", "runId": "r", "messages": [USER_MESSAGE], "tools": []}, "AG-UI"),
    "stream of AG-UI": (_events({"type": "RUN_STARTED", "threadId": "t"}, {"type": "RUN_ERROR", "message": "x"}),
                        "AG-UI"),
    "messages of Discord": (_har_of_post("/api/v10/channels/1/messages", {"content": "x"}, {"id": "1"}),
                            "not a Chat Completions payload, at"),
    "text of Hugging Face": (_har_of_post("/models/m", {"inputs": "x", "parameters": {}}, [{}]), "Hugging Face"),
    "failed request to Anthropic": (_har_of_post("/v1/messages", REQUEST, ERROR, 400), "Anthropic"),
    "chat of Ollama that failed": (_har_of_post("/api/chat", REQUEST, {"error": "model not found"}, 404), "Ollama"),
    "template": ("{% for message in messages %}\n{{ message.content }}\n{% endfor %}", "no input format"),
    "chart of Helm": ("{{- if .Values.on }}\nkind: Service\n{{- end }}\n", "no input format"),
    "requirements of a package": ('[:python_version < "3.8"]\nx\n', "no input format"),
    "sections of TOML": ("[[plans]]\nid = 1\n", "no input format"),
    "log with the time in brackets": ("[2026-01-01 10:00:00] begin\n[2026-01-01 10:00:01] end\n", "no input format"),
    "page with a badge": ("[![Build](https://example.com/b.svg)](https://example.com)\n", "no input format"),
    "metadata of a package": ("Metadata-Version: 2.1\nName: x\n\n# x\nPOST /v1/chat/completions\nresponse: `a`: b\n",
                              "no input format"),
    "snapshot of a test": ({"response": {"a": 1}, "request": {"b": 2}}, "not a Chat Completions payload"),
    "data set": ({"messages": [USER_MESSAGE], "response": "Ho"}, "without a model"),
}  # fmt: skip


def test_a_lookalike_is_skipped_with_its_reason() -> None:
    for name, (value, reason) in LOOKALIKES.items():
        parts = _read(value)
        assert parts, name
        for part in parts:
            assert isinstance(part, Skipped), (name, part)
            assert reason in part.reason, name


UNUSUAL: dict[str, tuple[Any, str]] = {
    "no object": ({"id": "x", "choices": [{"message": REPLY}]}, "completion"),
    "nothing but choices": ({"choices": [{"message": REPLY}]}, "completion"),
    "object of another kind": (COMPLETION | {"object": "list"}, "completion"),
    "choices that are null": (COMPLETION | {"choices": None}, "completion"),
    "no choices": (COMPLETION | {"choices": []}, "completion"),
    "message that is null": (COMPLETION | {"choices": [{"index": 0, "message": None}]}, "completion"),
    "error in an envelope": (COMPLETION | {"error": {"message": "x"}, "choices": []}, "error"),
    "trace and span beside it": (COMPLETION | {"trace_id": "t", "span_id": "s"}, "completion"),
    "first chunk of Azure": ({"id": "", "object": "", "choices": [], "prompt_filter_results": []}, "chunk"),
    "first chunk of Azure, without its results": (
        {"id": "", "object": "", "created": 0, "model": "", "choices": []}, "chunk"),
    "first chunk of Azure, on the line before the others": (
        "\n".join(map(json.dumps, ({"id": "", "object": "", "created": 0, "model": "", "choices": []}, CHUNK))) + "\n",
        "stream"),
    "chunk with usage alone": (CHUNK | {"choices": [], "usage": {"prompt_tokens": 1}}, "chunk"),
    "chunk without object": ({"choices": [{"delta": {}}]}, "chunk"),
    "deployment of Azure": ({"messages": [USER_MESSAGE], "temperature": 0}, "request"),
    "models instead of a model": ({"models": ["m"], "messages": [USER_MESSAGE]}, "request"),
    "model that is null": ({"model": None, "messages": [USER_MESSAGE]}, "request"),
    "no messages in the list": ({"model": "m", "messages": []}, "request"),
    "messages that are strings": ({"model": "m", "messages": ["Hi"]}, "request"),
    "role nobody knows": ({"model": "m", "messages": [{"role": "bot", "content": "Hi"}]}, "request"),
    "answer to be continued": ({"model": "m", "messages": [USER_MESSAGE, REPLY]}, "request"),
    "extension of a vendor, and an answer to be continued": (
        {"model": "m", "messages": [USER_MESSAGE, REPLY], "provider": {}, "include_reasoning": True}, "request"),
    "extensions of a vendor": (REQUEST | {"top_k": 1, "provider": {}, "usage": {"include": True}}, "request"),
    "error of old vLLM": ({"object": "error", "message": "x", "type": "y", "param": None, "code": 1}, "error"),
    "error without a code": ({"error": {"message": "x", "type": "y"}}, "error"),
    "error that echoes the request": ({"detail": [{"loc": ["body"], "msg": "x", "input": REQUEST}]}, "error"),
    "error without a type before the end of a stream": (
        _events({"error": {"code": "1302", "message": "x"}, "request_id": "r"}, "[DONE]"), "stream"),
    "error in words, with its status": ({"status": 500, "response": {"error": "x"}}, "error"),
    "error of any shape, over HTTP": ('HTTP/1.1 404 No\r\n\r\n{"detail": "Not Found"}', "error"),
    "pair": ({"request": REQUEST, "response": {"error": "x"}}, "request+error"),
    "log with the answer": (REQUEST | {"response": COMPLETION, "latency": 3}, "request+completion"),
    "log without a model": ({"messages": [USER_MESSAGE], "response": COMPLETION}, "completion"),
    "log with chunks": (REQUEST | {"chunks": [CHUNK, CHUNK]}, "request+stream"),
    "path without its slash": ({"path": "chat/completions", "response": {"what": "ever"}}, "completion"),
    "path of a deployment": ({"path": "openai/deployments/d/chat/completions", "request": {}}, "request"),
    "envelope": ({"request": REQUEST, "response": {"status": 200, "body": COMPLETION}}, "request+completion"),
    "envelopes": ({"request": {"url": "https://h/v1/chat/completions", "method": "POST", "body": REQUEST},
                   "response": {"statusCode": 200, "headers": {}, "body": json.dumps(COMPLETION)}},
                  "request+completion"),
    "envelope in base64": ({"request": {"url": "/chat/completions", "method": "POST", "body": {"b64": "e30="}},
                            "response": {"status": 200, "headers": {}, "body": None},
                            "chunks": [{"b64": "ZGF0YTogW0RP"}, {"b64": "TkVdCgo="}]}, "request+stream"),
    "calls of a library in a cassette": (
        {"interactions": [{"request": {"method": "chat.completions.create", **REQUEST}, "response": COMPLETION}]},
        "request+completion"),
    "request line without a version": (
        f"POST https://h/v1/chat/completions\naccept: */*\n\n{json.dumps(REQUEST)}", "request"),
    "answer of axios": ({"request": REQUEST, "response": {"status": 200, "headers": {}, "data": COMPLETION}},
                        "request+completion"),
    "nock": ([{"scope": "https://h:443", "method": "POST", "path": "/v1/chat/completions", "body": REQUEST,
               "status": 200, "response": COMPLETION, "rawHeaders": ["Content-Type", "application/json"]}],
             "request+completion"),
    "nock with a stream": ([{"scope": "https://h:443", "method": "POST", "path": "/v1/chat/completions",
                             "body": REQUEST, "status": 200, "response": _events(CHUNK, "[DONE]")}], "request+stream"),
    "nock with hexadecimal": ([{"scope": "https://h", "method": "POST", "path": "/v1/chat/completions", "body": "",
                                "status": 400, "response": [gzip.compress(json.dumps(ERROR).encode()).hex()],
                                "rawHeaders": ["Content-Encoding", "gzip"]}], "error"),
    "path of an application": (_har_of_post("/api/chat", REQUEST, COMPLETION), "request+completion"),
    "path of an application with a stream": (
        _har_of_post("/api/generate", REQUEST, _events(CHUNK, "[DONE]"), content_type="text/event-stream"),
        "request+stream"),
    "path of streams alone": (
        _har_of_post("/chat/completions/stream", REQUEST, _events(CHUNK, "[DONE]"), content_type="text/event-stream"),
        "request+stream"),
    "batch of Mistral": (_lines({"custom_id": "1", "body": REQUEST}), "request"),
    "path of a model": (_har_of_post("/models/m", REQUEST, COMPLETION), "request+completion"),
    "path of an application for messages": (_har_of_post("/api/messages", REQUEST, COMPLETION), "request+completion"),
    "path of Vertex AI": (_har_of_post("/v1/projects/p/publishers/mistralai/models/m:rawPredict", REQUEST, COMPLETION),
                          "request+completion"),
    "model of OpenAI on Bedrock": (_har_of_post("/model/us.openai.m/invoke", {"messages": [USER_MESSAGE]}, COMPLETION),
                                   "request+completion"),
    "request for JSON as Ollama calls it, at the path": (
        _har_of_post("/v1/chat/completions", REQUEST | {"format": "json"}, COMPLETION), "request+completion"),
    "answer beside the id of its call": (
        {"step": 1, "metadata": {"tool_call_id": "call_1", "model_response": COMPLETION | {"choices": [
            {"index": 0, "message": REPLY | {"tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
             "finish_reason": "tool_calls"}]}}}, "completion"),
    "message with reasoning alone": ({"choices": [{"message": {"reasoning_content": "Hm"}}]}, "completion"),
    "prompt in the answer": (COMPLETION | {"prompt": []}, "completion"),
    "unknown path of a gateway": (_har_of_post("/llm/v3", REQUEST, COMPLETION), "request+completion"),
    "gateway's page": (_har_of_post("/llm/v3", REQUEST, "<html>", 502, "text/html"), "request+body"),
    "error as a stream": (_events(ERROR), "stream"),
    "stream that is over at once": (_events("[DONE]"), "stream"),
    "stream that begins with comments": (": ping\n\n: ping\n\n" + _events(CHUNK), "stream"),
    "stream with events of its own": ('event: ping\ndata: {"type": "ping"}\n\n' + _events(CHUNK), "stream"),
    "stream that is not JSON": ("data: {'choices': []}\n\n", "stream"),
    "completions as events": (_events(COMPLETION), "stream"),
    "chunks as strings": ([json.dumps(CHUNK), json.dumps(CHUNK)], "stream"),
    "lines of events as strings": ([f"data: {json.dumps(CHUNK)}\n", "\n", "data: [DONE]\n", "\n"], "stream"),
    "answer under json beside a status": ({"code": 200, "json": COMPLETION}, "completion"),
    "error under json beside a status": ({"auth_fail": {"code": 401, "json": ERROR}}, "error"),
    "chunks of a server that calls them text_completion": (_events(CHUNK | {"object": "text_completion"}), "stream"),
    "answer of a server that calls it text_completion": (COMPLETION | {"object": "text_completion"}, "completion"),
}  # fmt: skip


def test_unusual_traffic_is_read() -> None:
    read_as = {name: [_kinds(part) for part in _read(value)] for name, (value, _) in UNUSUAL.items()}
    assert read_as == {name: [expected] for name, (_, expected) in UNUSUAL.items()}


def _recorded(beside: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """Return a request and its answer in several layouts, in which all objects have these properties besides."""
    asked, answered = beside | {"asked": REQUEST}, beside | {"answered": COMPLETION}
    chunks = [beside | {"chunk": CHUNK | {"id": "chatcmpl-1"}}] * 2
    return {
        "one object": (json.dumps(asked | answered), "request+completion"),
        "as text": (json.dumps(beside | {"a": json.dumps(REQUEST), "b": json.dumps(COMPLETION)}), "request+completion"),
        "what was said beside it": (json.dumps(answered | {"said": "Ho"}), "completion"),
        "a line each": (_lines(*[one | {"request_id": "a1b2"} for one in (asked, answered)]), "request+completion"),
        "a line for each chunk": (_lines(*chunks), "stream"),
        "a list of events": (json.dumps({"asked": REQUEST, "events": chunks}), "request+stream"),
    }


@pytest.mark.parametrize("layout", _recorded({}))
def test_names_of_another_api_in_a_record_hide_no_exchange(layout: str) -> None:
    """Logs and traces have such names: ``trace_id`` beside ``span_id``, ``prompt`` beside ``model``, and others."""
    payload_names = marks.REQUEST_PROPERTIES | marks.TELLING_PROPERTIES
    for name, (value, _) in LOOKALIKES.items():
        if not isinstance(value, dict) or not others.other_kind(value) or "run_type" in value:
            continue  # LangSmith adds to the bodies that it keeps
        beside = {k: one for k, one in value.items() if k not in payload_names and not isinstance(one, dict | list)}
        text, expected = _recorded(beside)[layout]
        assert [_kinds(part) for part in _read(text)] == [expected], name


def test_properties_of_another_api_never_make_a_payload() -> None:
    shared = marks.REQUEST_PROPERTIES | marks.TELLING_PROPERTIES | schemas.load("completion")["properties"].keys()
    shared |= {"message", "type", "param", "code"}  # of errors
    lookalikes = [value for value, _ in LOOKALIKES.values() if isinstance(value, dict)]
    for value, other in itertools.product(lookalikes, filter(others.other_kind, lookalikes)):
        assert kind_of(value | {k: other[k] for k in other if k not in shared}) is None, (value, other)


@pytest.mark.parametrize("kind", KINDS)
def test_a_lookalike_is_read_as_the_kind_that_is_given(kind: Kind) -> None:
    documents = {name: value for name, (value, _) in LOOKALIKES.items() if isinstance(value, dict)}
    assert documents
    for name, value in documents.items():
        (exchange,) = _read(value, kind)
        assert isinstance(exchange, Exchange), name
        payload = exchange.request if kind == "request" else exchange.response
        assert isinstance(payload, Payload), name
        assert payload.kind == kind, name


def test_status_and_body_are_read_from_an_envelope() -> None:
    (exchange,) = _read(
        {"request": REQUEST, "response": {"status": 429, "headers": {"Content-Type": "a/b"}, "body": ERROR}}
    )
    assert isinstance(exchange, Exchange)
    assert (exchange.http.status, exchange.http.content_type) == (429, "a/b")
    assert isinstance(exchange.response, Payload)
    assert exchange.response.value == ERROR


def test_a_request_in_a_log_has_only_properties_of_requests() -> None:
    (exchange,) = _read(REQUEST | {"temperature": 1, "latency": 3, "response": COMPLETION})
    assert isinstance(exchange, Exchange)
    assert exchange.request is not None
    assert exchange.request.value == REQUEST | {"temperature": 1}
