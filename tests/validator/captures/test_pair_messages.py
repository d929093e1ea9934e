"""Tests of the messages of HTTP pairs in JSON: statuses, headers and URLs in every form, and what is no message."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from payloads import COMPLETION, EVENTS, REQUEST, URL, base64_of, pair_of
from reading import exchange_in, read_all, values_of

from isogloss.validator.exchange import NO_HTTP, Payload, Skipped, Stream


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "application/json; charset=utf-8"},
        {"content-type": ["application/json; charset=utf-8"]},
        [["content-type", "application/json; charset=utf-8"]],
        [{"name": "Content-Type", "value": "application/json; charset=utf-8"}],
        [{"name": "Content-Type", "values": ["application/json; charset=utf-8"]}],
        [{"key": "content-type", "value": "application/json; charset=utf-8"}],
        ["Server: x", "Content-Type: application/json; charset=utf-8"],
        ["Server", "x", "Content-Type", "application/json; charset=utf-8"],
    ],
)
@pytest.mark.parametrize("status", [{"status": 201}, {"code": 201}, {"status": {"code": 201}}, {"statusCode": "201"},
                                    {"Status": {"Code": 201}}])  # fmt: skip
def test_status_and_headers_are_read_in_every_form(headers: Any, status: dict[str, Any]) -> None:
    exchange = exchange_in(pair_of({"headers": headers, "body": COMPLETION} | status))
    assert exchange.http.status == 201
    assert exchange.http.content_type == "application/json; charset=utf-8"


@pytest.mark.parametrize("name", ["body", "content"])
def test_the_content_type_may_stand_beside_the_text_in_the_body(name: str) -> None:
    body = {"mimeType": "text/plain", "text": json.dumps(COMPLETION)}
    assert exchange_in(pair_of({"status": 200, name: body})).http.content_type == "text/plain"


def test_status_and_headers_without_a_body_are_no_response() -> None:
    exchange = exchange_in(pair_of({"status": 500, "headers": {"content-type": "application/json"}}))
    assert (exchange.response, exchange.http) == (None, NO_HTTP)


@pytest.mark.parametrize(
    "request_",
    [
        {"method": "POST", "url": URL},
        {"method": "post", "uri": URL},
        {"Method": "POST", "Uri": URL},
        {"method": "POST", "path": "/v1/chat/completions", "headers": {"Host": "api.example.com"}},
        {"method": "POST", "path": "/v1/chat/completions", "host": "api.example.com"},
        {"method": "POST", "endpoint": "/v1/chat/completions", "hostname": "api.example.com:443"},
    ],
)
def test_a_url_is_read_in_every_form(request_: dict[str, Any]) -> None:
    exchange = exchange_in({"request": request_ | {"body": REQUEST}, "response": {"status": 200, "body": COMPLETION}})
    assert (exchange.host, exchange.path) == ("api.example.com", "/v1/chat/completions")
    assert exchange.request is not None


@pytest.mark.parametrize("name", ["endpoint", "route"])
def test_a_request_with_a_method_is_no_body_whatever_its_url_is_called(name: str) -> None:
    """As the imposters of Killgrave have it, which match by the method and the endpoint alone."""
    request = {"method": "POST", name: "/v1/chat/completions"}
    exchange = exchange_in([{"request": request, "response": {"status": 200, "body": json.dumps(COMPLETION)}}])
    assert values_of(exchange) == (None, COMPLETION)


@pytest.mark.parametrize(
    "document",
    [
        {"method": "POST", "url": URL, "body": REQUEST, "response": {"status": 200, "body": COMPLETION}},
        {"method": "POST", "url": URL, "request": REQUEST, "response": {"status": 200, "body": COMPLETION}},
        {"request": {"method": "POST", "url": URL, "body": REQUEST}, "status": 200,
         "response_body": json.dumps(COMPLETION)},
        {"requestUrl": URL, "requestMethod": "POST", "requestBody": json.dumps(REQUEST), "statusCode": 200,
         "responseBody": COMPLETION},
        {"url": URL, "init": {"method": "POST", "body": json.dumps(REQUEST)},
         "response": {"status": 200, "body": COMPLETION}},
        {"reqUrl": URL, "reqBody": json.dumps(REQUEST), "resBody": COMPLETION, "resStatus": 200},
        {"request": f"POST {URL} HTTP/1.1", "status": "200", "request_body": json.dumps(REQUEST),
         "response_body": json.dumps(COMPLETION)},
        {"request": f"POST {URL} HTTP/1.1\r\n\r\n{json.dumps(REQUEST)}",
         "response": f"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n{json.dumps(COMPLETION)}"},
    ],
)  # fmt: skip
def test_properties_of_a_message_are_read_beside_it(document: dict[str, Any]) -> None:
    exchange = exchange_in(document)
    assert (exchange.host, exchange.path) == ("api.example.com", "/v1/chat/completions")
    assert exchange.request is not None
    assert exchange.request.value == REQUEST
    assert exchange.http.status == 200
    assert isinstance(exchange.response, Payload)
    assert exchange.response.value == COMPLETION


@pytest.mark.parametrize("status", [200, "500"])
def test_a_line_of_an_access_log_without_bodies_is_skipped(status: Any) -> None:
    (skipped,) = read_all({"time": "t", "request": "POST /v1/chat/completions HTTP/1.1", "status": status})
    assert isinstance(skipped, Skipped)


def test_words_that_begin_like_an_answer_on_the_wire_are_the_text_of_an_answer() -> None:
    (part,) = read_all({"request": REQUEST, "response": "HTTP/1.1 200 OK is what you get.", "id": 1})
    assert isinstance(part, Skipped)
    assert part.reason == "the log keeps only the text of the answer"


@pytest.mark.parametrize("answer", ["HTTP/9 999 x\n\n", "HTTP/1.1 102 x\n\n"])
def test_a_message_that_is_no_answer_leaves_the_request_alone(answer: str) -> None:
    exchange = exchange_in({"request": REQUEST, "response": answer, "id": 1})
    assert exchange.response is None
    assert exchange.request is not None
    assert exchange.request.value == REQUEST


def test_other_properties_beside_a_message_are_no_body() -> None:
    response_only = exchange_in({"content": {"a": 1}, "response": {"status": 200, "body": COMPLETION}})
    assert response_only.request is None
    request_only = exchange_in({"data": {"a": 1}, "request": {"method": "POST", "url": URL, "body": REQUEST}})
    assert request_only.response is None


@pytest.mark.parametrize("url", ["**REDACTED**", "<REDACTED>", "PLACEHOLDER", ""])
def test_a_redacted_url_gives_no_host_and_no_path(url: str) -> None:
    exchange = exchange_in(pair_of({"status": 200, "body": COMPLETION}, url=url))
    assert (exchange.host, exchange.path) == (None, None)


@pytest.mark.parametrize(
    ("body", "status", "kind"),
    [
        (COMPLETION, 200, "completion"),
        (json.dumps(COMPLETION), 200, "completion"),
        (EVENTS, 200, "stream"),
        ({"error": {"message": "no", "type": "a", "param": None, "code": None}}, 401, "error"),
        ({"detail": "no"}, 500, "error"),
        ("<html>bad gateway</html>", 502, "text"),
        (COMPLETION, None, "completion"),
        (REQUEST, 200, "request"),
        (REQUEST, None, "request"),
        ({"model": "m"}, None, "request"),
    ],
)
def test_a_body_beside_method_and_url_is_an_answer_if_its_content_or_a_status_shows_it(
    body: Any, status: int | None, kind: str
) -> None:
    logged = {"method": "POST", "url": "https://api.example.com/v1/chat/completions", "body": body}
    exchange = exchange_in([logged if status is None else logged | {"status": status}])
    answer = exchange.response
    shown = (
        "request" if exchange.request is not None
        else answer.kind if isinstance(answer, Payload)
        else "stream" if isinstance(answer, Stream)
        else "text"
    )  # fmt: skip
    assert (shown, answer is None) == (kind, kind == "request")


def test_a_status_may_stand_beside_its_words() -> None:
    response = {"status": "429 Too Many Requests", "status_code": 429, "body": json.dumps({"error": {"message": "No"}})}
    assert exchange_in(pair_of(response)).http.status == 429


def test_a_result_of_vegeta_has_its_status_as_code_and_its_body_in_base64() -> None:
    result = {"attack": "", "seq": 0, "code": 200, "latency": 1, "error": "", "body": base64_of(COMPLETION)}
    exchange = exchange_in([result | {"method": "POST", "url": URL, "headers": {"Content-Type": ["text/x"]}}])
    assert isinstance(exchange.response, Payload)
    assert (exchange.response.value, exchange.http.status) == (COMPLETION, 200)
    assert exchange.http.content_type == "text/x"


def test_the_url_that_is_recorded_with_the_response_is_that_of_the_request() -> None:
    response = {"method": "POST", "url": URL, "status": 200, "content_type": "application/json"}
    exchange = exchange_in({"responses": [{"response": response | {"body": json.dumps(COMPLETION)}}]})
    assert (exchange.host, exchange.path) == ("api.example.com", "/v1/chat/completions")
    (skipped,) = read_all({"responses": [{"response": response | {"url": "https://api.example.com/v1/embeddings"}}]})
    assert isinstance(skipped, Skipped)


@pytest.mark.parametrize("body", [COMPLETION, base64_of(EVENTS)], ids=["JSON", "Base64"])
def test_a_tape_with_req_and_res_is_a_pair(body: Any) -> None:
    request = {"headers": {}, "url": "/v1/chat/completions", "method": "POST", "body": REQUEST}
    response = {"status": 200, "headers": {"content-type": ["text/event-stream"]}, "body": body}
    exchange = exchange_in({"meta": {"host": "https://api.example.com"}, "req": request, "res": response})
    assert (exchange.http.status, exchange.http.content_type) == (200, "text/event-stream")
    assert isinstance(exchange.response, Payload if body is COMPLETION else Stream)


@pytest.mark.parametrize("name", ["as_bytes", "as_string"])
def test_trace_of_the_tap_filter_of_envoy_is_a_pair(name: str) -> None:
    def half(body: dict[str, Any], **pseudo: str) -> dict[str, Any]:
        text = json.dumps(body)
        written = base64.b64encode(text.encode()).decode() if name == "as_bytes" else text
        headers = [{"key": f":{key}", "value": value} for key, value in pseudo.items()]
        return {"headers": headers, "body": {"truncated": False, name: written}, "trailers": []}

    trace = {"http_buffered_trace": {
        "request": half(REQUEST, path="/v1/chat/completions", method="POST", authority="api.example.com"),
        "response": half(COMPLETION, status="200"),
    }}  # fmt: skip
    exchange = exchange_in(trace)
    assert isinstance(exchange.response, Payload)
    assert exchange.request is not None
    assert (exchange.request.value, exchange.response.value) == (REQUEST, COMPLETION)
    assert (exchange.http.status, exchange.host, exchange.path) == (200, "api.example.com", "/v1/chat/completions")


@pytest.mark.parametrize("in_base64", [False, True])
def test_messages_as_they_are_on_the_wire_may_be_called_raw(in_base64: bool) -> None:
    """As in the traffic logs of Tyk. Other gateways keep bodies there, which they may have written anew."""
    messages = {
        "raw_request": f"POST /v1/chat/completions HTTP/1.1\r\nHost: example.com\r\n\r\n{json.dumps(REQUEST)}",
        "raw_response": f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{json.dumps(COMPLETION)}",
    }
    kept = {name: base64_of(text) if in_base64 else text for name, text in messages.items()}
    exchange = exchange_in({"method": "POST", "path": "/v1/chat/completions", "response_code": 200, **kept})
    assert (exchange.request is not None, exchange.http.status, exchange.dumped) == (True, 200, False)
    bodies = {"raw_request": json.dumps(REQUEST), "raw_response": json.dumps(COMPLETION)}
    assert exchange_in({"id": "1", **bodies}).dumped
