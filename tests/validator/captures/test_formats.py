"""What is special about single formats: the layouts, headers and framings that recordings come in."""

from __future__ import annotations

import base64
import gzip
import io
import json
from typing import Any

import pytest

from isogloss.validator.captures import Capture, input_formats, read
from isogloss.validator.exchange import Body, Exchange, Payload, Skipped, Stream

URL = "https://api.example.com/v1/chat/completions"
ERROR = '{"error": {"message": "no", "type": "t", "param": null, "code": null}}'
CHUNKED = "HTTP/1.1 400 X\r\nTransfer-Encoding: chunked\r\n\r\n"
EVENTS = 'data: {"id":"c","choices":[]}\n\ndata: [DONE]\n\n'


def _read(data: bytes | str, name: str | None = None) -> list[Exchange | Skipped]:
    return list(read(Capture(io.BytesIO(data.encode() if isinstance(data, str) else data), "capture"), name))


def _bodies(data: bytes | str) -> list[str]:
    """Return the texts of the response bodies, and the reasons for what is skipped."""
    found = []
    for one in _read(data):
        if isinstance(one, Skipped):
            found.append(one.reason)
        elif one.response is not None:
            found.append(one.response.body.text.data.decode())
    return found


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
def test_cassettes_keep_status_and_body_in_several_ways(response: dict[str, Any]) -> None:
    (found,) = _read(_cassette(response))
    assert isinstance(found, Exchange)
    assert found.response is not None
    assert found.response.status == 400
    assert found.response.body.text.data.decode() == ERROR


@pytest.mark.parametrize(
    ("response", "kind"),
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
def test_a_body_that_is_empty_missing_or_no_json(response: dict[str, Any], kind: type) -> None:
    (found,) = _read(_cassette(response, body='{"model": "m", "messages": []}'))
    assert isinstance(found, Exchange)
    assert type(found.response.body if found.response else None) is kind


def test_a_body_that_is_not_the_base64_it_is_said_to_be_is_skipped_alone() -> None:
    bad = {"body": {"base64_string": "A"}}
    cassette = json.loads(_cassette(bad))
    cassette["interactions"] *= 2
    assert ["not the base64" in reason for reason in _bodies(json.dumps(cassette))] == [True, True]


def test_a_cassette_cut_off_is_read_as_far_as_it_goes_and_said_to_be() -> None:
    whole = _cassette({"body": {"string": ERROR}})
    cassette = json.loads(whole)
    cassette["interactions"].append(cassette["interactions"][0])
    first, last = _bodies(json.dumps(cassette)[:-200])[::2] or ["", ""]
    assert first == ERROR
    assert last.startswith("damaged at line 1, column")


def test_headers_are_found_however_they_are_kept() -> None:
    for headers in (
        {"Content-Type": ["text/event-stream"]},
        {"content-type": "text/event-stream"},
        [{"name": "CONTENT-TYPE", "value": "text/event-stream"}],
        [["Content-Type", "text/event-stream"]],
    ):
        (found,) = _read(_cassette({"body": {"string": EVENTS}, "headers": headers}))
        assert isinstance(found, Exchange)
        assert found.response is not None
        assert found.response.content_type == "text/event-stream"


@pytest.mark.parametrize("value", ["a/b; c=<script>", "x" * 9, "text/html\x1b[31m", "a/b, c/d"])
def test_only_a_media_type_is_kept_as_content_type(value: str) -> None:
    (found,) = _read(_cassette({"body": {"string": ERROR}, "headers": {"content-type": value}}))
    assert isinstance(found, Exchange)
    assert found.response is not None
    assert found.response.content_type in (None, "a/b", "text/html")


@pytest.mark.parametrize(
    ("method", "path", "reason"),
    [
        ("GET", "/v1/chat/completions", "not Chat Completions: GET /v1/chat/completions"),
        ("DELETE", "/v1/chat/completions/chatcmpl-1", "not Chat Completions: DELETE /v1/chat/completions/chatcmpl-1"),
        ("POST", "/v1/embeddings", "not Chat Completions: /v1/embeddings (Embeddings API)"),
        ("POST", "/v1/responses?x=1", "not Chat Completions: /v1/responses (Responses API)"),
        ("\x1b[2J", "/", "not Chat Completions: another method /"),
    ],
)
def test_other_traffic_is_named_by_its_path(method: str, path: str, reason: str) -> None:
    cassette = _cassette({"body": {"string": "{}"}}, method=method, uri=f"https://api.example.com{path}")
    assert _bodies(cassette) == [reason]


def test_polly_kept_compressed_bodies_in_hexadecimal_once() -> None:
    content = {"_isBinary": True, "text": json.dumps([gzip.compress(ERROR.encode()).hex()])}
    entry = {"request": {"method": "POST", "url": URL}, "response": {"status": 400, "content": content}}
    assert _bodies(json.dumps({"log": {"entries": [entry]}})) == [ERROR]
    content["text"] = "[1]"
    assert _bodies(json.dumps({"log": {"entries": [entry]}})) == [
        "a body that is neither base64 nor an array of chunks"
    ]


def test_an_entry_without_a_response_is_its_request() -> None:
    entry = {
        "request": {"method": "POST", "url": URL, "postData": {"text": '{"model": "m", "messages": []}'}},
        "response": {"status": 0, "content": {"size": 0}},
    }
    (found,) = _read(json.dumps({"log": {"entries": [entry]}}))
    assert isinstance(found, Exchange)
    assert found.request is not None
    assert found.response is None


def test_lines_of_a_session_record_make_one_stream() -> None:
    entry = {"RequestUri": URL, "RequestMethod": "POST", "StatusCode": 200, "ResponseBody": EVENTS.splitlines(True)}
    assert _bodies(json.dumps({"Entries": [entry]})) == [EVENTS]


@pytest.mark.parametrize(
    ("head", "body", "expected"),
    [
        ("HTTP/1.1 400 Bad Request\r\nContent-Length: 70\r\n\r\n", ERROR, [ERROR]),
        ("HTTP/2 400 \r\n\r\n", ERROR, [ERROR]),
        ("HTTP/1.1 400 Bad Request\n\n", ERROR, [ERROR]),
        ("HTTP/1.0 400\r\nContent-Length: 9999\r\n\r\n", ERROR, [ERROR]),
        ("HTTP/1.1 400 X\r\nContent-Length: 3\r\n\r\n", ERROR, [ERROR]),
        (CHUNKED, ERROR, [ERROR]),
        (CHUNKED, f"46;x=y\r\n{ERROR}\r\n0\r\nX-Trailer: 1\r\n\r\n", [ERROR]),
        (CHUNKED, f"10\r\n{ERROR[:16]}\r\n40\r\n{ERROR[16:30]}", [ERROR[:30]]),
        ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 400 X\r\n\r\n", ERROR, [ERROR]),
        ("HTTP/1.1 307 Moved\r\nLocation: x\r\n\r\nHTTP/1.1 400 X\r\n\r\n", ERROR, [ERROR]),
        ("HTTP/1.1 502 Bad Gateway\r\n\r\n", "<html>", ["<html>"]),
        (f"HTTP/1.1 400 X\r\nContent-Length: 70\r\n\r\n{ERROR}HTTP/1.1 400 X\r\n\r\n", ERROR, [ERROR, ERROR]),
        (f"HTTP/1.1 400 X\r\n\r\n{ERROR}\r\n\r\nHTTP/1.1 400 X\r\n\r\n", ERROR, [ERROR + "\r\n\r\n", ERROR]),
    ],
)  # fmt: skip
def test_http_messages_end_where_their_framing_or_the_next_one_says(head: str, body: str, expected: list[str]) -> None:
    assert _bodies(head + body) == expected


def test_a_stream_that_curl_commented_on_is_read_without_the_comments() -> None:
    first, last = EVENTS[: EVENTS.index("data: [D")], EVENTS[EVENTS.index("data: [D") :]
    printed = f"> POST /v1/chat/completions HTTP/2\n> Host: h\n> \n< HTTP/2 200 \n< \n{{ [9 bytes data]\n{first}"
    printed += f"{{ [5 bytes data]\n{last}* Connection #0 to host h left intact\n"
    assert _bodies(printed) == [EVENTS]
    assert _bodies(printed.replace("\n* Connection", "* Connection")) == [EVENTS[:-1]]


def test_lines_of_chunks_are_split_where_another_stream_begins() -> None:
    def chunk(number: str, delta: dict[str, str], finish: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return json.dumps({"id": number, "object": "chat.completion.chunk", "choices": [choice]})

    one = [chunk("1", {"role": "assistant"}), chunk("1", {}, "stop")]
    two = [chunk("2", {"role": "assistant"}), chunk("2", {}, "stop")]
    changing = [chunk("3", {"role": "assistant"}), chunk("4", {"content": "x"}), chunk("5", {}, "stop")]
    found = _read("\n".join([*one, *two, *changing]))
    lengths = [len(exchange.response.body.values) for exchange in found if isinstance(exchange, Exchange)]  # type: ignore[union-attr]
    assert lengths == [2, 2, 3]


def test_a_request_of_a_batch_that_got_no_response_is_said() -> None:
    line = {"id": "b", "custom_id": "1", "response": None, "error": {"code": "batch_expired", "message": "late"}}
    assert _bodies(json.dumps(line) + "\n") == ["a request of the batch that got no response"]


@pytest.mark.parametrize(
    "error", [{"object": "error", "message": "m"}, {"detail": "Not Found"}, {"detail": [{"loc": []}]}]
)
def test_errors_without_an_error_member_are_errors_where_an_answer_failed(error: dict[str, Any]) -> None:
    (found,) = _read(f"HTTP/1.1 422 No\r\n\r\n{json.dumps(error)}")
    assert isinstance(found, Exchange)
    assert isinstance(found.response.body if found.response else None, Payload)


def test_every_format_declines_what_is_none_of_its_own() -> None:
    for name, format_ in input_formats().items():
        for data in (b"", b"\0" * 99, b"Hello", b"<html>", b"\xff" * 99):
            assert format_.recognise(Capture(io.BytesIO(data), "x")) == 0, (name, data)
