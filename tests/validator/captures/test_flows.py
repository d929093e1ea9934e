"""Test flows of mitmproxy that ended with an error: who broke the answer off decides what is said about the server."""

from __future__ import annotations

import gzip
import json
from types import SimpleNamespace

import pytest
from reading import findings_of_exchange

from isogloss.validator.captures.flows import FlowMessage, read_flow
from isogloss.validator.captures.limits import Budget
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.http_faults import fault_in
from isogloss.validator.text import Text

CHUNK = {
    "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m",
    "choices": [{"index": 0, "delta": {"role": "assistant", "content": "a"}, "logprobs": None, "finish_reason": None}],
}  # fmt: skip


def ended_by(
    message: str | None,
    to_client: str = "HTTP/1.1",
    to_server: str = "HTTP/1.1",
    *,
    connected: bool = False,
    ends: tuple[float | None, float | None] = (None, None),
    encoding: str | None = None,
    body: bytes = f"data: {json.dumps(CHUNK)}\n\n".encode(),
) -> Exchange | Skipped:
    """Return the exchange of a flow with a stream, which has one chunk by default, and that ended with an error.

    Client and server speak these versions of HTTP. ``connected`` says that the client is still there, and ``ends`` when
    the connections to client and server ended, as far as it was noted.
    """
    request = SimpleNamespace(
        method="POST",
        pretty_url="https://h.example/v1/chat/completions",
        http_version=to_client,
        headers={},
        raw_content=b'{"model": "m", "stream": true, "messages": [{"role": "user", "content": "Hi"}]}',
    )
    headers = {"content-type": "text/event-stream"} | ({"content-encoding": encoding} if encoding else {})
    response = SimpleNamespace(status_code=200, headers=headers, raw_content=body, http_version=to_server)
    error = None if message is None else SimpleNamespace(msg=message)
    client, server = (SimpleNamespace(connected=connected, timestamp_end=end) for end in ends)
    flow = SimpleNamespace(request=request, response=response, error=error, client_conn=client, server_conn=server)

    def body_of(message: FlowMessage) -> Text:
        return Text(message.raw_content or b"")

    return read_flow(flow, "flow", 0, Text(body), body_of, Budget())


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (None, {"finish-reason-missing"}),
        ("server closed connection", {"connection-broken"}),
        ("HTTP/1 protocol error: peer closed connection without sending complete message body", {"connection-broken"}),
    ],
)
def test_a_stream_that_the_server_breaks_off_has_one_cause(message: str | None, expected: set[str]) -> None:
    exchange = ended_by(message)
    assert isinstance(exchange, Exchange)
    assert {finding.rule for finding in findings_of_exchange(exchange)} == expected


@pytest.mark.parametrize(
    ("message", "to_client", "to_server", "ending"),
    [
        ("peer closed connection", "HTTP/2.0", "HTTP/1.1", "left"),
        ("peer closed connection", "HTTP/1.1", "HTTP/2.0", "broken"),
        ("peer closed connection", "HTTP/2.0", "HTTP/2.0", "left"),
        ("stream reset by client (CANCEL)", "HTTP/2.0", "HTTP/1.1", "left"),
        ("stream reset by client (CANCEL)", "HTTP/1.1", "HTTP/2.0", "broken"),
        ("stream reset by client (CANCEL)", "HTTP/2.0", "HTTP/2.0", "left"),
        ("stream reset by client (INTERNAL_ERROR)", "HTTP/2.0", "HTTP/2.0", "broken"),
        ("stream closed by client (H3_REQUEST_CANCELLED)", "HTTP/3", "HTTP/2.0", "left"),
        ("HTTP/2 protocol error: Invalid input", "HTTP/1.1", "HTTP/2.0", "broken"),
    ],
)
def test_the_versions_of_http_say_which_side_ended_a_stream(
    message: str, to_client: str, to_server: str, ending: str
) -> None:
    exchange = ended_by(message, to_client, to_server)
    assert isinstance(exchange, Exchange)
    assert [how for how in ("left", "broken") if getattr(exchange.http, how)] == [ending]


@pytest.mark.parametrize(("connected", "ending"), [(True, "broken"), (False, "left")])
@pytest.mark.parametrize("message", ["peer closed connection", "HTTP/2 connection closed: <ConnectionTerminated>"])
def test_a_closed_connection_is_that_of_the_server_while_the_client_is_connected(
    message: str, connected: bool, ending: str
) -> None:
    exchange = ended_by(message, "HTTP/2.0", "HTTP/2.0", connected=connected)
    assert isinstance(exchange, Exchange)
    assert [how for how in ("left", "broken") if getattr(exchange.http, how)] == [ending]


@pytest.mark.parametrize(
    ("ends", "ending"), [((None, 2.0), "broken"), ((3.0, 2.0), "broken"), ((1.0, 2.0), "left"), ((1.0, None), "left")]
)
def test_in_a_file_the_connection_that_ended_first_says_who_broke_a_stream_off(
    ends: tuple[float | None, float | None], ending: str
) -> None:
    exchange = ended_by("peer closed connection", "HTTP/2.0", "HTTP/2.0", ends=ends)
    assert isinstance(exchange, Exchange)
    assert [how for how in ("left", "broken") if getattr(exchange.http, how)] == [ending]


@pytest.mark.parametrize("message", ["Client disconnected.", "Connection killed."])
def test_the_part_that_came_before_the_client_left_is_judged_and_nothing_is_missing_in_it(message: str) -> None:
    exchange = ended_by(message)
    assert isinstance(exchange, Exchange)
    assert (exchange.http.left, exchange.http.broken) == (True, False)
    assert findings_of_exchange(exchange) == []


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (
            "HTTP/1 protocol error: illegal chunk header: bytearray(b'zz')",
            "a chunk has no size, or its size is no number",
        ),
        (
            "Received message with both transfer-encoding and content-length headers from server, refusing to prevent",
            "it has both Transfer-Encoding and Content-Length",
        ),
        ("Received invalid header name: b'A ' from server, refusing to prevent", "a line of its headers is malformed"),
    ],
)
def test_a_fault_of_the_framing_is_named_in_own_words(message: str, words: str) -> None:
    exchange = ended_by(message)
    assert isinstance(exchange, Exchange)
    [finding] = findings_of_exchange(exchange)
    assert (finding.rule, finding.message) == ("connection-broken", f"the body cannot be read to its end: {words}")


@pytest.mark.parametrize(
    ("encoding", "body", "words"),
    [
        ("gzip", b"data: [DONE]\n\n", "it is not encoded as its Content-Encoding says"),
        ("gzip", b"\x1f\x8b\x08" + b"\0" * 20, "it is not encoded as its Content-Encoding says"),
        (None, gzip.compress(b"data: [DONE]\n\n", mtime=0), "it is compressed with gzip, and has no Content-Encoding"),
    ],
)
def test_a_body_that_no_client_can_decode_is_an_error(encoding: str | None, body: bytes, words: str) -> None:
    exchange = ended_by(None, encoding=encoding, body=body)
    assert isinstance(exchange, Exchange)
    [finding] = findings_of_exchange(exchange)
    assert finding.rule == "body-undecodable"
    assert words in finding.message


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("Cannot parse HTTP response: Bad HTTP response line: b'x'", "it does not begin with a status line"),
        ("Cannot parse HTTP response: Invalid header line: b'x'", "a line of its headers is malformed"),
        ("Cannot parse HTTP response: invalid content-length header: 'x'", "its Content-Length is no valid length"),
        (
            "Cannot parse HTTP response: invalid content-length header: '1, 2'",
            "it says several lengths in Content-Length",
        ),
        ("unexpected server response: b'x'", "it is no HTTP, or its headers do not end"),
        ("Received invalid header name: b'A ' from client, refusing to prevent", None),
        ("server closed connection", None),
    ],
)
def test_what_mitmproxy_says_of_an_answer_is_said_in_own_words(message: str, words: str | None) -> None:
    assert fault_in(message) == words
