"""Test flows of mitmproxy that ended with an error: who broke the answer off decides what is said about the server."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from isogloss.validator import engines
from isogloss.validator.captures.capture import Budget
from isogloss.validator.captures.flows import FlowMessage, read_flow
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.judging.judge import Judge
from isogloss.validator.text import Text

CHUNK = {
    "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m",
    "choices": [{"index": 0, "delta": {"role": "assistant", "content": "a"}, "logprobs": None, "finish_reason": None}],
}  # fmt: skip


def ended_by(message: str | None) -> Exchange | Skipped:
    """Return the exchange of a flow whose stream has one chunk, and that ended with an error."""
    request = SimpleNamespace(
        method="POST",
        pretty_url="https://h.example/v1/chat/completions",
        headers={},
        raw_content=b'{"model": "m", "stream": true, "messages": [{"role": "user", "content": "Hi"}]}',
    )
    body = f"data: {json.dumps(CHUNK)}\n\n".encode()
    response = SimpleNamespace(status_code=200, headers={"content-type": "text/event-stream"}, raw_content=body)
    error = None if message is None else SimpleNamespace(msg=message)
    flow = SimpleNamespace(request=request, response=response, error=error)

    def body_of(message: FlowMessage) -> Text:
        return Text(message.raw_content or b"")

    return read_flow(flow, "flow", 0, Text(body), body_of, Budget())


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (None, {"done-missing", "finish-reason-missing"}),
        ("server closed connection", {"connection-broken"}),
        ("HTTP/1 protocol error: peer closed connection without sending complete message body", {"connection-broken"}),
    ],
)
def test_a_stream_that_the_server_breaks_off_has_one_cause(message: str | None, expected: set[str]) -> None:
    exchange = ended_by(message)
    assert isinstance(exchange, Exchange)
    assert {finding.rule for finding in Judge(engines.load()).judge(exchange).findings} == expected


@pytest.mark.parametrize("message", ["Client disconnected.", "stream reset by client (CANCEL)", "Connection killed."])
def test_the_part_that_came_before_the_client_left_is_judged_and_nothing_is_missing_in_it(message: str) -> None:
    exchange = ended_by(message)
    assert isinstance(exchange, Exchange)
    assert (exchange.http.left, exchange.http.broken) == (True, False)
    assert Judge(engines.load()).judge(exchange).findings == []
