"""A server for tests on the loopback interface. It answers correctly, or sends exactly the bytes that a test wants."""

from __future__ import annotations

import json
import os
import socketserver
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema_rs
import pytest
from click.testing import CliRunner, Result

from isogloss.cli.main import cli
from isogloss.cli.probe import judging, sending, sending_cases

KEY = "sk-test-0123456789abcdef"


@dataclass
class Request:
    """A request that the server received, and the functions to answer it.

    ``respond`` sends bytes. ``wait`` waits for a number of seconds at most, and returns whether the test is over.
    ``read_more`` returns the first line of the next request on the same connection.
    """

    path: str
    headers: dict[str, str]
    body: bytes
    respond: Callable[[bytes], None]
    wait: Callable[[float], bool]
    read_more: Callable[[], bytes]

    def json(self) -> dict[str, Any]:
        return json.loads(self.body)


Handler = Callable[[Request], None]


@dataclass
class Server:
    port: int
    scheme: str = "http"
    requests: list[Request] = field(default_factory=list)
    max_concurrent: int = 0

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}/v1"


Serve = Callable[..., Server]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Yield a function that starts a server. Each server is stopped when the test is over.

    The server calls ``handle`` for each request. ``tls`` is the context of its connections, if they use TLS.
    """
    with ExitStack() as stack:
        yield lambda handle, tls=None: stack.enter_context(_running_server(handle, tls))


@contextmanager
def _running_server(handle_request: Handler, tls: ssl.SSLContext | None) -> Iterator[Server]:
    test_is_over = threading.Event()
    lock = threading.Lock()
    concurrent = 0

    class ConnectionHandler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            nonlocal concurrent
            with suppress(OSError):
                if tls is not None:
                    self.request = tls.wrap_socket(self.request, server_side=True)
                    self.finish()
                    self.setup()
                request_line = self.rfile.readline().split()
                if len(request_line) < 2:
                    return
                headers = dict(self._read_headers())
                body = self.rfile.read(int(headers.get("content-length", 0)))
                request = Request(
                    request_line[1].decode(), headers, body, self._respond, test_is_over.wait, self.rfile.readline
                )
                with lock:
                    server.requests.append(request)
                    self.is_unanswered = True
                    concurrent += 1
                    server.max_concurrent = max(server.max_concurrent, concurrent)
                try:
                    handle_request(request)
                finally:
                    self._mark_answered()
                    if tls is not None:
                        self.request.close()

        def _respond(self, data: bytes) -> None:
            self._mark_answered()  # before the client has the answer and may send its next request
            self.request.sendall(data)

        def _mark_answered(self) -> None:
            nonlocal concurrent
            with lock:
                concurrent -= self.is_unanswered
                self.is_unanswered = False

        def _read_headers(self) -> Iterator[tuple[str, str]]:
            while line := self.rfile.readline().strip():
                name, _, value = line.decode().partition(":")
                yield name.lower(), value.strip()

    class Listener(socketserver.ThreadingTCPServer):
        allow_reuse_address = True
        request_queue_size = 64
        daemon_threads = False

    with Listener(("127.0.0.1", 0), ConnectionHandler) as listener:
        server = Server(listener.server_address[1], "https" if tls else "http")
        thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            test_is_over.set()
            listener.shutdown()
            thread.join()


def response(status: int, content_type: str, body: bytes, *headers: str) -> bytes:
    """Return the bytes of a complete HTTP response."""
    lines = [f"HTTP/1.1 {status} So", f"Content-Type: {content_type}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode() + body


def events(*chunks: dict[str, Any]) -> bytes:
    """Return the body of a complete stream: an event for each chunk, and ``[DONE]`` at the end."""
    return b"".join(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks) + b"data: [DONE]\n\n"


_NUMBERS = count(1)
_INSTANCES = {
    "person": '{"name": "Ada", "age": 36}',
    "sea": '{"kind": "calm", "depth": {"metres": 9, "exact": false}}',
    "Sea": '{"wave": {"height": 2, "colour": "blue"}, "salty": true}',
}
"""For each name of a JSON schema, the content of the answer to a request with that schema."""


def completion(payload: dict[str, Any]) -> dict[str, Any]:
    """Return a conforming completion for the payload of a request that a probe sends."""
    head = {"id": f"chatcmpl-{next(_NUMBERS):029d}", "created": int(time.time()), "model": payload["model"]}
    choices = [_choice(payload, index) for index in range(payload.get("n", 1))]
    usage = {
        "prompt_tokens": 9,
        "completion_tokens": min(3, payload.get("max_tokens", payload.get("max_completion_tokens", 3))),
        "total_tokens": 0,
    }
    usage["total_tokens"] = usage["prompt_tokens"] + usage["completion_tokens"]
    return {**head, "object": "chat.completion", "choices": choices, "usage": usage, "system_fingerprint": None}


def _choice(payload: dict[str, Any], index: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": "Hi", "refusal": None}
    finish_reason, logprobs = "stop", None
    prompt = payload["messages"][-1]["content"] if payload.get("messages") else ""
    auto_call = "tools" in payload and "weather" in prompt
    if "emoji" in prompt:
        message["content"] = "🌊🌍"
    if payload.get("tool_choice", "auto" if auto_call else "none") not in (
        ("none",) if auto_call else ("auto", "none")
    ):
        function = {"name": "get_weather", "arguments": '{"city": "Paris"}'}
        calls = 2 if payload.get("parallel_tool_calls") else 1
        message["content"] = None
        message["tool_calls"] = [{"id": f"call_{n}", "type": "function", "function": function} for n in range(calls)]
        finish_reason = "stop" if isinstance(payload.get("tool_choice"), dict) else "tool_calls"
    elif "response_format" in payload:
        schema = payload["response_format"].get("json_schema", {"name": "person"})
        message["content"] = _INSTANCES[schema["name"]]
    elif 1 in (payload.get("max_completion_tokens"), payload.get("max_tokens")):
        finish_reason = "length"
    elif stops := payload.get("stop"):
        message["content"] = _text_before_stop("The sea is calm.", [stops] if isinstance(stops, str) else stops)
    if payload.get("logprobs"):
        token = {"token": "Hi", "logprob": -0.1, "bytes": [72, 105]}
        logprobs = {
            "content": [
                {**token, "top_logprobs": [token, {**token, "token": "Ho", "logprob": -3.0, "bytes": [72, 111]}]}
            ]
        }
        logprobs["refusal"] = None  # type: ignore[assignment]
    return {"index": index, "message": message, "logprobs": logprobs, "finish_reason": finish_reason}


def _text_before_stop(text: str, stops: list[str]) -> str:
    """Return the text up to the first stop sequence in it, or the whole text if it has none."""
    return text[: min((text.find(stop) for stop in stops if stop in text), default=len(text))]


def chunks(payload: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the chunks of a stream that gives the same answer as ``completion``."""
    answer = completion(payload)
    has_usage = "stream_options" in payload
    head = {**answer, "object": "chat.completion.chunk"} | ({"usage": None} if has_usage else {})
    if not has_usage:
        del head["usage"]
    for choice in answer["choices"]:
        message = choice["message"]
        parts = [{"role": "assistant", "content": "" if message["content"] else None, "refusal": None}]
        for number, call in enumerate(message.get("tool_calls", ())):
            parts.append({"tool_calls": [{"index": number, **call}]})
        parts += [{"content": message["content"]}] if message["content"] else []
        for number, delta in enumerate([*parts, {}]):
            logprobs = choice["logprobs"] if delta.get("content") else None
            finish_reason = choice["finish_reason"] if number == len(parts) else None
            chunk_choice = {
                "index": choice["index"],
                "delta": delta,
                "logprobs": logprobs,
                "finish_reason": finish_reason,
            }
            yield {**head, "choices": [chunk_choice]}
    if has_usage:
        yield {**head, "choices": [], "usage": answer["usage"]}


def error(message: str, code: str | None = None) -> dict[str, Any]:
    """Return the payload of an error with all its properties."""
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": code}}


def required_refusal(request: Request) -> tuple[int, dict[str, Any]] | None:
    """Return the status and the error for a request that has to be refused, or ``None`` for any other request."""
    if request.headers.get("authorization") != f"Bearer {KEY}":
        return 401, error("Incorrect API key provided.", "invalid_api_key")
    if request.path in ("/v1/models", "/v1/models/tiny"):
        return None
    if request.path != "/v1/chat/completions":
        return 404, error("Invalid URL.")
    try:
        payload = request.json()
    except ValueError:
        return 400, error("We could not parse the JSON body of your request.")
    if not isinstance(payload.get("messages"), list) or payload.get("temperature", 1) > 2:
        return 400, error("Invalid value.")
    if len(request.body) > 100_000:
        return 400, error("This model's maximum context length is 8192 tokens.", "context_length_exceeded")
    return (404, error("The model does not exist.", "model_not_found")) if payload["model"] != "tiny" else None


def answer_correctly(request: Request) -> None:
    """Answer a request as the reference does."""
    refusal = required_refusal(request)
    if refusal is not None:
        request.respond(response(refusal[0], "application/json", json.dumps(refusal[1]).encode()))
    elif request.path != "/v1/chat/completions":
        model = {"id": "tiny", "object": "model", "created": 1784000000, "owned_by": "test"}
        answer = {"object": "list", "data": [model]} if request.path == "/v1/models" else model
        request.respond(response(200, "application/json", json.dumps(answer).encode()))
    elif request.json().get("stream"):
        request.respond(response(200, "text/event-stream", events(*chunks(request.json()))))
    else:
        request.respond(response(200, "application/json", json.dumps(completion(request.json())).encode()))


@cache
def _cached_context(variables: frozenset[tuple[str, str]], **options: Any) -> ssl.SSLContext:
    return _CREATE_CONTEXT(**options)


_CREATE_CONTEXT = ssl.create_default_context


@pytest.fixture(autouse=True)
def read_authorities_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read the certificates of the authorities once for all tests, because this takes longer than most tests."""

    def create_context(**options: Any) -> ssl.SSLContext:
        variables = frozenset(variable for variable in os.environ.items() if variable[0].startswith("SSL_CERT_"))
        return _cached_context(variables, **options)

    monkeypatch.setattr(ssl, "create_default_context", create_context)


Probe = Callable[..., Result]


@pytest.fixture
def probe(monkeypatch: pytest.MonkeyPatch) -> Probe:
    """Return a function that runs ``isogloss probe`` on a URL, with the model ``tiny`` and a key."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)

    def run(url: str, *arguments: str) -> Result:
        result = CliRunner().invoke(cli, ["probe", url, "--model", "tiny", "--timeout", "30", *arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Replace the clock that measures deadlines, and return the new clock. It only moves when a test sets ``now``."""
    clock = SimpleNamespace(now=0.0)
    for module in (sending_cases, judging, sending):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: clock.now))
    return clock


@pytest.fixture(scope="session")
def wire() -> SimpleNamespace:
    """Return the functions that build answers.

    ``response`` and ``events`` return bytes to send, and ``chunks``, ``completion`` and ``error`` return payloads.
    ``answer_correctly`` answers a request as the reference does. ``key`` is the key that it accepts.
    """
    return SimpleNamespace(
        response=response,
        events=events,
        chunks=chunks,
        completion=completion,
        error=error,
        answer_correctly=answer_correctly,
        key=KEY,
    )


SCHEMAS = Path(__file__).parents[3] / "schemas/isogloss/schemas/report"


@pytest.fixture(scope="session")
def validate() -> Callable[[Any], None]:
    """Return a function that validates the JSON report of a probe, of one server or of several, with its schema."""
    single, several = (json.loads((SCHEMAS / name).read_bytes()) for name in ("v1.json", "servers-v1.json"))
    registry = jsonschema_rs.Registry([(single["$id"], single)])
    single_validator, several_validator = (
        jsonschema_rs.Draft202012Validator(schema, registry=registry) for schema in (single, several)
    )

    def validate(report: Any) -> None:
        (several_validator if "servers" in report else single_validator).validate(report)

    return validate
