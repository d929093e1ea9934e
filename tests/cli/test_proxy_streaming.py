"""Tests of what is kept of a streamed answer that passes through mitmproxy. They do not need mitmproxy itself."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from isogloss.cli.proxy import streaming
from isogloss.validator.captures.flows import read_flow
from isogloss.validator.captures.limits import Budget, TooLarge
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.text import Text


def _make_flow(
    content_type: str = "text/event-stream", body: bytes | None = None, error: str | None = None, status: int = 200
) -> Any:
    request = SimpleNamespace(
        pretty_url="https://h.example/v1/chat/completions",
        method="POST",
        headers={},
        raw_content=b'{"messages": [], "stream": true}',
        http_version="HTTP/1.1",
    )
    response = SimpleNamespace(
        headers={"content-type": content_type},
        stream=False,
        raw_content=body,
        status_code=status,
        http_version="HTTP/1.1",
    )
    failure = None if error is None else SimpleNamespace(msg=error)
    return SimpleNamespace(id="1", request=request, response=response, error=failure)


def _read(flow: Any) -> Exchange | Skipped:
    def body_of(message: Any) -> Text | None:
        return None if message.raw_content is None else Text(message.raw_content)

    return read_flow(flow, "flow", 0, Text(b""), body_of, Budget())


@pytest.mark.parametrize(
    ("content_type", "is_passed_on"),
    [("Text/Event-Stream", True), ("text/plain", True), ("", True), ("application/json; charset=utf-8", False)],
)
def test_a_stream_that_was_asked_for_is_passed_on_also_with_a_wrong_content_type(
    content_type: str, is_passed_on: bool
) -> None:
    flow = _make_flow(content_type)
    streaming.Bodies().watch(flow)
    assert callable(flow.response.stream) is is_passed_on


LEFT = pytest.mark.parametrize("error", ["Client disconnected.", "Connection killed."])


@LEFT
def test_an_answer_whose_client_left_before_anything_came_is_skipped(error: str) -> None:
    read = _read(_make_flow(body=None, error=error))
    assert isinstance(read, Skipped)
    assert read.reason == "the client closed the connection, and nothing of the answer was kept"


@LEFT
def test_the_part_of_an_answer_that_came_before_the_client_left_is_read(error: str) -> None:
    read = _read(_make_flow(body=b'data: {"choices": []}\n\n', error=error))
    assert isinstance(read, Exchange)
    assert (read.http.left, read.http.broken) == (True, False)


def test_a_stream_whose_last_event_came_is_complete_when_the_client_closes_the_connection() -> None:
    read = _read(_make_flow(body=b'data: {"choices": []}\n\ndata: [DONE]\n\n', error="Client disconnected."))
    assert isinstance(read, Exchange)
    assert not read.http.broken


@pytest.mark.parametrize("body", [None, b'data: {"choices": []}\n\n'])
def test_an_answer_that_the_server_did_not_end_is_broken(body: bytes | None) -> None:
    read = _read(_make_flow(body=body, error="HTTP/1 protocol error: peer closed connection"))
    assert isinstance(read, Exchange)
    assert read.http.broken


@pytest.mark.parametrize(("status", "body"), [(307, b""), (302, b"<html>Moved</html>")])
def test_a_redirect_is_no_answer(status: int, body: bytes) -> None:
    read = _read(_make_flow("text/html", body, status=status))
    assert isinstance(read, Skipped)
    assert read.reason == f"redirected with status {status}: another URL answers"


@pytest.mark.parametrize("status", [100, 103])
def test_an_interim_status_is_no_answer(status: int) -> None:
    read = _read(_make_flow("", b"", status=status))
    assert isinstance(read, Skipped)
    assert read.reason == f"status {status} is only the beginning: the answer follows it"


def test_an_answer_that_is_replayed_is_there_already_and_stays_as_it_is() -> None:
    bodies, flow = streaming.Bodies(), _make_flow(body=b"data: [DONE]\n\n")
    bodies.watch(flow)
    assert flow.response.stream is False
    assert bodies.take(flow) == b"data: [DONE]\n\n"


def test_all_parts_of_a_stream_are_passed_on_and_kept() -> None:
    bodies, flow = streaming.Bodies(), _make_flow()
    bodies.watch(flow)
    assert [flow.response.stream(part) for part in (b"data: 1\n\n", b"data: [DONE]\n\n")] == [
        b"data: 1\n\n",
        b"data: [DONE]\n\n",
    ]
    assert bodies.take(flow) == b"data: 1\n\ndata: [DONE]\n\n"


def test_a_stream_that_is_too_large_is_passed_on_and_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "LARGEST_DOCUMENT", 8)
    bodies, flow = streaming.Bodies(), _make_flow()
    bodies.watch(flow)
    assert [flow.response.stream(part) for part in (b"12345", b"67890", b"1")] == [b"12345", b"67890", b"1"]
    with pytest.raises(TooLarge):
        bodies.take(flow)
    bodies.watch(next_flow := _make_flow())
    next_flow.response.stream(b"12345")
    assert bodies.take(next_flow) == b"12345"
