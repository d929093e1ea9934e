"""Tests of logs of Chromium's network stack."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from payloads import COMPLETION, EVENTS
from reading import exchange_in, read_all, values_of

from isogloss.validator.exchange import Exchange, Skipped, Stream

_TYPES = {
    "FAILED": 1,
    "REQUEST_ALIVE": 2,
    "URL_REQUEST_START_JOB": 124,
    "URL_REQUEST_JOB_FILTERED_BYTES_READ": 131,
    "HTTP_TRANSACTION_READ_RESPONSE_HEADERS": 182,
    "SSL_SOCKET_BYTES_RECEIVED": 70,
}
_URL = "https://api.example.com/v1/chat/completions"


def _event(name: str, source: int, **params: Any) -> dict[str, Any]:
    return {"type": _TYPES[name], "source": {"id": source, "type": 1}, "time": "1", "phase": 0, "params": params}


def _request(body: str, source: int = 7, status: int = 200, url: str = _URL) -> list[dict[str, Any]]:
    """Return the events of one request, whose answer came in two pieces, and was read in two others."""
    data = body.encode()
    content_type = "text/event-stream" if body.startswith("data:") else "application/json"
    headers = [f"HTTP/1.1 {status} OK", f"Content-Type: {content_type}"]
    return [
        _event("URL_REQUEST_START_JOB", source, method="POST", url=url),
        _event("SSL_SOCKET_BYTES_RECEIVED", source + 1, bytes=base64.b64encode(data[:150]).decode()),
        _event("SSL_SOCKET_BYTES_RECEIVED", source + 1, bytes=base64.b64encode(data[150:]).decode()),
        _event("HTTP_TRANSACTION_READ_RESPONSE_HEADERS", source, headers=headers),
        _event("URL_REQUEST_JOB_FILTERED_BYTES_READ", source, bytes=base64.b64encode(data[:100]).decode()),
        _event("URL_REQUEST_JOB_FILTERED_BYTES_READ", source, bytes=base64.b64encode(data[100:]).decode()),
        _event("REQUEST_ALIVE", source),
    ]


def _log(events: list[Any]) -> dict[str, Any]:
    return {"constants": {"logEventTypes": _TYPES, "netError": {"ERR_CONNECTION_RESET": -101}}, "events": events}


def test_each_answer_is_read_once_and_whole() -> None:
    one, other = _request(json.dumps(COMPLETION)), _request(EVENTS, 20)
    turns = [event for pair in zip(one, other, strict=True) for event in pair]
    whole, stream = (part for part in read_all(_log(turns)) if isinstance(part, Exchange))
    assert values_of(whole)[1] == COMPLETION
    assert isinstance(stream.response, Stream)
    assert stream.response.text.data == EVENTS.encode()
    for exchange in (whole, stream):
        assert (exchange.http.status, exchange.host, exchange.path) == (200, "api.example.com", "/v1/chat/completions")


def test_an_answer_during_which_the_connection_broke_is_broken() -> None:
    events = _request(EVENTS[:300])
    events.insert(-1, _event("FAILED", 7, net_error=-101))
    assert exchange_in(_log(events)).http.broken


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        (_request(EVENTS)[:-1], "the log ends before the answer does"),
        ([one for one in _request(EVENTS) if "bytes" not in one["params"]], "--net-log-capture-mode=Everything"),
        (_request("{}", url="https://api.example.com/v1/embeddings"), "Embeddings"),
    ],
    ids=["cut off", "without bytes", "another API"],
)
def test_what_is_not_read_has_its_reason(events: list[Any], reason: str) -> None:
    [skipped] = read_all(_log(events))
    assert isinstance(skipped, Skipped)
    assert reason in skipped.reason


def test_events_of_other_types_than_those_of_chromium_are_no_requests() -> None:
    odd: list[Any] = [None, {"type": []}, {"type": 124, "source": {"id": {}}, "params": {"url": 1}}]
    assert exchange_in(_log([*odd, *_request(EVENTS)])).response is not None
