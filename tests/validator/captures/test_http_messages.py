"""Tests of HTTP messages as curl and terminals print them: where a body ends, and what stands around it."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from payloads import chunk
from reading import all_exchanges, bodies_in, read_all, rules_and_places, values_of

from isogloss.validator.captures import wire
from isogloss.validator.decode import decode_json
from isogloss.validator.exchange import Exchange, NotJson, Payload, Skipped
from isogloss.validator.text import Place, Text

ERROR = '{"error": {"message": "no", "type": "t", "param": null, "code": null}}'
CHUNKED = "HTTP/1.1 400 X\r\nTransfer-Encoding: chunked\r\n\r\n"
EVENTS = 'data: {"id":"c","choices":[]}\n\ndata: [DONE]\n\n'


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
    assert bodies_in(head + body) == expected


LF_CHUNKED = f"46\n{ERROR}\n0\n\n"
NEXT = f"HTTP/1.1 400 X\r\n\r\n{ERROR}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"HTTP/1.1 400 X\r\nContent-Length: {'9' * 5000}\r\n\r\n{ERROR}", [ERROR]),
        (f"HTTP/1.1 400 X\r\nContent-Length: 99999\r\n\r\n{ERROR}{NEXT}", [ERROR, ERROR]),
        (
            f"HTTP/1.1 304 X\r\nContent-Length: {len(NEXT) + 2}\r\n\r\n{NEXT}\r\n{NEXT}",
            ["an answer whose body was not printed", f"{ERROR}\r\n", ERROR],
        ),
        (CHUNKED + LF_CHUNKED + NEXT, [ERROR, ERROR]),
        (f"HTTP/1.1 400 X\r\n\r\n{ERROR}\nGET ready\n{NEXT}", [ERROR, ERROR]),
    ],
    ids=["long length", "wrong length", "length without a body", "line feeds", "a word like a method"],
)
def test_what_a_message_says_of_its_body_hides_no_other_message(text: str, expected: list[str]) -> None:
    assert bodies_in(text) == expected


def test_an_empty_body_in_chunks_stands_behind_its_headers() -> None:
    (message,) = wire.wire_messages(Text(CHUNKED.encode()))
    assert (message.body.data, message.body.place(0)) == (b"", Place(4, 1))


@pytest.mark.parametrize(
    "text",
    [
        "HTTP/1.1 200 X\r\n\r\n" + "[x]HTTP/1.1 200 " * 1000,
        "HTTP/1.1 200 X\r\n\r\n" + "".join(f"[{number}HTTP/1.1 200 X\r\n\r\n]" for number in range(1000)),
    ],
)
def test_little_is_decoded_to_find_the_end_of_a_body(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []

    def decode(data: bytes) -> object:
        sizes.append(len(data))
        return decode_json(data)

    monkeypatch.setattr(wire, "decode_json", decode)
    list(wire.wire_messages(Text(text.encode())))
    assert sum(sizes) <= 2 * len(text)


def test_chunks_that_lead_nowhere_are_followed_once() -> None:
    """Check that reading takes linear time: in quadratic time, this would take seconds."""
    head = "HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n"
    count = 2000
    heads = [f"{head}{(len(head) + 10) * left:08x}\r\n" for left in range(count)][::-1]
    text = "".join(heads) + "\r\n" + "1\r\na\r\n" * count + "end"
    start = time.process_time()
    assert len(list(wire.wire_messages(Text(text.encode())))) == count
    assert time.process_time() - start < 1


def test_comments_of_curl_are_removed_from_a_stream() -> None:
    first, last = EVENTS[: EVENTS.index("data: [D")], EVENTS[EVENTS.index("data: [D") :]
    output = f"> POST /v1/chat/completions HTTP/2\n> Host: h\n> \n< HTTP/2 200 \n< \n{{ [9 bytes data]\n{first}"
    output += f"{{ [5 bytes data]\n{last}* Connection #0 to host h left intact\n"
    assert bodies_in(output) == [EVENTS]
    assert bodies_in(output.replace("\n* Connection", "* Connection")) == [EVENTS[:-1]]


@pytest.mark.parametrize("length", [5, 100_000])
def test_a_request_whose_body_curl_did_not_print_ends_with_its_headers(length: int) -> None:
    output = f"> POST /v1/chat/completions HTTP/1.1\n> Host: h\n> Content-Length: {length}\n> \n}} [5 bytes data]\n"
    output += f"< HTTP/1.1 400 X\n< Content-Type: application/json\n< \n{{ [9 bytes data]\n{ERROR}"
    assert bodies_in(output) == [ERROR]


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
    [exchange] = read_all(command + answer + prompt)
    assert isinstance(exchange, Exchange)
    assert (exchange.http.status, exchange.http.content_type) == (429, "application/json")
    assert isinstance(exchange.response, Payload)
    assert exchange.response.sound


@pytest.mark.parametrize("length", ["", LENGTH])
@pytest.mark.parametrize("remark", ["*   Trying 127.0.0.1:80...\n", "* Connection #0 to host h left intact\n", "\n"])
def test_body_ends_before_what_curl_or_the_shell_prints_behind_it(length: str, remark: str) -> None:
    sent = f"> POST /v1/chat/completions HTTP/1.1\n> Host: h\n> \n< {HEADERS}{length}< \n{COMPLETION}{remark}"
    assert [body.strip() for body in bodies_in(sent.replace("\r", "") * 2)] == [COMPLETION] * 2


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
    assert [body.strip() for body in bodies_in(sent)] == [text.replace("\n", end).strip() for text in texts]


@pytest.mark.parametrize("added", ["\n200", "200\n", "\nHTTPSTATUS:401", "\n\nHTTP_CODE: 200\nTIME=0.53s\n"])
@pytest.mark.parametrize("indent", [None, 1])
def test_what_curl_adds_behind_a_body_is_no_fault_of_it(added: str, indent: int | None) -> None:
    (exchange,) = read_all(json.dumps(json.loads(ERROR), indent=indent) + added)
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
    (exchange,) = read_all(ERROR + added)
    assert isinstance(exchange, Exchange)
    assert isinstance(exchange.response, Payload)
    assert not exchange.response.sound


def test_document_behind_a_body_is_a_fault_of_the_body() -> None:
    [exchange] = read_all(f"{HEADERS}\r\n{COMPLETION}{COMPLETION}")
    assert isinstance(exchange, Exchange)
    assert isinstance(exchange.response, Payload)
    assert not exchange.response.sound


@pytest.mark.parametrize(
    "error", [{"object": "error", "message": "m"}, {"detail": "Not Found"}, {"detail": [{"loc": []}]}]
)
def test_errors_without_an_error_property_are_read_by_their_status(error: dict[str, Any]) -> None:
    (exchange,) = read_all(f"HTTP/1.1 422 No\r\n\r\n{json.dumps(error)}")
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
    assert bodies_in("\r\n".join(lines)) == [ERROR]


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
    (exchange,) = read_all("\n".join(lines))
    assert isinstance(exchange, Exchange)
    assert exchange.request is not None
    assert exchange.request.text.place(0) == (5, 1)
    assert (exchange.host, exchange.http.status) == ("api.example.com", 400)
    assert all(isinstance(one, Skipped) for one in read_all(f"{about}\n{about}"))


@pytest.mark.parametrize("behind", ["", "\n\nElapsed time: 0.02s\n", "\n\nElapsed time: 2.5e-05s\n\n"])
def test_events_that_httpie_indented_are_those_that_were_sent(behind: str) -> None:
    chunks = [chunk({"role": "assistant", "content": "Hé"}), chunk({}, "stop")]
    events = "".join(f"data: {json.dumps(one, indent=4, sort_keys=True, ensure_ascii=False)}\n\n" for one in chunks)
    text = f"HTTP/1.1 200 OK\ncontent-type: text/event-stream\n\n{events}data: [DONE]\n\n{behind}"
    [exchange] = all_exchanges(text)
    assert values_of(exchange)[1] == [*chunks, NotJson.DONE]
    assert rules_and_places(exchange) == []


@pytest.mark.parametrize("options", [{"indent": 2, "sort_keys": True}, {"indent": 4}])
def test_events_over_lines_that_a_server_sent_are_faults(options: dict[str, Any]) -> None:
    events = "".join(
        f"data: {json.dumps(one, **options)}\n\n" for one in (chunk({"role": "assistant"}), chunk({}, "stop"))
    )
    [exchange] = all_exchanges(f"HTTP/1.1 200 OK\ncontent-type: text/event-stream\n\n{events}data: [DONE]\n\n")
    assert "sse-unknown-line" in {rule for rule, _, _ in rules_and_places(exchange)}


def test_what_httpie_printed_before_an_indented_event_is_no_place_of_a_fault_in_it() -> None:
    event = json.dumps(chunk({"role": "assistant"}, "bored"), indent=4, sort_keys=True)
    text = f"HTTP/1.1 200 OK\ncontent-type: text/event-stream\n\ndata: {event}\n\ndata: [DONE]\n\n"
    [exchange] = all_exchanges(text)
    [(rule, line, column)] = rules_and_places(exchange)
    assert rule == "unknown-value"
    assert text.splitlines()[line - 1][column - 1 :].startswith('"bored"')
