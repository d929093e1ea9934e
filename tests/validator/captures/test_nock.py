"""Tests of definitions of nock: what is read of them."""

from __future__ import annotations

import gzip
import json
from typing import Any

import brotli
import pytest
from payloads import COMPLETION, EVENTS, REQUEST
from reading import exchange_in, read_all

from isogloss.validator.exchange import Exchange, Payload, Skipped

NOCK: dict[str, Any] = {"scope": "https://api.example.com:443", "method": "POST", "path": "/v1/chat/completions",
                        "body": REQUEST, "status": 200}  # fmt: skip
_BROTLI = brotli.compress(json.dumps(COMPLETION).encode())
COMPRESSED = gzip.compress(json.dumps(COMPLETION).encode(), mtime=0).hex()


@pytest.mark.parametrize(
    "response",
    [COMPLETION, json.dumps(COMPLETION), [COMPRESSED], [COMPRESSED[:40], COMPRESSED[40:]], COMPRESSED],
    ids=["object", "text", "hexadecimal in an array", "parts", "hexadecimal"],
)
@pytest.mark.parametrize(
    "properties",
    [
        {"rawHeaders": ["Content-Type", "application/json", "Content-Encoding", "gzip"]},
        {"headers": {"content-type": "application/json", "content-encoding": "gzip"}, "delay": 200},
        {"rawHeaders": {"content-type": ["application/json"]}, "reqheaders": {"content-encoding": "br"}},
        {"headers": [], "responseIsBinary": True},
        {},
    ],
)
def test_a_nock_definition_has_a_request_and_a_response(response: Any, properties: dict[str, Any]) -> None:
    for definition in (NOCK, {name: value for name, value in NOCK.items() if name != "scope"}):
        exchange = exchange_in([definition | {"response": response} | properties])
        assert exchange.request is not None
        assert exchange.request.value == REQUEST
        assert exchange.path == "/v1/chat/completions"
        assert isinstance(exchange.response, Payload)
        assert exchange.response.value == COMPLETION
        assert exchange.http.status == 200


def test_a_body_in_another_compression_is_hexadecimal_if_a_header_names_it() -> None:
    pieces = [piece.hex() for piece in (_BROTLI[:20], _BROTLI[20:])]
    exchange = exchange_in([NOCK | {"response": pieces, "headers": {"content-encoding": "br"}}])
    assert isinstance(exchange.response, Payload)
    assert exchange.response.value == COMPLETION


def test_an_object_in_a_nock_definition_is_the_body_whatever_is_in_it() -> None:
    body = {"status": 400, "headers": {"x": "y"}, "body": "No"}
    (exchange,) = read_all([NOCK | {"response": body, "status": 400}])
    assert isinstance(exchange, Exchange)
    assert isinstance(exchange.response, Payload)
    assert exchange.response.value == body


def test_nock_definitions_of_several_servers_are_read_from_one_file() -> None:
    other = NOCK | {"scope": "http://localhost:8000", "response": EVENTS}
    parts = read_all({"a test": [NOCK | {"response": COMPLETION}, other, NOCK | {"method": "GET", "response": {}}]})
    assert [part.host if isinstance(part, Exchange) else part.reason for part in parts] == [
        "api.example.com",
        "localhost",
        "not Chat Completions: GET /v1/chat/completions",
    ]


@pytest.mark.parametrize(
    ("properties", "is_read"),
    [
        ({"status": 200}, False),
        ({"status": 503}, True),
        ({"status": 200, "content_type": "text/plain"}, True),
        ({"status": 200, "response": "<html>"}, True),
        ({"status": 200, "scope": "https://h:443"}, True),
    ],
)
def test_words_in_place_of_the_answer_are_no_body_in_a_log_of_requests(
    properties: dict[str, Any], is_read: bool
) -> None:
    logged = {"ts": "2026-01-01", "method": "POST", "path": "/v1/chat/completions", "prompt": "Hi", "response": "Ho"}
    (found,) = read_all([logged | properties])
    assert isinstance(found, Exchange) == is_read
    if isinstance(found, Skipped):
        assert found.reason == "the log keeps only the text of the answer"
