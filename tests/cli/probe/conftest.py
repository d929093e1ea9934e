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

KEY = "sk-test-0123456789abcdef"


@dataclass
class Asked:
    """A request as it came, and the way to answer it: ``write`` sends bytes, ``wait`` waits until the test is over.

    ``read_more`` returns the first line of the next request on the same connection.
    """

    path: str
    headers: dict[str, str]
    body: bytes
    write: Callable[[bytes], None]
    wait: Callable[[float], bool]
    read_more: Callable[[], bytes]

    def json(self) -> dict[str, Any]:
        return json.loads(self.body)


Behaviour = Callable[[Asked], None]


@dataclass
class Server:
    port: int
    scheme: str = "http"
    asked: list[Asked] = field(default_factory=list)
    most_at_once: int = 0

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}/v1"


Serve = Callable[..., Server]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start a server with the given behaviour, and stop it when the test is over.

    ``tls`` is the server's side of TLS, if it has one.
    """
    with ExitStack() as stack:
        yield lambda behaviour, tls=None: stack.enter_context(_serving(behaviour, tls))


@contextmanager
def _serving(behaviour: Behaviour, tls: ssl.SSLContext | None) -> Iterator[Server]:
    over = threading.Event()
    lock = threading.Lock()
    at_once = 0

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            nonlocal at_once
            with suppress(OSError):
                if tls is not None:
                    self.request = tls.wrap_socket(self.request, server_side=True)
                    self.finish()
                    self.setup()
                start = self.rfile.readline().split()
                if len(start) < 2:
                    return
                headers = dict(self._headers())
                body = self.rfile.read(int(headers.get("content-length", 0)))
                asked = Asked(start[1].decode(), headers, body, self._answer, over.wait, self.rfile.readline)
                with lock:
                    server.asked.append(asked)
                    self.waits = True
                    at_once += 1
                    server.most_at_once = max(server.most_at_once, at_once)
                try:
                    behaviour(asked)
                finally:
                    self._answered()
                    if tls is not None:
                        self.request.close()

        def _answer(self, data: bytes) -> None:
            self._answered()  # before the client can know, and ask the next question
            self.request.sendall(data)

        def _answered(self) -> None:
            nonlocal at_once
            with lock:
                at_once -= self.waits
                self.waits = False

        def _headers(self) -> Iterator[tuple[str, str]]:
            while line := self.rfile.readline().strip():
                name, _, value = line.decode().partition(":")
                yield name.lower(), value.strip()

    class Listener(socketserver.ThreadingTCPServer):
        allow_reuse_address = True
        request_queue_size = 64
        daemon_threads = False

    with Listener(("127.0.0.1", 0), Handler) as listener:
        server = Server(listener.server_address[1], "https" if tls else "http")
        thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            over.set()
            listener.shutdown()
            thread.join()


def http(status: int, content_type: str, body: bytes, *headers: str) -> bytes:
    """Return the bytes of a whole response."""
    lines = [f"HTTP/1.1 {status} So", f"Content-Type: {content_type}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode() + body


def events(*chunks: dict[str, Any]) -> bytes:
    """Return the body of a complete stream, which ends with ``[DONE]``."""
    return b"".join(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks) + b"data: [DONE]\n\n"


_NUMBERS = count(1)
_INSTANCES = {
    "person": '{"name": "Ada", "age": 36}',
    "sea": '{"kind": "calm", "depth": {"metres": 9, "exact": false}}',
    "Sea": '{"wave": {"height": 2, "colour": "blue"}, "salty": true}',
}
"""What is answered by a schema of that name."""


def completion(request: dict[str, Any]) -> dict[str, Any]:
    """Return a conforming answer to one of the requests of a probe."""
    head = {"id": f"chatcmpl-{next(_NUMBERS):029d}", "created": int(time.time()), "model": request["model"]}
    choices = [_choice(request, index) for index in range(request.get("n", 1))]
    usage = {
        "prompt_tokens": 9,
        "completion_tokens": min(3, request.get("max_tokens", request.get("max_completion_tokens", 3))),
        "total_tokens": 0,
    }
    usage["total_tokens"] = usage["prompt_tokens"] + usage["completion_tokens"]
    return {**head, "object": "chat.completion", "choices": choices, "usage": usage, "system_fingerprint": None}


def _choice(request: dict[str, Any], index: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": "Hi", "refusal": None}
    finish, logprobs = "stop", None
    asked = request["messages"][-1]["content"] if request.get("messages") else ""
    free = "tools" in request and "weather" in asked
    if "emoji" in asked:
        message["content"] = "🌊🌍"
    if request.get("tool_choice", "auto" if free else "none") not in (("none",) if free else ("auto", "none")):
        function = {"name": "get_weather", "arguments": '{"city": "Paris"}'}
        calls = 2 if request.get("parallel_tool_calls") else 1
        message["content"] = None
        message["tool_calls"] = [{"id": f"call_{n}", "type": "function", "function": function} for n in range(calls)]
        finish = "stop" if isinstance(request.get("tool_choice"), dict) else "tool_calls"
    elif "response_format" in request:
        schema = request["response_format"].get("json_schema", {"name": "person"})
        message["content"] = _INSTANCES[schema["name"]]
    elif 1 in (request.get("max_completion_tokens"), request.get("max_tokens")):
        finish = "length"
    elif stops := request.get("stop"):
        message["content"] = _before("The sea is calm.", [stops] if isinstance(stops, str) else stops)
    if request.get("logprobs"):
        token = {"token": "Hi", "logprob": -0.1, "bytes": [72, 105]}
        logprobs = {"content": [{**token, "top_logprobs": [token, {**token, "token": "Ho", "bytes": [72, 111]}]}]}
        logprobs["refusal"] = None  # type: ignore[assignment]
    return {"index": index, "message": message, "logprobs": logprobs, "finish_reason": finish}


def _before(text: str, stops: list[str]) -> str:
    """Return the text up to the first stop sequence in it, or the whole text if it has none."""
    return text[: min((text.find(stop) for stop in stops if stop in text), default=len(text))]


def chunks(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the chunks of a stream that gives the same answer as ``completion``."""
    whole = completion(request)
    asked_usage = "stream_options" in request
    head = {**whole, "object": "chat.completion.chunk"} | ({"usage": None} if asked_usage else {})
    if not asked_usage:
        del head["usage"]
    for choice in whole["choices"]:
        said = choice["message"]
        parts = [{"role": "assistant", "content": "" if said["content"] else None, "refusal": None}]
        for number, call in enumerate(said.get("tool_calls", ())):
            parts.append({"tool_calls": [{"index": number, **call}]})
        parts += [{"content": said["content"]}] if said["content"] else []
        for number, delta in enumerate([*parts, {}]):
            shown = choice["logprobs"] if delta.get("content") else None
            finish = choice["finish_reason"] if number == len(parts) else None
            one = {"index": choice["index"], "delta": delta, "logprobs": shown, "finish_reason": finish}
            yield {**head, "choices": [one]}
    if asked_usage:
        yield {**head, "choices": [], "usage": whole["usage"]}


def error(message: str, code: str | None = None) -> dict[str, Any]:
    """Return an error body with all its properties."""
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": code}}


def refusal(asked: Asked) -> tuple[int, dict[str, Any]] | None:
    """Return the status and the error for a request that has to be refused, or ``None`` for any other request."""
    if asked.headers.get("authorization") != f"Bearer {KEY}":
        return 401, error("Incorrect API key provided.", "invalid_api_key")
    if asked.path in ("/v1/models", "/v1/models/tiny"):
        return None
    if asked.path != "/v1/chat/completions":
        return 404, error("Invalid URL.")
    try:
        request = asked.json()
    except ValueError:
        return 400, error("We could not parse the JSON body of your request.")
    if not isinstance(request.get("messages"), list) or request.get("temperature", 1) > 2:
        return 400, error("Invalid value.")
    if len(asked.body) > 100_000:
        return 400, error("This model's maximum context length is 8192 tokens.", "context_length_exceeded")
    return (404, error("The model does not exist.", "model_not_found")) if request["model"] != "tiny" else None


def well(asked: Asked) -> None:
    """Answer as the reference does."""
    refused = refusal(asked)
    if refused is not None:
        asked.write(http(refused[0], "application/json", json.dumps(refused[1]).encode()))
    elif asked.path != "/v1/chat/completions":
        model = {"id": "tiny", "object": "model", "created": 1784000000, "owned_by": "test"}
        answer = {"object": "list", "data": [model]} if asked.path == "/v1/models" else model
        asked.write(http(200, "application/json", json.dumps(answer).encode()))
    elif asked.json().get("stream"):
        asked.write(http(200, "text/event-stream", events(*chunks(asked.json()))))
    else:
        asked.write(http(200, "application/json", json.dumps(completion(asked.json())).encode()))


@cache
def _authorities(of: frozenset[tuple[str, str]], **options: Any) -> ssl.SSLContext:
    return _CREATE(**options)


_CREATE = ssl.create_default_context


@pytest.fixture(autouse=True)
def authorities_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read the certificates of the authorities only once for all tests, because this takes longer than most tests."""

    def create(**options: Any) -> ssl.SSLContext:
        named = frozenset(one for one in os.environ.items() if one[0].startswith("SSL_CERT_"))
        return _authorities(named, **options)

    monkeypatch.setattr(ssl, "create_default_context", create)


Probe = Callable[..., Result]


@pytest.fixture
def probe(monkeypatch: pytest.MonkeyPatch) -> Probe:
    """Run ``isogloss probe`` on a URL, with the model ``tiny``, a key, and limits that let it fail fast."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)

    def run(url: str, *arguments: str) -> Result:
        result = CliRunner().invoke(cli, ["probe", url, "--model", "tiny", "--timeout", "5", *arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


@pytest.fixture(scope="session")
def wire() -> SimpleNamespace:
    """Return parts of servers: ``http`` and ``events`` write answers, ``well`` is the behaviour of the reference."""
    return SimpleNamespace(
        http=http, events=events, chunks=chunks, completion=completion, error=error, well=well, key=KEY
    )


SCHEMAS = Path(__file__).parents[3] / "schemas/isogloss/schemas/report"


@pytest.fixture(scope="session")
def validate() -> Callable[[Any], None]:
    """Validate the JSON report of a probe, of one server or of several, with its installed schema."""
    single, several = (json.loads((SCHEMAS / name).read_bytes()) for name in ("v1.json", "servers-v1.json"))
    registry = jsonschema_rs.Registry([(single["$id"], single)])
    of_one, of_several = (jsonschema_rs.Draft202012Validator(one, registry=registry) for one in (single, several))

    def validate(report: Any) -> None:
        (of_several if "servers" in report else of_one).validate(report)

    return validate
