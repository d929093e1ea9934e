"""Test the event hook for clients of `httpx` and `openai`, with the real clients and a real server."""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest

from isogloss.validator import ResponseHook, check
from isogloss.validator.hooks import Answer

ROOT = Path(__file__).parents[2]
GOOD = json.loads((ROOT / "fixtures" / "conforming" / "completion" / "text.json").read_bytes())
BAD = GOOD | {"created": "1760000000"}
REQUEST: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
PATH = "/v1/chat/completions"


def _chunk(delta: dict[str, Any], finish_reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    whole = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1760000000, "model": "m"}
    return b"data: " + json.dumps(whole | {"choices": [choice]}).encode() + b"\n\n"


CHUNKS = [_chunk({"role": "assistant", "content": "Hel"}), _chunk({"content": "lo"}), _chunk({}, "stop")]
DONE = b"data: [DONE]\n\n"


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    received: threading.Event
    answers: list[Callable[[BaseHTTPRequestHandler], None]]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing if a client has closed its connection."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.server.answers.pop(0)(self)

    def do_GET(self) -> None:
        self.server.answers.pop(0)(self)

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[_Server]:
    with _Server(("127.0.0.1", 0), _Handler) as running:
        running.received, running.answers = threading.Event(), []
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def answer_with(value: Any, status: int = 200, *, encoding: str = "", headers: dict[str, str] | None = None) -> Any:
    def respond(handler: BaseHTTPRequestHandler) -> None:
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        body = gzip.compress(body) if encoding else body
        handler.send_response(status)
        content_type = "text/event-stream" if body.startswith(b"data:") else "application/json"
        fields = {"content-type": content_type, "content-length": f"{len(body)}", **(headers or {})}
        for name, field in (fields | ({"content-encoding": encoding} if encoding else {})).items():
            handler.send_header(name, field)
        handler.end_headers()
        handler.wfile.write(body)

    return respond


def answer_with_stream(
    events: list[bytes], *, broken: bool = False, waits: bool = False, encoding: str = "identity"
) -> Any:
    """Return a handler that sends events, each as a chunk of HTTP.

    With ``waits``, it waits until the client has received the first event before it sends the second. With ``broken``,
    it closes the connection without the last chunk.
    """

    def respond(handler: Any) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.send_header("transfer-encoding", "chunked")
        handler.send_header("content-encoding", encoding or "identity")
        handler.end_headers()
        for number, event in enumerate(events):
            if number == 1 and waits:
                assert handler.server.received.wait(30)
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(event), event))
            handler.wfile.flush()
        handler.close_connection = broken
        handler.wfile.write(b"" if broken else b"0\r\n\r\n")

    return respond


def failing_rules(hook: ResponseHook) -> list[str]:
    return [finding.rule for finding in hook.failing()]


def ask_openai_client(server: _Server, hook: ResponseHook, **options: Any) -> Any:
    """Send a request with the client of `openai`, and return the completion or the list of chunks that it makes."""
    import openai  # this import takes a second

    http = openai.DefaultHttpxClient(event_hooks={"response": [hook]})
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key="k", http_client=http, max_retries=1) as client:
        answer = client.chat.completions.create(**(REQUEST | options))
        return list(answer) if options.get("stream") else answer


def ask_async_openai_client(server: _Server, hook: ResponseHook, **options: Any) -> Any:
    async def ask() -> Any:
        import openai  # this import takes a second

        http = openai.DefaultAsyncHttpxClient(event_hooks={"response": [hook]})
        base = f"{server.url}/v1"
        async with openai.AsyncOpenAI(base_url=base, api_key="k", http_client=http, max_retries=1) as client:
            answer = await client.chat.completions.create(**(REQUEST | options))
            return [chunk async for chunk in answer] if options.get("stream") else answer

    return asyncio.run(ask())


@pytest.mark.parametrize("ask", [ask_openai_client, ask_async_openai_client])
def test_answers_that_the_openai_client_receives_are_checked(server: _Server, ask: Any) -> None:
    hook = ResponseHook()
    server.answers = [
        answer_with(GOOD),
        answer_with(BAD),
        answer_with_stream([*CHUNKS, DONE]),
        answer_with_stream([*CHUNKS[:2], DONE]),
    ]
    assert ask(server, hook).id == GOOD["id"]
    ask(server, hook)
    assert len(ask(server, hook, stream=True)) == 3
    ask(server, hook, stream=True)
    assert [(answer.status, answer.result.exchanges, answer.result.conforms) for answer in hook.answers] == [
        (200, 1, True), (200, 1, False), (200, 1, True), (200, 1, False),
    ]  # fmt: skip
    assert failing_rules(hook) == ["wrong-type", "finish-reason-missing"]
    assert hook.answers[0].url == f"{server.url}{PATH}"


def test_what_the_openai_client_returns_is_checked_as_the_server_sent_it(server: _Server) -> None:
    import openai  # this import takes a second

    message = GOOD["choices"][0]["message"]
    function = {"name": "get_weather", "arguments": '{"city": "Paris"}'}
    call = {"id": "call_Fake00000000000000000001", "type": "function", "function": function}
    choice = {**GOOD["choices"][0], "message": {**message, "content": None, "tool_calls": [call]}}
    with_call = GOOD | {"choices": [choice | {"finish_reason": "tool_calls"}]}
    server.answers = [*[answer_with(GOOD)] * 4, answer_with(with_call), answer_with_stream([*CHUNKS, DONE])]
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key="k", max_retries=0) as client:
        completions = client.chat.completions
        returned = [completions.create(**REQUEST), completions.parse(**REQUEST)]
        returned.append(completions.with_raw_response.create(**REQUEST))
        with completions.with_streaming_response.create(**REQUEST) as response:
            response.read()
            returned.append(response)
        returned.append(completions.parse(**REQUEST))
        with completions.stream(**REQUEST) as stream:
            returned.append(stream.get_final_completion())
    assert [[finding.rule for finding in check(one).findings if finding.severity > 1] for one in returned] == [[]] * 6
    found = [[finding.rule for finding in check(one).findings] for one in returned[:5]]
    assert found == [[], [], ["model-not-asked-for"], ["model-not-asked-for"], []]  # raw responses hold their request


def test_the_request_is_checked_with_its_answer(server: _Server) -> None:
    hook = ResponseHook()
    server.answers = [answer_with(GOOD)]
    ask_openai_client(server, hook, n=2)
    assert failing_rules(hook) == ["choice-count-mismatch"]


def test_answers_before_and_after_a_retry_are_checked(server: _Server) -> None:
    hook = ResponseHook()
    refused = {"error": {"message": "busy", "type": "requests", "param": None, "code": 5}}
    server.answers = [answer_with(refused, 429, headers={"retry-after-ms": "1"}), answer_with(GOOD)]
    ask_openai_client(server, hook)
    assert [answer.status for answer in hook.answers] == [429, 200]
    assert {finding.kind for finding in hook.failing()} == {"error"}


# No server here has TLS. With ``verify``, a client would read the certificates of all authorities, which takes long.
CLIENTS = pytest.mark.parametrize("library", [httpx, httpx2], ids=["httpx", "httpx2"])


@CLIENTS
def test_hook_reads_nothing_before_the_client_does_and_changes_no_byte(server: _Server, library: Any) -> None:
    hook = ResponseHook()
    server.answers = [answer_with_stream([*CHUNKS, DONE], waits=True)]
    with (
        library.Client(event_hooks={"response": [hook]}, timeout=30, verify=False) as client,
        client.stream("POST", f"{server.url}{PATH}", json=REQUEST | {"stream": True}) as response,
    ):
        parts = response.iter_bytes()
        first = next(parts)
        assert hook.answers == []
        server.received.set()
        assert first + b"".join(parts) == b"".join([*CHUNKS, DONE])
    assert [answer.result.conforms for answer in hook.answers] == [True]
    assert response.elapsed.total_seconds() > 0


@CLIENTS
def test_hook_reads_nothing_before_an_asynchronous_client_does(server: _Server, library: Any) -> None:
    hook = ResponseHook()
    server.answers = [answer_with_stream([*CHUNKS, DONE], waits=True)]

    async def ask() -> bytes:
        async with (
            library.AsyncClient(event_hooks={"response": [hook]}, timeout=30, verify=False) as client,
            client.stream("POST", f"{server.url}{PATH}", json=REQUEST | {"stream": True}) as response,
        ):
            read = b""
            async for part in response.aiter_raw():
                assert hook.answers == []
                server.received.set()
                read += part
            return read

    assert asyncio.run(ask()) == b"".join([*CHUNKS, DONE])
    assert [answer.result.conforms for answer in hook.answers] == [True]


@CLIENTS
def test_compressed_answers_are_checked_and_arrive_as_they_were_sent(server: _Server, library: Any) -> None:
    hook = ResponseHook()
    server.answers = [answer_with(BAD, encoding="gzip"), answer_with(GOOD, encoding="gzip")]
    with library.Client(event_hooks={"response": [hook]}) as client:
        assert client.post(f"{server.url}{PATH}", json=REQUEST).json() == BAD
        with client.stream("POST", f"{server.url}{PATH}", json=REQUEST) as response:
            assert gzip.decompress(b"".join(response.iter_raw())) == json.dumps(GOOD).encode()
    assert [answer.result.conforms for answer in hook.answers] == [False, True]


@CLIENTS
def test_answers_of_other_urls_and_redirections_are_not_judged(server: _Server, library: Any) -> None:
    hook = ResponseHook()
    server.answers = [
        answer_with({"object": "list"}), answer_with(BAD), answer_with(BAD),
        answer_with({}, 307, headers={"location": PATH}), answer_with(GOOD),
    ]  # fmt: skip
    with library.Client(event_hooks={"response": [hook]}, base_url=server.url, follow_redirects=True) as client:
        client.get("/v1/models")
        client.get(PATH)
        client.post("/v1/embeddings", json=REQUEST)
        client.post(f"/old{PATH}", json=REQUEST)
    assert [answer.result.conforms for answer in hook.answers] == [True]


STREAM_REQUEST = REQUEST | {"stream": True}


@CLIENTS
@pytest.mark.parametrize("first", [CHUNKS[0], _chunk({"role": 5})], ids=["conforming", "deviating"])
def test_the_part_of_an_answer_that_came_before_its_client_closed_it_is_judged(
    server: _Server, library: Any, first: bytes
) -> None:
    hook = ResponseHook()
    server.answers = [answer_with_stream([first, *CHUNKS[1:], DONE], waits=True)]
    with library.Client(event_hooks={"response": [hook]}, timeout=30, verify=False) as client:
        with client.stream("POST", f"{server.url}{PATH}", json=STREAM_REQUEST) as response:
            next(response.iter_bytes())
        server.received.set()
    (answer,) = hook.answers
    assert answer.result.exchanges == 1
    assert answer.result.skipped == (
        "the client closed the connection before the answer ended; the part that came is checked",
    )
    assert failing_rules(hook) == ([] if first == CHUNKS[0] else ["wrong-type"])


@CLIENTS
def test_an_answer_that_its_client_closed_at_once_is_not_judged(server: _Server, library: Any) -> None:
    hook = ResponseHook()
    server.answers = [answer_with_stream([*CHUNKS, DONE])]
    with (
        library.Client(event_hooks={"response": [hook]}, timeout=30, verify=False) as client,
        client.stream("POST", f"{server.url}{PATH}", json=STREAM_REQUEST),
    ):
        pass
    assert [answer.result.skipped for answer in hook.answers] == [("the client closed it before it had read anything",)]


def _ask(library: Any, hook: ResponseHook, url: str) -> None:
    with library.Client(event_hooks={"response": [hook]}, timeout=30, verify=False) as client:
        client.post(url, json=STREAM_REQUEST)


def _ask_async(library: Any, hook: ResponseHook, url: str) -> None:
    async def ask() -> None:
        async with library.AsyncClient(event_hooks={"response": [hook]}, timeout=30, verify=False) as client:
            await client.post(url, json=STREAM_REQUEST)

    asyncio.run(ask())


@CLIENTS
@pytest.mark.parametrize("ask", [_ask, _ask_async])
@pytest.mark.parametrize("encoding", ["", "gzip"])
def test_an_answer_that_the_server_breaks_off_is_an_error(
    server: _Server, library: Any, ask: Any, encoding: str
) -> None:
    hook = ResponseHook()
    events = [gzip.compress(b"".join(CHUNKS))[:20]] if encoding else CHUNKS[:1]
    server.answers = [answer_with_stream(events, broken=True, encoding=encoding)]
    with pytest.raises(library.RemoteProtocolError):
        ask(library, hook, f"{server.url}{PATH}")
    assert failing_rules(hook) == ["connection-broken"]
    assert hook.answers[0].result.skipped == ()


def answer_with_bytes(sent: bytes, *headers: str) -> Any:
    """Return a handler that sends exactly these bytes behind these headers, and closes the connection."""

    def respond(handler: Any) -> None:
        head = "\r\n".join(("HTTP/1.1 200 OK", "Content-Type: application/json", *headers, "", ""))
        handler.wfile.write(head.encode() + sent)
        handler.close_connection = True

    return respond


ANSWER = json.dumps(GOOD).encode()
CHUNKED, NOT_AS_SAID = "Transfer-Encoding: chunked", "it is not encoded as its Content-Encoding says"
UNREADABLE = [
    (ANSWER, "Content-Encoding: gzip", f"cannot be decoded: {NOT_AS_SAID}"),
    (ANSWER, "Content-Encoding: br", f"cannot be decoded: {NOT_AS_SAID}"),
    (b"\xff\xfe\x00" * 9, "Content-Encoding: br", f"cannot be decoded: {NOT_AS_SAID}"),
    (b"\x28\xb5\x2f\xfd" + b"\xff" * 20, "Content-Encoding: zstd", f"cannot be decoded: {NOT_AS_SAID}"),
    (gzip.compress(ANSWER), "X: y", "cannot be decoded: it is compressed with gzip, and has no Content-Encoding"),
    (gzip.compress(ANSWER)[:-9], "Content-Encoding: gzip", "cannot be decoded: it ends before its compressed data"),
    (
        b"%x\r\n%b\r\n0\r\n\r\n" % (len(ANSWER), ANSWER),
        f"{CHUNKED}\r\nContent-Length: {len(ANSWER)}",
        "cannot be read to its end: it has both Transfer-Encoding and Content-Length",
    ),
    (b"long\r\n" + ANSWER, CHUNKED, "cannot be read to its end: a chunk has no size, or its size is no number"),
    (b"2\r\n" + ANSWER, CHUNKED, "cannot be read to its end: a chunk is longer than its size says"),
    (b"2\r\n{", CHUNKED, "the connection breaks inside the body"),
]


@CLIENTS
@pytest.mark.parametrize("ask", [_ask, _ask_async])
@pytest.mark.parametrize(("sent", "header", "words"), UNREADABLE)
def test_an_answer_that_no_client_can_read_is_an_error_with_the_fault_of_its_framing_or_encoding(
    server: _Server, library: Any, ask: Any, sent: bytes, header: str, words: str
) -> None:
    hook = ResponseHook()
    server.answers = [answer_with_bytes(sent, header)]
    with suppress(library.RemoteProtocolError, library.DecodingError):  # it raises these, or gives its user the bytes
        ask(library, hook, f"{server.url}{PATH}")
    [finding] = [one for one in hook.answers[0].result.failing() if one.rule != "stream-refused"]
    assert words in finding.message
    assert hook.answers[0].result.skipped == ()


@CLIENTS
def test_an_answer_that_its_client_gave_up_waiting_for_is_no_fault_of_the_server(library: Any) -> None:
    class Waiting(library.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            yield CHUNKS[0]
            raise library.ReadTimeout("timed out")

    hook = ResponseHook()
    headers = {"content-type": "text/event-stream"}
    transport = library.MockTransport(lambda request: library.Response(200, headers=headers, stream=Waiting()))
    with (
        library.Client(transport=transport, event_hooks={"response": [hook]}) as client,
        pytest.raises(library.ReadTimeout),
    ):
        client.post(f"https://example.test{PATH}", json=STREAM_REQUEST)
    (answer,) = hook.answers
    assert (answer.result.findings, answer.result.exchanges) == ((), 1)


@CLIENTS
def test_answers_of_a_mock_transport_are_checked(library: Any) -> None:
    received: list[Answer] = []
    hook = ResponseHook(each=received.append, ignore="wrong-type")
    transport = library.MockTransport(lambda request: library.Response(200, json=BAD))
    with library.Client(transport=transport, event_hooks={"response": [hook]}) as client:
        url = f"https://example.test/openai/deployments/d/chat/completions?api-key={'k' * 20}"
        assert client.post(url, json=REQUEST).json() == BAD
    assert received == hook.answers
    assert received[0].url == "https://example.test/openai/deployments/d/chat/completions"
    assert hook.failing() == ()


def test_an_answer_with_status_400_and_an_answer_to_an_empty_body_are_judged(server: _Server) -> None:
    error = {"error": {"message": "No", "type": "invalid_request_error", "param": None, "code": None}}
    server.answers = [answer_with(error, 400), answer_with(GOOD)]
    hook = ResponseHook()
    with httpx.Client(event_hooks={"response": [hook]}) as client:
        client.post(server.url + PATH, json=REQUEST)
        client.post(server.url + PATH)
    assert [(answer.status, answer.result.exchanges) for answer in hook.answers] == [(400, 1), (200, 1)]
    assert hook.findings == ()


def test_unknown_dialect_is_refused_when_the_hook_is_made() -> None:
    with pytest.raises(ValueError, match="no dialect is called 'grokk'; did you mean 'grok'"):
        ResponseHook(dialect="grokk")


def test_excerpt_of_a_finding_shows_no_values(server: _Server) -> None:
    hook = ResponseHook()
    server.answers = [answer_with(BAD)]
    ask_openai_client(server, hook)
    result = hook.answers[0].result
    excerpt = result.excerpt(result.findings[0])
    assert excerpt is not None
    assert excerpt.text[excerpt.start : excerpt.end].startswith('"created"')
    assert "17600" not in excerpt.text
