"""Tests of records, YAML and Postman collections of unknown layouts: how they may hold the bodies of an exchange."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable
from typing import Any

import pytest
from payloads import COMPLETION, ERROR, FAULTY, REQUEST, URL, WHOLE_EVENTS, base64_of, pair_of
from reading import all_exchanges, exchange_in, exchanges_in, read_all, values_of

from isogloss.validator.exchange import Skipped, Stream

# Records with bodies as text


@pytest.mark.parametrize(
    ("record", "values"),
    [
        ({"request": json.dumps(REQUEST), "response": json.dumps(FAULTY)}, (REQUEST, FAULTY)),
        ({"request": REQUEST, "response": json.dumps(FAULTY), "status": 200}, (REQUEST, FAULTY)),
        ({"request": "Say hi", "response": FAULTY}, (None, FAULTY)),
        ({"request": json.dumps(REQUEST)}, (REQUEST, None)),
    ],
)
def test_a_record_may_hold_the_text_of_a_body(record: Any, values: Any) -> None:
    assert [values_of(exchange) for exchange in exchanges_in(record)] == [values]


def test_a_record_may_say_that_it_is_a_completion() -> None:
    record = {"object": "chat.completion", "request": REQUEST, "response": FAULTY}
    assert [values_of(exchange) for exchange in exchanges_in(record)] == [(REQUEST, FAULTY)]


def test_a_record_may_hold_the_text_of_events() -> None:
    exchange = exchange_in({"request": REQUEST | {"stream": True}, "response": WHOLE_EVENTS})
    assert isinstance(exchange.response, Stream)
    assert exchange.response.framing is not None


def test_the_words_of_an_answer_are_no_body_unless_the_record_has_the_status() -> None:
    record = {"request": REQUEST, "response": "Ho"}
    assert [part.reason for part in read_all(record) if isinstance(part, Skipped)] == [
        "the log keeps only the text of the answer"
    ]
    exchange = exchange_in(record | {"status": 502})
    assert exchange.http.status == 502
    exchange = exchange_in({"request": REQUEST, "response_text": "Ho"})
    assert exchange.response is not None


def test_the_words_of_an_answer_without_a_request_are_no_traffic() -> None:
    row = {"query": "What is X?", "context": "X is Y.", "response": "X is Y.", "ground_truth": "Y"}
    (skipped,) = read_all([row])
    assert isinstance(skipped, Skipped)
    assert skipped.reason == "not a Chat Completions payload"


# Bodies in objects that describe them


@pytest.mark.parametrize(
    "body",
    [
        {"text": json.dumps(FAULTY)},
        {"text": json.dumps(FAULTY), "charset": None},
        {"mimeType": "application/json", "size": 10, "text": json.dumps(FAULTY)},
        {"content": FAULTY, "contentType": "application/json", "encoded": False},
        {"type": "json", "data": FAULTY},
        {"format": "UTF-8", "text": json.dumps(FAULTY)},
        {"mode": "raw", "raw": json.dumps(FAULTY), "options": {"raw": {"language": "json"}}},
        {"base64": base64.encodebytes(json.dumps(FAULTY).encode()).decode(), "size": 10},
        {"content": base64_of(FAULTY), "encoded": "base64"},
        {"as_string": json.dumps(FAULTY)},
        {"Body_Size": 10, "value": {"mimeType": "application/json", "text": json.dumps(FAULTY)}},
    ],
)
def test_a_body_is_read_from_an_object_that_describes_it(body: Any) -> None:
    pair = {"request": {"method": "POST", "url": URL, "body": REQUEST}, "response": {"status": 200, "body": body}}
    assert [values_of(exchange) for exchange in exchanges_in(pair)] == [(REQUEST, FAULTY)]


@pytest.mark.parametrize(
    "body",
    [
        {"code": 0, "message": "ok", "data": FAULTY},
        {"data": FAULTY},
        {"data": FAULTY, "size": None},
        {"type": "success", "data": FAULTY},
        {"text": "Ho"},
        {"content": FAULTY, "data": FAULTY, "size": 1},
    ],
)
def test_an_answer_in_an_envelope_of_the_server_is_judged_as_it_was_sent(body: Any) -> None:
    pair = {"request": {"method": "POST", "url": URL, "body": REQUEST}, "response": {"status": 200, "body": body}}
    assert [values_of(exchange) for exchange in exchanges_in(pair)] == [(REQUEST, body)]


# YAML and Postman


@pytest.mark.parametrize("body", [{"output": COMPLETION}, {"code": 0, "message": "ok", "completion": COMPLETION}])
def test_with_a_content_type_an_answer_in_any_envelope_is_judged_as_it_was_sent(body: Any) -> None:
    record = {"request": REQUEST, "response": body, "status": 200}
    assert values_of(exchange_in(record)) == (REQUEST, COMPLETION)
    assert values_of(exchange_in(record | {"content_type": "application/json"})) == (REQUEST, body)


@pytest.mark.parametrize("name", ["details", "upstream", "cause"])
@pytest.mark.parametrize("form", [lambda error: error, json.dumps], ids=["an object", "text"])
def test_an_error_in_words_that_holds_the_error_of_another_server_is_judged_as_it_was_sent(
    name: str, form: Callable[[Any], Any]
) -> None:
    body = {"error": "the upstream failed", name: form(ERROR)}
    for record in (
        {"request": REQUEST, "response": body, "status": 502, "path": "/v1/chat/completions"},
        {"request": {"method": "POST", "url": URL, "body": REQUEST}, "response": {"status": 502, "body": body}},
    ):
        assert values_of(exchange_in(record)) == (REQUEST, body)


@pytest.mark.parametrize(
    "answer",
    [
        {"raw": json.dumps(ERROR)},
        {"given": COMPLETION},
        *({name: ERROR} for name in ("body", "content", "json", "payload", "response", "text")),
    ],
    ids=lambda answer: next(iter(answer)),
)
def test_a_body_beside_the_words_of_a_recorder_is_read(answer: dict[str, Any]) -> None:
    record = {"request": REQUEST, "response": answer | {"error": "status 400"}, "status": 400, "host": "h"}
    body = next(iter(answer.values()))
    assert values_of(exchange_in(record)) == (REQUEST, json.loads(body) if isinstance(body, str) else body)


def test_pairs_and_requests_beside_answers_are_read_from_yaml() -> None:
    pair = {"request": {"method": "POST", "url": URL, "body": json.dumps(REQUEST)}, "response": {"status": "200"}}
    pair["response"]["body"] = json.dumps(FAULTY)
    lines = f"# recorded\n- request: {json.dumps(pair['request'])}\n  response: {json.dumps(pair['response'])}\n"
    for text in (lines, f"request: {json.dumps(pair['request'])}\nresponse: {json.dumps(pair['response'])}\n"):
        assert [values_of(exchange) for exchange in exchanges_in(text)] == [(REQUEST, FAULTY)]
    case = f"- name: one\n  url: {URL}\n  input: {json.dumps(REQUEST)}\n  output: {json.dumps(FAULTY)}\n"
    assert [values_of(exchange) for exchange in exchanges_in(f"---\n{case}{case}---\n{case}")] == [
        (REQUEST, FAULTY)
    ] * 3


@pytest.mark.parametrize(
    "text",
    [
        f"paths:\n  /chat/completions:\n    post:\n      requestBody: {{}}\n      example: {json.dumps(FAULTY)}\n",
        f"id: one\nobject: chat.completion\nchoices: {json.dumps(FAULTY['choices'])}\n",
        f"request: {json.dumps(REQUEST)}\nurl: /chat/completions\n",
        f"response: {json.dumps(FAULTY)}\n",
        "request: [\nurl: /chat/completions\n",
    ],
)
def test_other_yaml_is_skipped_with_a_reason(text: str) -> None:
    assert [type(part) for part in read_all(text)] == [Skipped]


def test_yaml_that_does_not_mention_chat_completions_is_not_parsed() -> None:
    assert [part.reason for part in read_all("request: [\n") if isinstance(part, Skipped)] == [
        "not a capture: no input format recognises it"
    ]


def _postman_request(body: str) -> dict[str, Any]:
    return {"method": "POST", "header": [], "body": {"mode": "raw", "raw": body}, "url": {"raw": URL, "host": ["x"]}}


def test_a_report_of_newman_holds_what_its_run_sent_and_received() -> None:
    info = {"name": "c", "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"}
    url = {"protocol": "https", "host": ["api", "example", "com"], "path": ["v1", "chat", "completions"], "query": []}
    sent = {"url": url, "method": "POST", "body": {"mode": "raw", "raw": json.dumps(REQUEST)}}
    stream = {"type": "Buffer", "data": [*json.dumps(COMPLETION).encode()]}
    received = {"id": "1", "status": "OK", "code": 200, "header": [], "stream": stream, "responseTime": 9}
    item = {"name": "x", "request": sent, "response": [], "event": []}
    run = {"stats": {}, "executions": [{"item": item, "request": sent, "response": received}, {"item": item}]}
    exchanges = all_exchanges({"collection": {"item": [item], "info": info}, "run": run})
    assert [values_of(one) for one in exchanges] == [(REQUEST, COMPLETION)]
    assert (exchanges[0].http.status, exchanges[0].host, exchanges[0].path) == (
        200,
        "api.example.com",
        "/v1/chat/completions",
    )


def test_the_saved_responses_of_a_postman_collection_are_read_with_their_requests() -> None:
    response = {"status": "OK", "code": 200, "header": [{"key": "Content-Type", "value": "application/json"}]}
    answered = response | {"originalRequest": _postman_request(json.dumps(REQUEST)), "body": json.dumps(FAULTY)}
    refused = response | {"code": 400, "body": json.dumps(ERROR)}
    item = {"name": "x", "request": _postman_request('{"model": {{model}}}'), "response": [answered, refused]}
    info = {"name": "c", "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"}
    collection = {"info": info, "item": [{"name": "folder", "item": [item]}, item | {"response": []}]}
    for document in (collection, {"collection": collection}):
        exchanges = exchanges_in(document)
        assert [values_of(exchange) for exchange in exchanges] == [(REQUEST, FAULTY), (None, ERROR)]
        assert [(one.http.status, one.http.content_type, one.host) for one in exchanges] == [
            (200, "application/json", "api.example.com"),
            (400, "application/json", "api.example.com"),
        ]
    (skipped,) = read_all(collection | {"item": [item | {"response": []}]})
    assert isinstance(skipped, Skipped)
    assert skipped.reason == "a collection of Postman without saved responses"


def test_an_answer_in_a_property_of_the_request_itself_is_none_of_this_request() -> None:
    document = REQUEST | {"metadata": FAULTY, "prediction": {"status": 200, "body": FAULTY}}
    exchange = exchange_in(document)
    assert values_of(exchange) == (document, None)


def test_the_bytes_of_a_buffer_may_have_any_value() -> None:
    packed = {"type": "Buffer", "data": list(gzip.compress(json.dumps(FAULTY).encode(), mtime=0))}
    assert {0, 255} & set(packed["data"])
    response = {"status": 200, "headers": {"content-encoding": "gzip"}, "body": packed}
    assert values_of(exchange_in(pair_of(response))) == (REQUEST, FAULTY)


@pytest.mark.parametrize(
    "matcher",
    [
        {"type": kind, "value": "x"}
        for kind in ("REGEX", "JSON_SCHEMA", "JSON_PATH", "XML_SCHEMA", "XPATH", "PARAMETERS")
    ],
    ids=lambda matcher: matcher["type"],
)
def test_a_pattern_of_mockserver_is_no_body(matcher: dict[str, str]) -> None:
    (found,) = exchanges_in(pair_of({"status": 200, "body": COMPLETION}, body=matcher))
    assert values_of(found) == (None, COMPLETION)


@pytest.mark.parametrize("name", ["string", "as_string", "b64", "base64Bytes", "as_bytes"])
def test_an_object_with_an_encoding_and_no_text_is_an_empty_body(name: str) -> None:
    (found,) = exchanges_in(pair_of({"body": {"encoding": "utf-8", name: None}}))
    assert (values_of(found), found.response) == ((REQUEST, None), None)


@pytest.mark.parametrize("name", ["encoding", "encoded", "format", "kind", "mode", "type"])
def test_what_stands_beside_a_text_may_say_that_it_is_in_base64(name: str) -> None:
    packed = base64.b64encode(gzip.compress(json.dumps(FAULTY).encode(), mtime=0)).decode()
    response = {"status": 200, "headers": {"content-encoding": "gzip"}, "body": {name: "base64", "data": packed}}
    assert values_of(exchange_in(pair_of(response))) == (REQUEST, FAULTY)


@pytest.mark.parametrize(
    "form",
    [
        "application/json", "event-stream", "json", "object", "plain", "raw", "sse", "string", "text",
        "text/event-stream", "text/plain", "UTF-8",
    ],
)  # fmt: skip
def test_a_body_may_stand_beside_the_name_of_its_form(form: str) -> None:
    response = {"status": 200, "body": {"type": form, "data": json.dumps(FAULTY)}}
    assert values_of(exchange_in(pair_of(response))) == (REQUEST, FAULTY)


@pytest.mark.parametrize(
    "name",
    [
        "bodySize", "charset", "compression", "contentLength", "content_type", "decoded", "encoded", "encoding",
        "length", "mediaType", "mimeType", "options", "size", "truncated",
    ],
)  # fmt: skip
def test_an_object_with_a_text_and_what_describes_it_is_the_text(name: str) -> None:
    response = {"status": 200, "body": {name: "x", "text": json.dumps(FAULTY)}}
    assert values_of(exchange_in(pair_of(response))) == (REQUEST, FAULTY)


def test_an_unknown_object_is_an_answer_only_if_the_record_names_the_host_or_the_path() -> None:
    record = {"request": REQUEST, "response": {"ok": True}}
    assert not all_exchanges(record)
    for place in ({"host": "h"}, {"path": "/v1/chat/completions"}):
        assert values_of(exchange_in(record | place)) == (REQUEST, {"ok": True})


@pytest.mark.parametrize("choices", [[], None])
def test_an_answer_with_an_id_and_without_choices_is_the_broken_one_of_its_request(choices: Any) -> None:
    answer = {"id": "chatcmpl-1", "choices": choices}
    for kept in (answer, json.dumps(answer)):
        assert values_of(exchange_in({"request": REQUEST, "response": kept})) == (REQUEST, answer)
    assert all_exchanges({"request": REQUEST, "response": {"text": "Hi"}}) == []
