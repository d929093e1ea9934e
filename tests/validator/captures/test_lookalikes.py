"""What looks like Chat Completions traffic and is not is skipped with a reason; what is unusual is read."""

from __future__ import annotations

import gzip
import io
import json
from typing import Any

import pytest

from isogloss import schemas
from isogloss.validator.captures import Capture, read
from isogloss.validator.exchange import Exchange, Kind, Payload, Skipped, Stream
from isogloss.validator.kinds import KINDS, kind_of, marks

USER = {"role": "user", "content": "Hi"}
SAID = {"role": "assistant", "content": "Ho"}
ASKED = {"model": "m", "messages": [USER]}
ANSWER = {"id": "chatcmpl-Fake1", "object": "chat.completion", "created": 1, "model": "m",
          "choices": [{"index": 0, "message": SAID, "finish_reason": "stop"}]}  # fmt: skip
CHUNK = ANSWER | {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "Ho"}}]}
ERROR = {"error": {"message": "No", "type": "server_error", "param": None, "code": None}}
CSS = ":root { --a: 1 }\nbody { color: red }\n"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _read(value: Any, kind: Kind | None = None) -> list[Exchange | Skipped]:
    return list(read(Capture(io.BytesIO(_text(value).encode()), "capture", kind=kind)))


def _posted(path: str, request: Any, response: Any, status: int = 200, content_type: str = "application/json") -> str:
    entry = {
        "request": {"method": "POST", "url": f"https://example.com{path}", "postData": {"text": _text(request)}},
        "response": {"status": status, "content": {"mimeType": content_type, "text": _text(response)}},
    }
    return json.dumps({"log": {"entries": [entry]}})


def _events(*values: Any) -> str:
    return "".join(f"data: {_text(value)}\n\n" for value in values)


LOOKALIKES: dict[str, tuple[Any, str]] = {
    "fine-tuning": ({"messages": [USER, SAID]}, "fine-tuning example"),
    "fine-tuning with tools": ({"messages": [USER, SAID], "tools": []}, "fine-tuning example"),
    "fine-tuning with weights": ({"messages": [USER, SAID | {"weight": 0}]}, "fine-tuning example"),
    "fine-tuning of preferences": ({"input": {"messages": [USER]}, "preferred_output": [SAID]}, "preferences"),
    "fine-tuning lines": (f"{json.dumps({'messages': [USER, SAID]})}\n" * 3, "fine-tuning example"),
    "evaluation sample": ({"id": 1, "answers": {"text": ["a"]}, "messages": [USER, SAID]}, "without a model"),
    "transcript": ({"title": "t", "created_at": "2026", "messages": [USER, SAID]}, "without a model"),
    "transcript with a model": ({"title": "t", "created_at": 1, "model": "m", "messages": [USER, SAID]},
                                "stored conversation"),
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
    "error of JSON-RPC": ({"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "x"}}, "JSON-RPC"),
    "errors of GraphQL": ({"data": None, "errors": [{"message": "x"}]}, "GraphQL"),
    "detail of FastAPI": ({"detail": "Not Found"}, "an error body"),
    "OpenAPI": ({"openapi": "3.1.0", "info": {}, "paths": {}}, "OpenAPI"),
    "JSON Schema": ({"$schema": "x", "properties": {"messages": {}, "model": {}}}, "JSON Schema"),
    "package.json": ({"name": "x", "version": "1", "dependencies": {"openai": "*"}}, "package manifest"),
    "quiz": ({"id": 1, "question": "?", "choices": [{"text": "a"}, {"text": "b"}]}, "its `choices`"),
    "prompt of a command line": ({"type": "list", "name": "n", "message": "?", "choices": ["a", "b"]}, "its `choices`"),
    "form field": ({"model": "app.thing", "id": "x", "choices": [["a", "A"]]}, "its `choices`"),
    "legacy completion": ({"object": "text_completion", "choices": [{"text": "Ho", "index": 0}]}, "legacy"),
    "legacy completion without a name": ({"id": "cmpl-1", "created": 1, "model": "m", "choices": [{"text": "Ho"}]},
                                         "its `choices`"),
    "legacy request": ({"model": "m", "prompt": "Hi"}, "legacy"),
    "response": ({"object": "response", "output": [], "error": None}, "Responses API"),
    "response that failed": ({"object": "response", "error": {"message": "x", "type": "y"}}, "Responses API"),
    "request for a response": ({"model": "m", "input": [USER]}, "Responses or Embeddings"),
    "stream of a response": (_events({"type": "response.created"}, {"type": "error", "error": ERROR["error"]}),
                             "Responses API"),
    "thread of assistants": ({"object": "thread.message", "role": "user", "content": []}, "Assistants"),
    "Anthropic request": ({"model": "m", "max_tokens": 1, "system": "Be kind.", "messages": [USER]}, "Anthropic"),
    "Anthropic tools": ({"model": "m", "messages": [USER], "tools": [{"name": "t", "input_schema": {}}]}, "Anthropic"),
    "Anthropic answer": ({"type": "message", "role": "assistant", "content": []}, "Anthropic"),
    "Anthropic error": ({"type": "error", "error": {"type": "overloaded_error", "message": "x"}}, "Anthropic"),
    "Anthropic exchange": ({"request": ASKED, "response": {"type": "message", "content": []}}, "Anthropic"),
    "Anthropic stream": (_events({"type": "message_start"}, {"type": "message_stop"}), "Anthropic"),
    "Gemini request": ({"contents": [{"parts": [{"text": "Hi"}]}]}, "Gemini"),
    "Gemini stream": (_events({"candidates": []}), "Gemini"),
    "Bedrock request": ({"messages": [{"role": "user", "content": [{"text": "Hi"}]}], "inferenceConfig": {}},
                        "Bedrock"),
    "Bedrock answer": ({"output": {"message": SAID}, "stopReason": "end_turn"}, "Bedrock"),
    "Bedrock stream": (_posted("/model/m/converse-stream", {"messages": [USER]}, "\x00\x01"), "Bedrock"),
    "Cohere": ({"id": "x", "finish_reason": "COMPLETE", "message": SAID}, "Cohere"),
    "Ollama request": ({"model": "m", "messages": [USER], "options": {"num_ctx": 1}}, "Ollama"),
    "Ollama answer": ({"model": "m", "created_at": "t", "message": SAID, "done": True}, "Ollama"),
    "AI SDK request": ({"id": "x", "model": "m", "messages": [{"role": "user", "parts": []}]}, "AI SDK"),
    "AI SDK stream": (_events({"type": "start"}, {"type": "text-delta", "delta": "x"}, "[DONE]"), "other events"),
    "LangSmith run": ({"run_type": "llm", "inputs": {"messages": [USER]}, "error": "x"}, "LangChain"),
    "object of a library": ({"request": {"url": "/v1/chat/completions", "method": "POST", "body": ASKED},
                             "response": {"body": {"__type__": "T", "__data__": ANSWER}}}, "client library"),
    "style sheet": (CSS, "no input format"),
    "style sheet with data": (":root { --icon: url(\ndata:image/png;base64,AA) }\n", "no input format"),
    "Markdown": (": a definition\n\nid: x\n", "no input format"),
    "YAML": ("id: chat-completion-123\nchoices:\n  - message:\n      content: Dublin\n", "no input format"),
    "YAML with data": ("event: push\ndata:\n  a: 1\n", "no input format"),
    "events that are words": ("data: hello\n\ndata: world\n\n", "no input format"),
    "events of a log": (_events({"level": "info"}, {"level": "warn"}), "other events"),
    "application's own API": (_posted("/api/ask", ASKED, {"answer": "Ho"}), "at /api/ask"),
    "application's own error": (_posted("/eval", {"name": "x"}, {"error": "not found"}, 404), "at /eval"),
    "charge of Stripe": (_posted("/v1/charges", {"amount": 1}, ERROR, 400), "at /v1/charges"),
    "style sheet in an archive": (_posted("/a.css", "", CSS, content_type="text/css"), "at /a.css"),
    "snapshot of a test": ({"response": {"a": 1}, "request": {"b": 2}}, "not a Chat Completions payload"),
    "data set": ({"messages": [USER], "response": "Ho"}, "without a model"),
}  # fmt: skip


@pytest.mark.parametrize("name", LOOKALIKES)
def test_what_only_looks_like_it_is_skipped_with_a_true_reason(name: str) -> None:
    value, reason = LOOKALIKES[name]
    found = _read(value)
    assert found
    for one in found:
        assert isinstance(one, Skipped), one
        assert reason in one.reason


UNUSUAL: dict[str, tuple[Any, str]] = {
    "no object": ({"id": "x", "choices": [{"message": SAID}]}, "completion"),
    "nothing but choices": ({"choices": [{"message": SAID}]}, "completion"),
    "object of another kind": (ANSWER | {"object": "list"}, "completion"),
    "choices that are null": (ANSWER | {"choices": None}, "completion"),
    "no choices": (ANSWER | {"choices": []}, "completion"),
    "message that is null": (ANSWER | {"choices": [{"index": 0, "message": None}]}, "completion"),
    "error in an envelope": (ANSWER | {"error": {"message": "x"}, "choices": []}, "error"),
    "trace and span beside it": (ANSWER | {"trace_id": "t", "span_id": "s"}, "completion"),
    "first chunk of Azure": ({"id": "", "object": "", "choices": [], "prompt_filter_results": []}, "chunk"),
    "chunk with usage alone": (CHUNK | {"choices": [], "usage": {"prompt_tokens": 1}}, "chunk"),
    "chunk without object": ({"choices": [{"delta": {}}]}, "chunk"),
    "deployment of Azure": ({"messages": [USER], "temperature": 0}, "request"),
    "models instead of a model": ({"models": ["m"], "messages": [USER]}, "request"),
    "model that is null": ({"model": None, "messages": [USER]}, "request"),
    "no messages in the list": ({"model": "m", "messages": []}, "request"),
    "messages that are strings": ({"model": "m", "messages": ["Hi"]}, "request"),
    "role nobody knows": ({"model": "m", "messages": [{"role": "bot", "content": "Hi"}]}, "request"),
    "answer to be continued": ({"model": "m", "messages": [USER, SAID]}, "request"),
    "extensions of a vendor": (ASKED | {"top_k": 1, "provider": {}, "usage": {"include": True}}, "request"),
    "error of old vLLM": ({"object": "error", "message": "x", "type": "y", "param": None, "code": 1}, "error"),
    "error without a code": ({"error": {"message": "x", "type": "y"}}, "error"),
    "error that echoes the request": ({"detail": [{"loc": ["body"], "msg": "x", "input": ASKED}]}, "error"),
    "error in words, with its status": ({"status": 500, "response": {"error": "x"}}, "error"),
    "error of any shape, over HTTP": ('HTTP/1.1 404 No\r\n\r\n{"detail": "Not Found"}', "error"),
    "pair": ({"request": ASKED, "response": {"error": "x"}}, "request+error"),
    "log with the answer": (ASKED | {"response": ANSWER, "latency": 3}, "request+completion"),
    "log without a model": ({"messages": [USER], "response": ANSWER}, "completion"),
    "log with chunks": (ASKED | {"chunks": [CHUNK, CHUNK]}, "request+stream"),
    "path without its slash": ({"path": "chat/completions", "response": {"what": "ever"}}, "completion"),
    "path of a deployment": ({"path": "openai/deployments/d/chat/completions", "request": {}}, "request"),
    "envelope": ({"request": ASKED, "response": {"status": 200, "body": ANSWER}}, "request+completion"),
    "envelopes": ({"request": {"url": "https://h/v1/chat/completions", "method": "POST", "body": ASKED},
                   "response": {"statusCode": 200, "headers": {}, "body": json.dumps(ANSWER)}}, "request+completion"),
    "envelope in base64": ({"request": {"url": "/chat/completions", "method": "POST", "body": {"b64": "e30="}},
                            "response": {"status": 200, "headers": {}, "body": None},
                            "chunks": [{"b64": "ZGF0YTogW0RP"}, {"b64": "TkVdCgo="}]}, "request+stream"),
    "answer of axios": ({"request": ASKED, "response": {"status": 200, "headers": {}, "data": ANSWER}},
                        "request+completion"),
    "nock": ([{"scope": "https://h:443", "method": "POST", "path": "/v1/chat/completions", "body": ASKED, "status": 200,
               "response": ANSWER, "rawHeaders": ["Content-Type", "application/json"]}], "request+completion"),
    "nock with a stream": ([{"scope": "https://h:443", "method": "POST", "path": "/v1/chat/completions", "body": ASKED,
                             "status": 200, "response": _events(CHUNK, "[DONE]")}], "request+stream"),
    "nock with hexadecimal": ([{"scope": "https://h", "method": "POST", "path": "/v1/chat/completions", "body": "",
                                "status": 400, "response": [gzip.compress(json.dumps(ERROR).encode()).hex()],
                                "rawHeaders": ["Content-Encoding", "gzip"]}], "error"),
    "unknown path of a gateway": (_posted("/llm/v3", ASKED, ANSWER), "request+completion"),
    "gateway's page": (_posted("/llm/v3", ASKED, "<html>", 502, "text/html"), "request+body"),
    "error as a stream": (_events(ERROR), "stream"),
    "stream that is over at once": (_events("[DONE]"), "stream"),
    "stream that begins with comments": (": ping\n\n: ping\n\n" + _events(CHUNK), "stream"),
    "stream with events of its own": ('event: ping\ndata: {"type": "ping"}\n\n' + _events(CHUNK), "stream"),
    "stream that is no JSON": ("data: {'choices': []}\n\n", "stream"),
    "completions as events": (_events(ANSWER), "stream"),
}  # fmt: skip


@pytest.mark.parametrize("name", UNUSUAL)
def test_what_is_unusual_is_read(name: str) -> None:
    value, shape = UNUSUAL[name]
    (found,) = _read(value)
    assert isinstance(found, Exchange), found
    parts = ["request"] if found.request is not None else []
    if found.response is not None:
        body = found.response.body
        parts.append(body.kind if isinstance(body, Payload) else "stream" if isinstance(body, Stream) else "body")
    assert "+".join(parts) == shape


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_that_the_user_names_is_what_a_document_is(kind: Kind) -> None:
    documents = {name: value for name, (value, _) in LOOKALIKES.items() if isinstance(value, dict)}
    assert documents
    for name, value in documents.items():
        (found,) = _read(value, kind)
        assert isinstance(found, Exchange), name
        payload = found.request if kind == "request" else found.response and found.response.body
        assert isinstance(payload, Payload), name
        assert payload.kind == kind, name


def test_status_and_body_of_an_envelope_are_those_of_the_answer() -> None:
    (found,) = _read({"request": ASKED, "response": {"status": 429, "headers": {"Content-Type": "a/b"}, "body": ERROR}})
    assert isinstance(found, Exchange)
    assert found.response is not None
    assert (found.response.status, found.response.content_type) == (429, "a/b")
    assert isinstance(found.response.body, Payload)
    assert found.response.body.value == ERROR


def test_a_logged_request_is_what_of_the_log_a_request_has() -> None:
    (found,) = _read(ASKED | {"temperature": 1, "latency": 3, "response": ANSWER})
    assert isinstance(found, Exchange)
    assert found.request is not None
    assert found.request.value == ASKED | {"temperature": 1}


def test_an_answer_that_says_at_once_what_it_is_is_what_all_marks_say() -> None:
    swapped = ANSWER | {"object": "chat.completion.chunk"}, CHUNK | {"object": "chat.completion"}
    for value in (ANSWER, CHUNK, *swapped, ERROR, ERROR | {"x": 1}, {"error": ERROR["error"] | {"x": 1}}):
        if (plain := marks.plain_answer(value)) is not None:
            points = marks.points(value)
            assert max(points, key=lambda kind: points[kind]) == plain == kind_of(value)


def test_the_members_of_a_request_are_those_of_the_reference() -> None:
    assert schemas.load("request")["properties"].keys() == marks.REQUEST_PROPERTIES
