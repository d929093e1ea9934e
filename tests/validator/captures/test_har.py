"""Tests of HTTP Archives: bodies, headers, and answers that did not come to their end."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from reading import bodies_in, read_all

from isogloss.validator.exchange import Exchange, Skipped

URL = "https://api.example.com/v1/chat/completions"
ERROR = '{"error": {"message": "no", "type": "t", "param": null, "code": null}}'
EVENTS = 'data: {"id":"c","choices":[]}\n\ndata: [DONE]\n\n'


def test_hexadecimal_bodies_of_older_polly_versions_are_read() -> None:
    content = {"_isBinary": True, "text": json.dumps([gzip.compress(ERROR.encode()).hex()])}
    entry = {"request": {"method": "POST", "url": URL}, "response": {"status": 400, "content": content}}
    assert bodies_in(json.dumps({"log": {"entries": [entry]}})) == [ERROR]
    content["text"] = "[1]"
    assert bodies_in(json.dumps({"log": {"entries": [entry]}})) == [
        "a body that is neither base64 nor an array of chunks"
    ]


def test_a_har_entry_without_a_response_has_only_a_request() -> None:
    entry = {
        "request": {"method": "POST", "url": URL, "postData": {"text": '{"model": "m", "messages": []}'}},
        "response": {"status": 0, "content": {"size": 0}},
    }
    exchange, without_body = read_all(json.dumps({"log": {"entries": [entry]}}))
    assert isinstance(exchange, Exchange)
    assert exchange.request is not None
    assert exchange.response is None
    assert isinstance(without_body, Skipped)


@pytest.mark.parametrize(
    ("headers", "content", "content_type", "body"),
    [
        ({"content-length": "9"}, {"mimeType": "text/plain", "text": ERROR}, None, ERROR),
        ({}, {"mimeType": "application/json", "text": ERROR}, "application/json", ERROR),
        ({"content-length": "0"}, {"mimeType": "text/plain", "size": 0}, None, ""),
    ],
)
def test_the_headers_in_a_har_say_more_than_what_describes_the_content(
    headers: dict[str, str], content: dict[str, Any], content_type: str | None, body: str
) -> None:
    entry = {
        "request": {"method": "POST", "url": URL, "postData": {"text": '{"model": "m", "messages": []}'}},
        "response": {
            "status": 400,
            "headers": [{"name": name, "value": value} for name, value in headers.items()],
            "content": content,
        },
    }
    [exchange] = read_all(json.dumps({"log": {"entries": [entry]}}))
    assert isinstance(exchange, Exchange)
    assert exchange.http.content_type == content_type
    assert exchange.response is not None
    assert exchange.response.text.data.decode() == body


def test_a_har_says_which_answers_have_no_body() -> None:
    def entry(content: dict[str, Any]) -> dict[str, Any]:
        request = {"method": "POST", "url": URL, "postData": {"text": '{"model": "m", "messages": []}'}}
        return {"request": request, "response": {"status": 200, "content": content}}

    whole, empty = entry({"text": ERROR}), entry({"size": 7})
    *exchanges, without_body = read_all(json.dumps({"log": {"entries": [whole, empty, whole, *[empty] * 11]}}))
    assert len(exchanges) == 14
    assert isinstance(without_body, Skipped)
    assert without_body.parts == 12
    assert "of the exchanges 1, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 2 more, counted from 0" in without_body.reason
    assert all(isinstance(part, Exchange) for part in read_all(json.dumps({"log": {"entries": [whole]}})))
    in_yaml = read_all(f"log:\n  entries:\n    - {json.dumps(empty)}\n", "recording.har.yaml")
    assert isinstance(in_yaml[-1], Skipped)
    assert "of the exchanges 0, counted from 0" in in_yaml[-1].reason


@pytest.mark.parametrize("name", ["_error", "_failureText"])
@pytest.mark.parametrize(
    ("failure", "body", "expected"),
    [
        ("net::ERR_ABORTED", EVENTS[:20], "left"),
        ("net::ERR_ABORTED", EVENTS, ""),
        ("NS_BINDING_ABORTED", "", "the client closed the connection, and nothing of the answer was kept"),
        ("net::ERR_INCOMPLETE_CHUNKED_ENCODING", EVENTS[:20], "broken"),
        ("net::ERR_CACHE_MISS", EVENTS, ""),
    ],
)
def test_a_har_entry_says_whether_the_client_left_or_the_connection_broke(
    name: str, failure: str, body: str, expected: str
) -> None:
    content = {"mimeType": "text/event-stream", "text": body}
    entry = {
        "request": {"method": "POST", "url": URL, "postData": {"text": '{"model": "m", "messages": []}'}},
        "response": {"status": 200, "content": content, name: failure},
    }
    (part,) = read_all(json.dumps({"log": {"entries": [entry]}}))
    if isinstance(part, Skipped):
        assert part.reason == expected
    else:
        assert [how for how in ("left", "broken") if getattr(part.http, how)] == expected.split()


def test_a_har_entry_that_cannot_be_read_is_skipped_with_its_number() -> None:
    request = {"method": "POST", "url": URL, "postData": {"text": '{"model": "m", "messages": []}'}}
    contents = [{"text": ERROR}, {"text": "abcde", "encoding": "base64"}, {"text": ERROR}]
    entries = [{"request": request, "response": {"status": 400, "content": content}} for content in contents]
    found = read_all(json.dumps({"log": {"entries": entries}}))
    assert [(type(one), one.number) for one in found] == [(Exchange, 0), (Skipped, 1), (Exchange, 2)]
