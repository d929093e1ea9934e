"""Tests of what mock servers keep: matchers in place of requests, patterns of paths, templates and routes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from payloads import COMPLETION, ERROR, REQUEST, pair_of
from reading import exchange_in, read_all, values_of

from isogloss.validator.exchange import Exchange, Skipped

MATCHERS: dict[str, tuple[Any, bool]] = {
    "Hoverfly's for the whole": ([{"matcher": "exact", "value": json.dumps(REQUEST)}], True),
    "Hoverfly's for JSON": ([{"matcher": "json", "value": json.dumps(REQUEST)}], True),
    "Hoverfly's of old": ({"exactMatch": json.dumps(REQUEST)}, True),
    "Hoverfly's for a part": ([{"matcher": "jsonPartial", "value": '{"model": "m"}'}], False),
    "Hoverfly's for a pattern": ([{"matcher": "glob", "value": "*"}], False),
    "Hoverfly's for a pattern of old": ({"regexMatch": ".*"}, False),
    "MockServer's for JSON": ({"type": "JSON", "json": REQUEST}, True),
    "MockServer's as recorded": ({"type": "JSON", "json": REQUEST, "contentType": "x", "rawBytes": "e30="}, True),
    "MockServer's as text": ({"type": "JSON", "json": json.dumps(REQUEST)}, True),
    "MockServer's for all of it": ({"type": "JSON", "json": REQUEST, "matchType": "STRICT"}, True),
    "MockServer's for a part": ({"type": "JSON", "json": REQUEST, "matchType": "ONLY_MATCHING_FIELDS"}, False),
    "MockServer's for what is no request": ({"type": "JSON", "json": {"model": "m"}}, False),
    "MockServer's for a part of a text": ({"type": "STRING", "string": "m", "subString": True}, False),
    "MockServer's for anything else": ({"type": "STRING", "string": json.dumps(REQUEST), "not": True}, False),
    "WireMock.Net's for the whole": ({"Matcher": {"Name": "JsonMatcher", "Pattern": json.dumps(REQUEST)}}, True),
    "WireMock.Net's for a part": ({"Matcher": {"Name": "JsonPartialMatcher", "Pattern": {"model": "m"}}}, False),
    "WireMock.Net's for patterns": ({"Matchers": [{"Name": "JmesPathMatcher", "Pattern": "model == 'm'"}]}, False),
    "MockServer's for a pattern": ({"type": "REGEX", "regex": ".*"}, False),
    "MockServer's for a place": ({"type": "JSON_PATH", "jsonPath": "$.model"}, False),
}


@pytest.mark.parametrize("name", MATCHERS)
def test_a_request_is_read_only_from_matchers_of_a_whole_body(name: str) -> None:
    body, is_whole = MATCHERS[name]
    for response in ({"status": 200, "body": COMPLETION}, {"status": 400, "body": ERROR}):
        asked, _ = values_of(exchange_in(pair_of(response, body=body)))
        assert asked == (REQUEST if is_whole else None)


def test_a_path_pattern_gives_no_path_and_a_template_is_skipped() -> None:
    path = [{"matcher": "glob", "value": "*/chat/completions"}]
    pair = {"request": {"method": "POST", "path": path}, "response": {"status": 200, "body": COMPLETION}}
    assert exchange_in(pair).path is None
    (skipped,) = read_all(pair_of({"status": 200, "body": "{{ Request.Body }}", "templated": True}))
    assert isinstance(skipped, Skipped)
    assert skipped.reason == "a body that is a template"


def test_a_mockoon_route_gives_an_exchange_for_each_response() -> None:
    headers = [{"key": "Content-Type", "value": "application/json"}]
    response = {"statusCode": 200, "headers": headers, "bodyType": "INLINE", "disableTemplating": False}
    bodies = (json.dumps(COMPLETION), json.dumps({"error": {"message": "x"}}), '{"id": "{{uuid}}"}', "")
    routes = [
        {"type": "http", "method": "post", "endpoint": "v1/chat/completions",
         "responses": [response | {"body": body} for body in bodies]},
        {"type": "http", "method": "get", "endpoint": "v1/models", "responses": [response | {"body": "{}"}]},
    ]  # fmt: skip
    parts = read_all({"uuid": "a", "name": "mock", "routes": routes, "folders": []})
    assert [part.number for part in parts] == [0, 1, 2, 3, 4]
    assert [part.path if isinstance(part, Exchange) else part.reason for part in parts] == [
        "/v1/chat/completions",
        "/v1/chat/completions",
        "a body that is a template",
        "/v1/chat/completions",
        "not Chat Completions: GET /v1/models",
    ]


def test_json_that_a_mock_server_answers_with_is_the_whole_body_whatever_it_is() -> None:
    (exchange,) = read_all(pair_of({"statusCode": 500, "body": {"type": "JSON", "json": {"detail": "x"}}}))
    assert isinstance(exchange, Exchange)
    assert values_of(exchange) == (REQUEST, {"detail": "x"})
