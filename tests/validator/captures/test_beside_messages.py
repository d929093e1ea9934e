"""Test what other commands and programs printed behind an answer in a copy of a terminal: it is no part of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from payloads import CHUNKS, COMPLETION, ERROR, EVENTS, REQUEST, as_events, with_finish_reason
from reading import (
    all_exchanges,
    exchanges_in,
    findings_of_exchange,
    last_reason,
    place_in,
    read_all,
    rules_and_places,
    values_of,
)

from isogloss.validator.exchange import Payload, Stream

_HEAD = "HTTP/1.1 200 OK\nContent-Type: {}\n\n"
_JSON, _SSE = _HEAD.format("application/json"), _HEAD.format("text/event-stream")
_CURL = "> POST /v1/chat/completions HTTP/1.1\n> Host: h\n>\n< HTTP/1.1 200 OK\n< Content-Length: {}\n<\n"
_OTHER = with_finish_reason("bored") | {"id": "chatcmpl-Fake9"}
_ANSWERS = {
    "an answer": _JSON + json.dumps(COMPLETION) + "\n",
    "an answer over lines": _JSON + json.dumps(COMPLETION, indent=2) + "\n",
    "an answer without a line end": _JSON + json.dumps(COMPLETION),
    "a stream": _SSE + EVENTS,
    "an answer of curl -v": _CURL.format(len(json.dumps(COMPLETION))) + json.dumps(COMPLETION) + "\n",
}
_BEHIND = {
    "an answer": "{}\n",
    "a line of a log": "2026-01-01 10:00:00 INFO answer {}\n2026-01-01 10:00:01 INFO done\n",
    "an answer behind a prompt": "user@h:~$ curl -s h/v1/chat/completions -d @r.json\n{}\nuser@h:~$ \n",
}


@pytest.mark.parametrize("answer", _ANSWERS.values(), ids=_ANSWERS)
@pytest.mark.parametrize("behind", _BEHIND.values(), ids=_BEHIND)
def test_what_stands_behind_an_answer_is_an_exchange_of_its_own(answer: str, behind: str) -> None:
    if not answer.endswith("\n") and not behind.startswith("{"):
        answer += "\n"
    text = answer + behind.format(json.dumps(_OTHER))
    first, second = exchanges_in(text, "out.txt")
    expected = [("unknown-value", *place_in(text, '"bored"'))]
    assert (rules_and_places(first), rules_and_places(second)) == ([], expected)


def test_answers_may_stand_between_messages() -> None:
    bare = json.dumps(_OTHER) + "\n"
    found = exchanges_in(_ANSWERS["an answer"] + bare + _ANSWERS["an answer"] + bare, "out.txt")
    assert [one.http.status for one in found] == [200, None, 200, None]
    assert [one.number for one in found] == [0, 1, 2, 3]


def test_streams_of_other_ids_behind_an_answer_are_read() -> None:
    other = as_events(*[one | {"id": "chatcmpl-Fake9"} for one in CHUNKS], "[DONE]")
    found = exchanges_in(_JSON + json.dumps(COMPLETION) + "\n" + other, "out.txt")
    assert [type(one.response) for one in found] == [Payload, Stream]


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        (json.dumps(COMPLETION) + "\n" + json.dumps(COMPLETION), "lines-not-events"),
        (json.dumps(COMPLETION) + "\n" + json.dumps(ERROR), "lines-not-events"),
        (json.dumps(COMPLETION) + "\n<br />Warning: x", "json-extra-data"),
        ("\n".join(map(json.dumps, CHUNKS)), "lines-not-events"),
        (EVENTS + json.dumps(ERROR) + "\n", "sse-unknown-line"),
    ],
)
def test_what_a_server_may_have_sent_behind_an_answer_is_a_fault_of_it(body: str, rule: str) -> None:
    head = _SSE if body.startswith("data:") else _JSON
    [found] = all_exchanges(head + body, "out.txt")
    assert rule in {finding.rule for finding in findings_of_exchange(found)}


def test_a_line_of_a_log_behind_a_stream_is_no_part_of_it() -> None:
    log = _BEHIND["a line of a log"].format(json.dumps(COMPLETION))
    found = exchanges_in(EVENTS + log, "out.txt")
    assert [type(one.response) for one in found] == [Stream, Payload]


@pytest.mark.parametrize("name", ["out.txt", "out.json", "out"])
def test_answers_that_several_commands_wrote_without_line_ends_are_read_one_by_one(name: str) -> None:
    answers: list[Any] = [COMPLETION, _OTHER, COMPLETION | {"id": "chatcmpl-Fake8"}]
    text = "".join(map(json.dumps, answers))
    found = exchanges_in(text, name)
    assert [one.response.value for one in found if isinstance(one.response, Payload)] == answers
    assert rules_and_places(found[1]) == [("unknown-value", 1, text.index('"bored"') + 1)]


@pytest.mark.parametrize("words", ["=== the second ===\n", "\n# next\n\n", "+ curl -s h\n"])
@pytest.mark.parametrize("first", ["an answer", "a stream"])
def test_words_may_stand_between_an_answer_and_what_another_command_printed(words: str, first: str) -> None:
    found = exchanges_in(_ANSWERS[first] + words + json.dumps(_OTHER), "out.txt")
    assert [[rule for rule, *_ in rules_and_places(one)] for one in found] == [[], ["unknown-value"]]


@pytest.mark.parametrize(
    "body",
    [json.dumps(COMPLETION) + "\n", _JSON + json.dumps(COMPLETION) + "\n", EVENTS, _SSE + EVENTS],
    ids=["an answer", "an answer with its headers", "a stream", "a stream with its headers"],
)
@pytest.mark.parametrize(
    "words",
    ["\nreal\t0m0.512s\nuser\t0m0.010s\nsys\t0m0.004s\n", "curl: (18) transfer closed\n", "user@h:~$ \n"],
    ids=["time", "curl", "prompt"],
)
def test_what_time_and_curl_say_behind_a_body_is_no_part_of_it(body: str, words: str) -> None:
    [found] = exchanges_in(body + words, "out.txt")
    assert rules_and_places(found) == []


@pytest.mark.parametrize("end", ["0\r\n\r\n", "<br />Warning\n", '"x"\n', "OK\n"])
def test_other_words_behind_an_answer_are_a_fault_of_it(end: str) -> None:
    [found] = all_exchanges(_ANSWERS["an answer"] + end, "out.txt")
    assert [rule for rule, *_ in rules_and_places(found)] == ["json-extra-data"]


_NOT_PRINTED = {
    "counted by curl": "* Trying\n> POST /v1/chat/completions HTTP/1.1\n> Host: h\n>\n} [9 bytes data]\n"
    "< HTTP/1.1 200 OK\n< Content-Type: application/json\n<\n{ [622 bytes data]\n* Connection #0\n",
    "with its length": "HTTP/1.1 200 OK\nContent-Type: application/json\nContent-Length: 622\n\n",
}


@pytest.mark.parametrize("text", _NOT_PRINTED.values(), ids=_NOT_PRINTED)
def test_a_body_that_was_not_printed_is_no_empty_one(text: str) -> None:
    assert last_reason(read_all(text, "out.txt")) == "an answer whose body was not printed"


def test_the_request_of_an_answer_that_was_not_printed_is_read() -> None:
    timeline = (
        "* Preparing request to http://h/v1/chat/completions\n\n> POST /v1/chat/completions HTTP/1.1\n> Host: h\n"
        f"> Content-Type: application/json\n\n| {json.dumps(REQUEST)}\n\n* Mark bundle\n\n"
        "< HTTP/1.1 200 OK\n< content-length: 622\n\n\n* Received 622 B chunk\n"
    )
    [found] = exchanges_in(timeline, "timeline.txt")
    assert values_of(found) == (REQUEST, None)
    assert rules_and_places(found) == []


@pytest.mark.parametrize("status", ["200 OK", "500 Internal Server Error"])
@pytest.mark.parametrize("headers", ["Transfer-Encoding: chunked\n", ""])
def test_headers_alone_do_not_show_that_a_body_was_empty(headers: str, status: str) -> None:
    head = f"HTTP/1.1 {status}\nContent-Type: text/event-stream\n{headers}\n"
    assert "curl -D" in last_reason(read_all(head, "out.headers"))
    framed = head.replace("\n\n", "\nTransfer-Encoding: chunked\n\n0\r\n\r\n")
    for printed in (_ASKED + head, head.replace("\n\n", "\nContent-Length: 0\n\n"), framed):
        [found] = exchanges_in(printed, "out.txt")
        assert {rule for rule, *_ in rules_and_places(found)} & {"stream-empty", "body-empty"}


_PROMISED = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 622\r\n\r\n"
_ASKED = f"POST /v1/chat/completions HTTP/1.1\r\nHost: h\r\n\r\n{json.dumps(REQUEST)}\r\n\r\n"
_LACKS = "* transfer closed with 90 bytes remaining to read\n* Closing connection\ncurl: (18) transfer closed\n"


@pytest.mark.parametrize("text", [_ASKED + _PROMISED, _CURL.format(622) + _LACKS], ids=["as sent", "curl -v"])
def test_a_body_that_was_announced_and_not_sent_is_an_empty_one(text: str) -> None:
    """Check that a capture shows it that has the body of the request, or says how many bytes are missing."""
    [found] = exchanges_in(text, "out.txt")
    assert [rule for rule, *_ in rules_and_places(found)] == ["body-empty"]


@pytest.mark.parametrize(
    "text",
    [
        "HEAD /v1/chat/completions HTTP/1.1\r\nHost: h\r\n\r\n" + _PROMISED,
        "$ curl -I https://h/v1/chat/completions\n" + _PROMISED,
        _CURL.format(622) + "* Connection #0 to host h left intact\n",
    ],
    ids=["a request for the headers", "curl -I", "curl -v"],
)
def test_a_body_that_nobody_asked_for_or_printed_is_no_empty_one(text: str) -> None:
    assert last_reason(read_all(text, "out.txt")) == "an answer whose body was not printed"


@pytest.mark.parametrize("between", ["", "\n"])
@pytest.mark.parametrize("prompt", ["", "user@h:~$ "])
def test_what_curl_says_behind_a_body_that_is_cut_off_is_no_part_of_it(between: str, prompt: str) -> None:
    body = json.dumps(COMPLETION)[:-90]
    [found] = exchanges_in(f"{_CURL.format(len(body) + 90)}{body}{between}{_LACKS}{prompt}", "out.txt")
    assert found.response is not None
    assert found.response.text.data.decode().rstrip() == body


def test_an_empty_body_is_one_if_nothing_says_otherwise() -> None:
    request = "POST /v1/chat/completions HTTP/1.1\nHost: h\n\n"
    text = f"{request}HTTP/1.1 200 OK\nContent-Type: application/json\nContent-Length: 0\n\n"
    [found] = exchanges_in(text, "out.txt")
    assert [rule for rule, *_ in rules_and_places(found)] == ["body-empty"]
