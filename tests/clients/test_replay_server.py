"""Tests of the replay server: it sends each body byte for byte, in the pieces that it was given."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from replay_server import ReplayServer, Reply, split_events

PIECES = st.lists(st.binary(min_size=1, max_size=60), max_size=8)
REQUEST = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}


@pytest.fixture(scope="module")
def server() -> Iterator[ReplayServer]:
    with ReplayServer() as replay_server:
        yield replay_server


class HttpResponse(NamedTuple):
    status: int
    content_type: str | None
    body: bytes


def _send(base_url: str, method: str, path: str, body: object = None) -> HttpResponse:
    parts = urlsplit(base_url)
    with closing(http.client.HTTPConnection(str(parts.hostname), parts.port)) as connection:
        connection.request(method, parts.path + path, json.dumps(body))
        response = connection.getresponse()
        return HttpResponse(response.status, response.headers["content-type"], response.read())


def _send_request(base_url: str, request: object = REQUEST) -> HttpResponse:
    return _send(base_url, "POST", "/chat/completions", request)


def _read_http_chunks(base_url: str) -> tuple[list[bytes], bool]:
    """Return the chunks of HTTP's chunked coding as they were sent, and whether the chunk that ends a body came."""
    parts = urlsplit(base_url)
    body = json.dumps(REQUEST).encode()
    head = f"POST {parts.path}/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: {len(body)}\r\n\r\n"
    with socket.create_connection((str(parts.hostname), parts.port)) as connection:
        connection.sendall(head.encode() + body)
        with connection.makefile("rb") as response:
            while response.readline().strip():
                pass
            chunks = []
            while size := response.readline():
                chunk = response.read(int(size, 16))
                response.readline()
                if not chunk:
                    return chunks, True
                chunks.append(chunk)
            return chunks, False


@given(pieces=PIECES)
def test_any_body_arrives_byte_for_byte_in_the_given_pieces(server: ReplayServer, pieces: Sequence[bytes]) -> None:
    url = server.register("pieces", Reply(pieces=pieces))
    assert _read_http_chunks(url) == (list(pieces), True)
    assert _send_request(url).body == b"".join(pieces)


def test_status_and_content_type_are_those_of_the_reply(server: ReplayServer) -> None:
    response = _send_request(server.register("status", Reply(pieces=[b"{}"], status=429, content_type="text/plain")))
    assert response == (429, "text/plain", b"{}")


def test_a_broken_reply_closes_the_connection_before_the_body_ends(server: ReplayServer) -> None:
    url = server.register("broken", Reply(pieces=[b"half"], broken=True))
    assert _read_http_chunks(url) == ([b"half"], False)


def test_a_request_with_more_messages_gets_the_closing_reply_for_its_mode(server: ReplayServer) -> None:
    closing_replies = {False: Reply(pieces=[b"closing"]), True: Reply(pieces=[b"closing stream"])}
    url = server.register("agent", Reply(pieces=[b"calls"]), closing_replies)
    continued = {**REQUEST, "messages": [*REQUEST["messages"], {"role": "tool", "content": "done"}]}
    assert _send_request(url).body == b"calls"
    assert _send_request(url).body == b"calls"
    assert _send_request(url, continued).body == b"closing"
    assert _send_request(url, {**continued, "stream": True}).body == b"closing stream"


def test_unregistering_a_token_returns_its_requests_and_removes_it(server: ReplayServer) -> None:
    url = server.register("once", Reply(pieces=[b"{}"]))
    _send_request(url)
    assert server.unregister("once") == [REQUEST]
    assert _send_request(url).status == 404


def test_a_token_answers_twelve_requests_and_then_gives_errors(server: ReplayServer) -> None:
    url = server.register("again", Reply(pieces=[b"{}"]))
    assert [_send_request(url).status for _ in range(13)] == [200] * 12 + [404]


def test_models_are_listed_under_every_token(server: ReplayServer) -> None:
    response = _send(server.register("models", Reply(pieces=[])), "GET", "/models")
    assert [model["object"] for model in json.loads(response.body)["data"]] == ["model"]


@given(
    lines=st.lists(st.sampled_from([b"data: a", b"data: b", b"", b": c", b"data: \xff"]), max_size=12),
    end=st.sampled_from([b"\n", b"\r\n", b"\r"]),
)
def test_events_joined_are_the_stream_and_all_but_the_last_end_with_a_blank_line(
    lines: list[bytes], end: bytes
) -> None:
    body = b"".join(line + end for line in lines)
    events = split_events(body)
    assert b"".join(events) == body
    assert all(event == end or event.endswith(end + end) for event in events[:-1])
