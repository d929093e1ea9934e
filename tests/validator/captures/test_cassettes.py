"""Tests of cassettes and similar recordings: bodies in every form, headers, and what a recorder left out or cut off."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

import pytest
from payloads import REQUEST
from reading import bodies_in, findings_in, read_all

from isogloss.validator.exchange import Body, Exchange, Payload, Skipped, Stream

URL = "https://api.example.com/v1/chat/completions"
ERROR = '{"error": {"message": "no", "type": "t", "param": null, "code": null}}'
EVENTS = 'data: {"id":"c","choices":[]}\n\ndata: [DONE]\n\n'


def _cassette(response: Any, **request: Any) -> str:
    return json.dumps({"interactions": [{"request": {"method": "POST", "uri": URL} | request, "response": response}]})


@pytest.mark.parametrize(
    "response",
    [
        {"status": {"code": 400}, "body": {"string": ERROR}},
        {"status": {"code": 400}, "body": {"encoding": "UTF-8", "string": ERROR}},
        {"status": {"code": 400}, "body": {"base64_string": base64.encodebytes(ERROR.encode()).decode()}},
        {"status": {"code": 400}, "body": ERROR},
        {"status": 400, "body_format": "json", "body": ERROR},
        {"status": "400 Bad Request", "code": 400, "body": ERROR},
        {"status_code": 400, "headers": {"Content-Type": "application/json"}, "content": ERROR},
        {"status": {"code": 400}, "body": {"string": gzip.compress(ERROR.encode()).decode("latin-1")}},
    ],
    ids=["vcrpy", "ruby-vcr", "base64", "plain", "symfony", "go-vcr", "httpx", "characters"],
)
def test_status_and_body_are_read_from_every_form_of_cassette(response: dict[str, Any]) -> None:
    (exchange,) = read_all(_cassette(response))
    assert isinstance(exchange, Exchange)
    assert exchange.http.status == 400
    assert exchange.response.text.data.decode() == ERROR


@pytest.mark.parametrize(
    ("response", "body_type"),
    [
        ({"body": {"string": ""}}, Body),
        ({"body": {"string": None}}, type(None)),
        ({"body": {"encoding": "UTF-8"}}, type(None)),
        ({"body": {}}, type(None)),
        ({}, type(None)),
        ({"body": {"string": ""}, "headers": {"content-type": ["text/event-stream"]}}, Stream),
        ({"body": {"string": "<html>"}, "headers": {"content-type": ["text/html"]}}, Body),
        ({"body": {"choices": []}}, Payload),
        ({"parsed_body": "plain"}, Body),
    ],
)
def test_a_body_that_is_empty_missing_or_no_json_is_read(response: dict[str, Any], body_type: type) -> None:
    (exchange,) = read_all(_cassette(response, body='{"model": "m", "messages": []}'))
    assert isinstance(exchange, Exchange)
    assert type(exchange.response) is body_type


def test_each_body_with_invalid_base64_is_skipped() -> None:
    response = {"body": {"base64_string": "A"}}
    cassette = json.loads(_cassette(response))
    cassette["interactions"] *= 2
    assert ["marked as base64" in reason for reason in bodies_in(json.dumps(cassette))] == [True, True]


def test_a_cut_off_cassette_is_read_up_to_the_cut_and_reported() -> None:
    whole = _cassette({"body": {"string": ERROR}})
    cassette = json.loads(whole)
    cassette["interactions"].append(cassette["interactions"][0])
    first, last = bodies_in(json.dumps(cassette)[:-200])[::2] or ["", ""]
    assert first == ERROR
    assert last.startswith("damaged at line 1, column")


def test_a_cut_off_document_of_any_layout_is_reported() -> None:
    """Check it where the payloads have no findings, since a client library may have written them."""
    whole = json.dumps({"a case": {"asked": REQUEST, "got": json.loads(COMPLETION)}})
    assert [isinstance(part, Exchange) for part in read_all(whole, "cases.json")] == [True]
    exchange, damage = read_all(whole[:-20], "cases.json")
    assert isinstance(exchange, Exchange)
    assert isinstance(damage, Skipped)
    assert damage.reason.startswith("damaged at line 1, column")


@pytest.mark.parametrize("layout", ['{"request": %s, "response": %s}', '[{"asked": %s, "got": %s}]'])
def test_a_mark_before_a_document_of_a_recorder_is_none_of_the_payloads_in_it(layout: str) -> None:
    assert "json-byte-order-mark" in {finding.rule for finding in findings_in(f"\ufeff{COMPLETION}")}
    marked = f"\ufeff{layout % (json.dumps(REQUEST), COMPLETION)}"
    assert "json-byte-order-mark" not in {finding.rule for finding in findings_in(marked)}


_LEFT_OUT = [
    "REDACTED", "[FILTERED]", "<redacted>", "<omitted>", "[request body omitted]", "(binary)", "{...}", "…", "***",
    "__MASKED__",
]  # fmt: skip


@pytest.mark.parametrize("words", _LEFT_OUT)
def test_what_a_recorder_wrote_in_place_of_a_body_is_no_body(words: str) -> None:
    answer = {"status": {"code": 400}, "body": {"string": ERROR}}
    (exchange,) = read_all(_cassette(answer, body=words))
    assert isinstance(exchange, Exchange)
    assert exchange.request is None
    assert isinstance(exchange.response, Payload)
    (skipped,) = read_all(_cassette({"status": {"code": 200}, "body": {"string": words}}, body=words))
    assert isinstance(skipped, Skipped)
    assert skipped.reason == "bodies that the recorder has left out"


@pytest.mark.parametrize("mark", ["...", "…", "... (truncated)", "…[truncated]"])
def test_a_body_that_a_recorder_cut_off_is_no_fault_of_the_server(mark: str) -> None:
    (exchange,) = read_all(_cassette({"status": 400, "body": ERROR}, body=f'{{"model": "m", "mess{mark}'))
    assert isinstance(exchange, Exchange)
    assert exchange.request is None
    (skipped,) = read_all(_cassette({"status": 400, "body": f"{ERROR[:30]}{mark}"}))
    assert isinstance(skipped, Skipped)
    assert skipped.reason == "a body that the recorder has cut off"


def test_a_body_with_dots_in_place_of_a_part_is_no_fault_of_the_server() -> None:
    (skipped,) = read_all(_cassette({"status": 200, "body": '{"id": "chatcmpl-1", "choices": [...], "usage": {}}'}))
    assert isinstance(skipped, Skipped)
    (exchange,) = read_all(_cassette({"status": 400, "body": ERROR}, body='{"model": "m", "messages": [...]}'))
    assert isinstance(exchange, Exchange)
    assert exchange.request is None


@pytest.mark.parametrize("names", [("request_body", "response_body"), ("request", "response"), ("asked", "answered")])
def test_an_answer_in_a_record_with_dots_in_place_of_a_part_is_no_fault_of_the_server(names: tuple[str, str]) -> None:
    bodies = (json.dumps(REQUEST), '{"id": "chatcmpl-1", "object": "chat.completion", "choices": [...], "usage": {}}')
    record = dict(zip(names, bodies, strict=True)) | {"response_status": 200, "url": "https://api.example.com/v1"}
    assert not any(isinstance(one, Exchange) and one.response is not None for one in read_all(json.dumps(record)))


@pytest.mark.parametrize("body", ["Bad Gateway", "<html>...</html>", "binary", "{}", "[]", "", f"{ERROR[:30]}"])
def test_other_bodies_are_those_that_were_sent(body: str) -> None:
    (exchange,) = read_all(_cassette({"status": 502, "body": body}))
    assert isinstance(exchange, Exchange)
    assert exchange.response is not None


def test_headers_are_read_in_every_form() -> None:
    for headers in (
        {"Content-Type": ["text/event-stream"]},
        {"content-type": "text/event-stream"},
        [{"name": "CONTENT-TYPE", "value": "text/event-stream"}],
        [["Content-Type", "text/event-stream"]],
        ["Content-Type", "text/event-stream", "Report-To", "endpoint: x"],
        ["Content-Type: text/event-stream", "Server: x"],
    ):
        (exchange,) = read_all(_cassette({"body": {"string": EVENTS}, "headers": headers}))
        assert isinstance(exchange, Exchange)
        assert exchange.http.content_type == "text/event-stream"


@pytest.mark.parametrize("value", ["a/b; c=<script>", "x" * 9, "text/html\x1b[31m", "a/b, c/d"])
def test_only_a_media_type_is_kept_as_content_type(value: str) -> None:
    (exchange,) = read_all(_cassette({"body": {"string": ERROR}, "headers": {"content-type": value}}))
    assert isinstance(exchange, Exchange)
    assert exchange.http.content_type in (None, "a/b", "text/html")


@pytest.mark.parametrize(
    ("method", "path", "reason"),
    [
        ("GET", "/v1/chat/completions", "not Chat Completions: GET /v1/chat/completions"),
        ("DELETE", "/v1/chat/completions/chatcmpl-1", "not Chat Completions: DELETE /v1/chat/completions/chatcmpl-1"),
        ("POST", "/v1/embeddings", "not Chat Completions: /v1/embeddings (Embeddings API)"),
        ("POST", "/v1/threads/t_1/messages", "not Chat Completions: /v1/threads/t_1/messages (Assistants API)"),
        ("POST", "/v1/responses?x=1", "not Chat Completions: /v1/responses (Responses API)"),
        ("\x1b[2J", "/", "not Chat Completions: another method /"),
    ],
)
def test_other_traffic_is_skipped_with_its_path(method: str, path: str, reason: str) -> None:
    cassette = _cassette({"body": {"string": "{}"}}, method=method, uri=f"https://api.example.com{path}")
    assert bodies_in(cassette) == [reason]


def test_lines_of_a_session_record_are_joined_to_one_stream() -> None:
    entry = {"RequestUri": URL, "RequestMethod": "POST", "StatusCode": 200, "ResponseBody": EVENTS.splitlines(True)}
    assert bodies_in(json.dumps({"Entries": [entry]})) == [EVENTS]


@pytest.mark.parametrize("text", ["h\u00e9 \u4f60", "ho"])
def test_the_characters_of_a_body_in_betamax_are_its_bytes(text: str) -> None:
    body = json.dumps({**json.loads(ERROR), "error": {"message": text}}, ensure_ascii=False)
    interaction = {
        "request": {"method": "POST", "uri": "https://h/v1/chat/completions", "headers": {}, "body": ""},
        "response": {
            "status": {"code": 400, "message": "X"},
            "headers": {"Content-Type": ["application/json"]},
            "body": {"encoding": "ISO-8859-1", "string": body.encode().decode("latin-1")},
        },
    }
    [found] = bodies_in(json.dumps({"http_interactions": [interaction]}))
    assert json.loads(found)["error"]["message"] == text


COMPLETION = json.dumps({
    "id": "chatcmpl-Fake1", "object": "chat.completion", "created": 1760000000, "model": "m", "choices": [
        {"index": 0, "message": {"role": "assistant", "content": "Ho"}, "logprobs": None, "finish_reason": "stop"}
    ],
})  # fmt: skip
