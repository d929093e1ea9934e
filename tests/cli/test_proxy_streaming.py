"""Tests of what is kept of a streamed answer that passes through mitmproxy. They do not need mitmproxy itself."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from isogloss.cli.proxy import streaming
from isogloss.validator.captures.capture import TooLarge


def _make_flow() -> Any:
    request = SimpleNamespace(
        pretty_url="https://h.example/v1/chat/completions", method="POST", raw_content=b'{"messages": []}'
    )
    response = SimpleNamespace(headers={"content-type": "text/event-stream"}, stream=False, raw_content=b"")
    return SimpleNamespace(id="1", request=request, response=response)


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
