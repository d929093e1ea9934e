"""Tests of what is special about single formats: the layouts, headers and framings of recordings."""

from __future__ import annotations

import base64
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from payloads import REQUEST, chunk
from reading import findings_in, read_all

from isogloss.validator import captures
from isogloss.validator.captures import Capture, input_formats
from isogloss.validator.exchange import Body, Exchange, Payload, Skipped, Stream

FIXTURES = Path(__file__).parents[3] / "fixtures"
URL = "https://api.example.com/v1/chat/completions"
ERROR = '{"error": {"message": "no", "type": "t", "param": null, "code": null}}'
CHUNKED = "HTTP/1.1 400 X\r\nTransfer-Encoding: chunked\r\n\r\n"
EVENTS = 'data: {"id":"c","choices":[]}\n\ndata: [DONE]\n\n'


def _read(data: bytes | str, name: str | None = None) -> list[Exchange | Skipped]:
    return read_all(data, "capture", name)


def _bodies(data: bytes | str) -> list[str]:
    """Return the texts of the response bodies, and the reasons for what is skipped."""
    texts = []
    for part in _read(data):
        if isinstance(part, Skipped):
            texts.append(part.reason)
        elif part.response is not None:
            texts.append(part.response.text.data.decode())
    return texts


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
    (exchange,) = _read(_cassette(response))
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
    (exchange,) = _read(_cassette(response, body='{"model": "m", "messages": []}'))
    assert isinstance(exchange, Exchange)
    assert type(exchange.response) is body_type


def test_each_body_with_invalid_base64_is_skipped() -> None:
    response = {"body": {"base64_string": "A"}}
    cassette = json.loads(_cassette(response))
    cassette["interactions"] *= 2
    assert ["marked as base64" in reason for reason in _bodies(json.dumps(cassette))] == [True, True]


def test_a_cut_off_cassette_is_read_up_to_the_cut_and_reported() -> None:
    whole = _cassette({"body": {"string": ERROR}})
    cassette = json.loads(whole)
    cassette["interactions"].append(cassette["interactions"][0])
    first, last = _bodies(json.dumps(cassette)[:-200])[::2] or ["", ""]
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
    (exchange,) = _read(_cassette(answer, body=words))
    assert isinstance(exchange, Exchange)
    assert exchange.request is None
    assert isinstance(exchange.response, Payload)
    (skipped,) = _read(_cassette({"status": {"code": 200}, "body": {"string": words}}, body=words))
    assert isinstance(skipped, Skipped)
    assert skipped.reason == "bodies that the recorder has left out"


@pytest.mark.parametrize("mark", ["...", "…", "... (truncated)", "…[truncated]"])
def test_a_body_that_a_recorder_cut_off_is_no_fault_of_the_server(mark: str) -> None:
    (exchange,) = _read(_cassette({"status": 400, "body": ERROR}, body=f'{{"model": "m", "mess{mark}'))
    assert isinstance(exchange, Exchange)
    assert exchange.request is None
    (skipped,) = _read(_cassette({"status": 400, "body": f"{ERROR[:30]}{mark}"}))
    assert isinstance(skipped, Skipped)
    assert skipped.reason == "a body that the recorder has cut off"


def test_a_body_with_dots_in_place_of_a_part_is_no_fault_of_the_server() -> None:
    (skipped,) = _read(_cassette({"status": 200, "body": '{"id": "chatcmpl-1", "choices": [...], "usage": {}}'}))
    assert isinstance(skipped, Skipped)
    (exchange,) = _read(_cassette({"status": 400, "body": ERROR}, body='{"model": "m", "messages": [...]}'))
    assert isinstance(exchange, Exchange)
    assert exchange.request is None


@pytest.mark.parametrize("names", [("request_body", "response_body"), ("request", "response"), ("asked", "answered")])
def test_an_answer_in_a_record_with_dots_in_place_of_a_part_is_no_fault_of_the_server(names: tuple[str, str]) -> None:
    bodies = (json.dumps(REQUEST), '{"id": "chatcmpl-1", "object": "chat.completion", "choices": [...], "usage": {}}')
    record = dict(zip(names, bodies, strict=True)) | {"response_status": 200, "url": "https://api.example.com/v1"}
    assert not any(isinstance(one, Exchange) and one.response is not None for one in read_all(json.dumps(record)))


@pytest.mark.parametrize("body", ["Bad Gateway", "<html>...</html>", "binary", "{}", "[]", "", f"{ERROR[:30]}"])
def test_other_bodies_are_those_that_were_sent(body: str) -> None:
    (exchange,) = _read(_cassette({"status": 502, "body": body}))
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
        (exchange,) = _read(_cassette({"body": {"string": EVENTS}, "headers": headers}))
        assert isinstance(exchange, Exchange)
        assert exchange.http.content_type == "text/event-stream"


@pytest.mark.parametrize("value", ["a/b; c=<script>", "x" * 9, "text/html\x1b[31m", "a/b, c/d"])
def test_only_a_media_type_is_kept_as_content_type(value: str) -> None:
    (exchange,) = _read(_cassette({"body": {"string": ERROR}, "headers": {"content-type": value}}))
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
    assert _bodies(cassette) == [reason]


def test_hexadecimal_bodies_of_older_polly_versions_are_read() -> None:
    content = {"_isBinary": True, "text": json.dumps([gzip.compress(ERROR.encode()).hex()])}
    entry = {"request": {"method": "POST", "url": URL}, "response": {"status": 400, "content": content}}
    assert _bodies(json.dumps({"log": {"entries": [entry]}})) == [ERROR]
    content["text"] = "[1]"
    assert _bodies(json.dumps({"log": {"entries": [entry]}})) == [
        "a body that is neither base64 nor an array of chunks"
    ]


def test_a_har_entry_without_a_response_has_only_a_request() -> None:
    entry = {
        "request": {"method": "POST", "url": URL, "postData": {"text": '{"model": "m", "messages": []}'}},
        "response": {"status": 0, "content": {"size": 0}},
    }
    exchange, without_body = _read(json.dumps({"log": {"entries": [entry]}}))
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
    [exchange] = _read(json.dumps({"log": {"entries": [entry]}}))
    assert isinstance(exchange, Exchange)
    assert exchange.http.content_type == content_type
    assert exchange.response is not None
    assert exchange.response.text.data.decode() == body


def test_a_har_says_which_answers_have_no_body() -> None:
    def entry(content: dict[str, Any]) -> dict[str, Any]:
        request = {"method": "POST", "url": URL, "postData": {"text": '{"model": "m", "messages": []}'}}
        return {"request": request, "response": {"status": 200, "content": content}}

    whole, empty = entry({"text": ERROR}), entry({"size": 7})
    *exchanges, without_body = _read(json.dumps({"log": {"entries": [whole, empty, whole, *[empty] * 11]}}))
    assert len(exchanges) == 14
    assert isinstance(without_body, Skipped)
    assert without_body.parts == 12
    assert "of the exchanges 1, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 2 more, counted from 0" in without_body.reason
    assert all(isinstance(part, Exchange) for part in _read(json.dumps({"log": {"entries": [whole]}})))


@pytest.mark.parametrize("name", ["_error", "_failureText"])
@pytest.mark.parametrize(
    ("failure", "body", "expected"),
    [
        ("net::ERR_ABORTED", EVENTS[:20], "left"),
        ("net::ERR_ABORTED", EVENTS, ""),
        ("NS_BINDING_ABORTED", "", "the client closed the connection before anything of the answer came"),
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
    (part,) = _read(json.dumps({"log": {"entries": [entry]}}))
    if isinstance(part, Skipped):
        assert part.reason == expected
    else:
        assert [how for how in ("left", "broken") if getattr(part.http, how)] == expected.split()


def test_lines_of_a_session_record_are_joined_to_one_stream() -> None:
    entry = {"RequestUri": URL, "RequestMethod": "POST", "StatusCode": 200, "ResponseBody": EVENTS.splitlines(True)}
    assert _bodies(json.dumps({"Entries": [entry]})) == [EVENTS]


@pytest.mark.parametrize(
    ("head", "body", "expected"),
    [
        ("HTTP/1.1 400 Bad Request\r\nContent-Length: 70\r\n\r\n", ERROR, [ERROR]),
        ("HTTP/2 400 \r\n\r\n", ERROR, [ERROR]),
        ("HTTP/2 400 \r\nServer: x\r\n", ERROR, [ERROR]),
        ("HTTP/1.1 400 Bad Request\n\n", ERROR, [ERROR]),
        ("HTTP/1.0 400\r\nContent-Length: 9999\r\n\r\n", ERROR, [ERROR]),
        ("HTTP/1.1 400 X\r\nContent-Length: 3\r\n\r\n", ERROR, [ERROR]),
        ("HTTP/1.1 400 X\r\nContent-Length: 69\r\n\r\n", ERROR, [ERROR]),
        ("HTTP/1.1 400 X\r\nContent-Length: 70\r\n\r\n", f"{ERROR} and other words", [ERROR]),
        (CHUNKED, ERROR, [ERROR]),
        (CHUNKED, f"46;x=y\r\n{ERROR}\r\n0\r\nX-Trailer: 1\r\n\r\n", [ERROR]),
        (CHUNKED, f"10\r\n{ERROR[:16]}\r\n40\r\n{ERROR[16:30]}", [ERROR[:30]]),
        ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 400 X\r\n\r\n", ERROR, [ERROR]),
        *(
            (f"HTTP/1.1 {status} Moved\r\nLocation: x\r\n\r\nHTTP/1.1 400 X\r\n\r\n", ERROR, [ERROR])
            for status in (301, 302, 303, 307, 308)
        ),
        ("HTTP/1.1 502 Bad Gateway\r\n\r\n", "<html>", ["<html>"]),
        (f"HTTP/1.1 400 X\r\nContent-Length: 70\r\n\r\n{ERROR}HTTP/1.1 400 X\r\n\r\n", ERROR, [ERROR, ERROR]),
        (f"HTTP/1.1 400 X\r\n\r\n{ERROR}\r\n\r\nHTTP/1.1 400 X\r\n\r\n", ERROR, [ERROR + "\r\n\r\n", ERROR]),
    ],
)  # fmt: skip
def test_http_messages_end_by_their_framing_or_before_the_next_one(head: str, body: str, expected: list[str]) -> None:
    assert _bodies(head + body) == expected


def test_comments_of_curl_are_removed_from_a_stream() -> None:
    first, last = EVENTS[: EVENTS.index("data: [D")], EVENTS[EVENTS.index("data: [D") :]
    output = f"> POST /v1/chat/completions HTTP/2\n> Host: h\n> \n< HTTP/2 200 \n< \n{{ [9 bytes data]\n{first}"
    output += f"{{ [5 bytes data]\n{last}* Connection #0 to host h left intact\n"
    assert _bodies(output) == [EVENTS]
    assert _bodies(output.replace("\n* Connection", "* Connection")) == [EVENTS[:-1]]


@pytest.mark.parametrize("length", [5, 100_000])
def test_a_request_whose_body_curl_did_not_print_ends_with_its_headers(length: int) -> None:
    output = f"> POST /v1/chat/completions HTTP/1.1\n> Host: h\n> Content-Length: {length}\n> \n}} [5 bytes data]\n"
    output += f"< HTTP/1.1 400 X\n< Content-Type: application/json\n< \n{{ [9 bytes data]\n{ERROR}"
    assert _bodies(output) == [ERROR]


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
    [found] = _bodies(json.dumps({"http_interactions": [interaction]}))
    assert json.loads(found)["error"]["message"] == text


COMPLETION = json.dumps({
    "id": "chatcmpl-Fake1", "object": "chat.completion", "created": 1760000000, "model": "m", "choices": [
        {"index": 0, "message": {"role": "assistant", "content": "Ho"}, "logprobs": None, "finish_reason": "stop"}
    ],
})  # fmt: skip
HEADERS = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
LENGTH = f"Content-Length: {len(COMPLETION)}\r\n"


@pytest.mark.parametrize("command", [
    "$ curl -i http://h/v1/chat/completions -d @r.json\n",
    "user@host:~/work$ curl -i h/v1/chat/completions \\\n  -d '{\n\"model\": \"m\"}'\n",
    "$ http POST h/v1/chat/completions\n",
])  # fmt: skip
@pytest.mark.parametrize("prompt", ["", "user@host:~/work$ ", "\nuser@host:~/work$ exit\n", "\n(venv) root@h:/# "])
def test_status_and_headers_are_read_behind_the_command_of_a_terminal(command: str, prompt: str) -> None:
    answer = HEADERS.replace("200 OK", "429 Too Many Requests") + "\r\n" + json.dumps({"error": {"message": "m"}})
    [exchange] = _read(command + answer + prompt)
    assert isinstance(exchange, Exchange)
    assert (exchange.http.status, exchange.http.content_type) == (429, "application/json")
    assert isinstance(exchange.response, Payload)
    assert exchange.response.sound


@pytest.mark.parametrize("length", ["", LENGTH])
@pytest.mark.parametrize("remark", ["*   Trying 127.0.0.1:80...\n", "* Connection #0 to host h left intact\n", "\n"])
def test_body_ends_before_what_curl_or_the_shell_prints_behind_it(length: str, remark: str) -> None:
    sent = f"> POST /v1/chat/completions HTTP/1.1\n> Host: h\n> \n< {HEADERS}{length}< \n{COMPLETION}{remark}"
    assert [body.strip() for body in _bodies(sent.replace("\r", "") * 2)] == [COMPLETION] * 2


_WORDS = [
    "",
    "\n",
    "\n\n== Test 2: streaming ==\n",
    "\n[2] tools ...\n",
    "\n200 0.532s\n\n",
    "\n\nreal\t0m1.2s\nuser\t0m0.1s\n",
]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("words", _WORDS)
@pytest.mark.parametrize("headers", [HEADERS, HEADERS.replace("1.1", "2") + "Transfer-Encoding: chunked\r\n"])
def test_bodies_without_framing_end_before_what_a_script_printed_between_messages(
    headers: str, words: str, end: str
) -> None:
    stream = f"data: {json.dumps(chunk({'content': 'Ho'}))}\n\ndata: [DONE]\n\n"
    texts = [COMPLETION, stream, COMPLETION.replace("Ho", "}HTTP/1.1 200 OK"), COMPLETION]
    sent = words.join(f"{headers}\r\n{text}" for text in texts).replace("\r\n", "\n").replace("\n", end)
    assert [body.strip() for body in _bodies(sent)] == [text.replace("\n", end).strip() for text in texts]


@pytest.mark.parametrize("added", ["\n200", "200\n", "\nHTTPSTATUS:401", "\n\nHTTP_CODE: 200\nTIME=0.53s\n"])
@pytest.mark.parametrize("indent", [None, 1])
def test_what_curl_adds_behind_a_body_is_no_fault_of_it(added: str, indent: int | None) -> None:
    (exchange,) = _read(json.dumps(json.loads(ERROR), indent=indent) + added)
    assert isinstance(exchange, Exchange)
    assert isinstance(exchange.response, Payload)
    assert exchange.response.sound


def test_a_prompt_behind_a_document_is_no_fault_of_it_unless_the_file_is_called_json() -> None:
    for name, is_sound in (("answer.txt", True), ("answer.json", False)):
        (exchange,) = read_all(f"{COMPLETION}\nuser@host:~$ \n", name)
        assert isinstance(exchange, Exchange)
        assert isinstance(exchange.response, Payload)
        assert exchange.response.sound == is_sound


@pytest.mark.parametrize("added", ["\n20", "\nnull", '\n"200"', "\n200 {", "\nsee 200 and more"])
def test_other_text_behind_a_body_is_a_fault_of_it(added: str) -> None:
    (exchange,) = _read(ERROR + added)
    assert isinstance(exchange, Exchange)
    assert isinstance(exchange.response, Payload)
    assert not exchange.response.sound


def test_document_behind_a_body_is_a_fault_of_the_body() -> None:
    [exchange] = _read(f"{HEADERS}\r\n{COMPLETION}{COMPLETION}")
    assert isinstance(exchange, Exchange)
    assert isinstance(exchange.response, Payload)
    assert not exchange.response.sound


def test_answer_of_a_batch_may_stand_in_place_of_its_response() -> None:
    line = {"id": "vllm-1", "custom_id": "1", "response": json.loads(COMPLETION), "error": None}
    [exchange] = _read(json.dumps(line) + "\n")
    assert isinstance(exchange, Exchange)
    assert isinstance(exchange.response, Payload)
    assert exchange.response.value == json.loads(COMPLETION)


def test_the_result_of_a_batch_may_hold_the_chunks_of_a_stream() -> None:
    chunks = [chunk({"role": "assistant", "content": "Ho"}), chunk({}, "stop")]
    [exchange] = _read(json.dumps({"custom_id": "1", "response": {"status_code": 200, "body": chunks}}) + "\n")
    assert isinstance(exchange, Exchange)
    assert isinstance(exchange.response, Stream)
    assert exchange.response.values == chunks


def test_a_batch_request_without_a_response_is_skipped() -> None:
    line = {"id": "b", "custom_id": "1", "response": None, "error": {"code": "batch_expired", "message": "late"}}
    assert _bodies(json.dumps(line) + "\n") == ["a request of the batch that got no response"]


@pytest.mark.parametrize(
    "error", [{"object": "error", "message": "m"}, {"detail": "Not Found"}, {"detail": [{"loc": []}]}]
)
def test_errors_without_an_error_property_are_read_by_their_status(error: dict[str, Any]) -> None:
    (exchange,) = _read(f"HTTP/1.1 422 No\r\n\r\n{json.dumps(error)}")
    assert isinstance(exchange, Exchange)
    assert isinstance(exchange.response, Payload)


def test_output_of_curl_may_begin_with_a_line_about_bytes() -> None:
    lines = [
        "{ [5 bytes data]",
        "> POST /v1/chat/completions HTTP/1.1",
        "> ",
        "< HTTP/1.1 400 Bad Request",
        "< ",
        ERROR,
    ]
    assert _bodies("\r\n".join(lines)) == [ERROR]


def test_a_line_of_json_about_the_messages_may_stand_before_them() -> None:
    """As llm-tracelab writes it, padded with blanks."""
    about = json.dumps({"version": "V2", "meta": {"url": "/v1/chat/completions"}}) + " " * 50
    lines = [
        about,
        "POST /v1/chat/completions HTTP/1.1",
        "Host: api.example.com",
        "",
        '{"model": "m", "messages": []}',
        "HTTP/1.1 400 Bad Request",
        "",
        ERROR,
    ]
    (exchange,) = _read("\n".join(lines))
    assert isinstance(exchange, Exchange)
    assert exchange.request is not None
    assert exchange.request.text.place(0) == (5, 1)
    assert (exchange.host, exchange.http.status) == ("api.example.com", 400)
    assert all(isinstance(one, Skipped) for one in _read(f"{about}\n{about}"))


_BEGINNINGS = sorted({
    path.read_bytes()[:5000] for path in (FIXTURES / "captures").rglob("*.*") if path.is_file()
})  # fmt: skip
_PREFIXES = (b"", b"\xef\xbb\xbf", b" ", b"\n\n", b"{", b"[", b'{"a": ', b"x", b"{ [5 bytes data]\n> POST / HTTP/1.1\n")


@given(st.sampled_from(_BEGINNINGS), st.sampled_from(_PREFIXES))
def test_format_recognises_nothing_that_begins_otherwise_than_it_says(data: bytes, prefix: bytes) -> None:
    capture = Capture(io.BytesIO(prefix + data), "x")
    for name, format_ in input_formats().items():
        words = getattr(format_, "WORDS", None)
        if name not in captures.formats_beginning(as_json=capture.begins_as_json) or (
            words is not None and not any(word in capture.beginning for word in words)
        ):
            assert format_.recognise(capture) == 0, format_.NAME


@given(st.sampled_from(_BEGINNINGS), st.sampled_from(_PREFIXES))
def test_the_surest_of_all_formats_is_found_without_asking_all(data: bytes, prefix: bytes) -> None:
    capture = Capture(io.BytesIO(prefix + data), "x")
    sureness, name = max((format_.recognise(capture), name) for name, format_ in input_formats().items())
    found = captures._surest(capture)
    assert (found and found.NAME) == (name if sureness else None)


def test_no_format_recognises_other_data() -> None:
    for name, format_ in input_formats().items():
        for data in (b"", b"\0" * 99, b"Hello", b"<html>", b"\xff" * 99):
            assert format_.recognise(Capture(io.BytesIO(data), "x")) == 0, (name, data)
