"""Tests of logs in which records in JSON, lines of text, requests and their answers stand in any mixture."""

from __future__ import annotations

import json
from typing import Any

import pytest
from payloads import COMPLETION, ERROR, EVENTS, FAULTY, REQUEST, json_lines, with_finish_reason
from reading import all_exchanges, exchanges_in, findings_of_exchange, values_of

_ASKED, _GOT = json.dumps(REQUEST), json.dumps(COMPLETION)
_RECORD = json.dumps({"time": "2026-03-01T10:00:00Z", "request": REQUEST, "response": COMPLETION})
_LATER = _RECORD.replace("10:00:00", "10:00:09")
_START = '{"level": "info", "msg": "start"}\n'
_LOGS = {
    "words before a record": f"Server started\n{_RECORD}\n",
    "words behind a record": f"{_RECORD}\n^C\nShutting down\n",
    "words between records": f'{_RECORD}\nINFO: 127.0.0.1 - "POST /v1/chat/completions HTTP/1.1" 200 OK\n{_LATER}\n',
    "a record before entries": f"{_START}10:00:00 DEBUG asked {_ASKED}\n10:00:01 DEBUG got {_GOT}\n",
    "a record before words": f"{_START}asked {_ASKED}\n{_START}got {_GOT}\n",
    "both on one line": f"[8f-1] asked={_ASKED} got={_GOT}\n",
    "both on one line behind a time": f"10:00:00 DEBUG asked={_ASKED} got={_GOT}\n",
    "records over lines": (
        f"{_START}{json.dumps(REQUEST, indent=1)}\n{_START}HTTP/2 200\n\n{_START}{json.dumps(COMPLETION, indent=1)}\n"
    ),
}


@pytest.mark.parametrize("log", _LOGS.values(), ids=_LOGS)
def test_a_request_and_its_answer_are_an_exchange_whatever_lines_stand_beside_them(log: str) -> None:
    found = exchanges_in(log, "app.log")
    assert [values_of(one) for one in found] == [(REQUEST, COMPLETION)] * log.count("chatcmpl")
    assert {finding.rule for one in found for finding in findings_of_exchange(one)} <= {"documented-property-absent"}


def test_text_behind_a_record_is_a_fault_where_the_file_is_called_like_json() -> None:
    [found] = all_exchanges(_LOGS["words behind a record"], "app.json")
    assert "json-extra-data" in {finding.rule for finding in findings_of_exchange(found)}


@pytest.mark.parametrize("name", ["page.md", "test.py"])
def test_both_on_one_line_are_no_exchange_in_a_page_or_a_program(name: str) -> None:
    assert all_exchanges(_LOGS["both on one line"], name) == []


@pytest.mark.parametrize("fence", ["```\n", "diff --git a/x b/x\n"])
def test_both_on_one_line_are_an_example_in_a_text_with_fences_or_differences(fence: str) -> None:
    assert all_exchanges(fence + _LOGS["both on one line"], "app.txt") == []


_BEGINNINGS = [
    "D, [2026-03-01T10:00:00.123456 #12] DEBUG -- : ",
    "[Nest] 1234  - 03/01/2026, 10:00:00 AM   DEBUG [LlmService] ",
    "[2026-03-01, 10:00:00 UTC] {llm.py:12} INFO - ",
    "3/1/2026 9:00:00 AM ",
    "[Sun Mar  1 10:00:00 2026] ",
    "[Sun Mar 01 10:00:00.123456 2026] [app:error] [pid 12] ",
    "[01-Mar-2026 10:00:00 UTC] ",
    "[12345] ",
]


@pytest.mark.parametrize("beginning", _BEGINNINGS)
def test_a_line_that_begins_as_loggers_write_it_is_one_of_a_log_whatever_the_file_is_called(beginning: str) -> None:
    for log in (f"{beginning}asked={_ASKED} got={_GOT}\n", f"{beginning}asked {_ASKED}\n{beginning}got {_GOT}\n"):
        assert [values_of(one) for one in exchanges_in(log, "<stdin>")] == [(REQUEST, COMPLETION)]


@pytest.mark.parametrize("label", ["", "body: ", "[client] ", "> "])
@pytest.mark.parametrize("between", ["", "--> END POST (60-byte body)\n<-- 429 https://api.example.com (8ms)\n"])
def test_an_error_behind_a_request_is_its_answer_in_a_text_without_another_one(label: str, between: str) -> None:
    text = (
        f"--> POST https://api.example.com/v1/chat/completions\n{label}{_ASKED}\n{between}{label}{json.dumps(ERROR)}\n"
    )
    assert [values_of(one) for one in exchanges_in(text, "client.txt")] == [(REQUEST, ERROR)]


def test_an_error_in_a_text_without_a_request_may_come_from_any_service() -> None:
    assert all_exchanges(f"got\nbody: {json.dumps(ERROR)}\n", "client.txt") == []
    assert all_exchanges(f"body: {json.dumps(ERROR)}\nbody: {_ASKED}\n", "client.txt") == []


def test_labels_that_are_repeated_are_no_keys_of_yaml() -> None:
    text = "".join(f"request: {_ASKED}\nresponse: {json.dumps(answer)}\n" for answer in (COMPLETION, FAULTY))
    assert [values_of(one) for one in exchanges_in(text, "app.log")] == [(REQUEST, COMPLETION), (REQUEST, FAULTY)]


def test_values_behind_tabs_before_a_body_are_no_table() -> None:
    log = (
        f"Request method:\tPOST\nRequest URI:\thttps://api.example.com/v1/chat/completions\nHeaders:\t\tAccept=*/*\n"
        f"Body:\n{json.dumps(REQUEST, indent=4)}\nHTTP/1.1 200 OK\nContent-Type: application/json\n\n"
        f"{json.dumps(COMPLETION, indent=4)}\n"
    )
    assert [values_of(one) for one in exchanges_in(log, "test.log")] == [(REQUEST, COMPLETION)]


# Errors in strings and in records

_BODIES = {"in a string": json.dumps, "in an object": lambda value: value}


@pytest.mark.parametrize("answer", [COMPLETION, ERROR])
@pytest.mark.parametrize("record", [{"topic": "t", "offset": 1}, {"MessageId": "m"}])
def test_a_string_of_json_may_hold_a_request_and_its_error(answer: Any, record: dict[str, Any]) -> None:
    body = json.dumps({"request": REQUEST, "response": answer})
    assert [values_of(one) for one in exchanges_in(record | {"payload": body})] == [(REQUEST, answer)]


@pytest.mark.parametrize("write", _BODIES.values(), ids=_BODIES)
@pytest.mark.parametrize("answer", [COMPLETION, ERROR])
def test_an_error_is_joined_with_its_request_by_the_id_of_their_records(write: Any, answer: Any) -> None:
    lines = [{"level": "DEBUG", "request_id": "r1", "fields": {"body": write(one)}} for one in (REQUEST, answer)]
    assert [values_of(one) for one in exchanges_in(json_lines(*lines), "app.jsonl")] == [(REQUEST, answer)]


# Records that follow each other


@pytest.mark.parametrize("between", ["", ",", ",\n", "\n---\n", " "])
@pytest.mark.parametrize("size", [2, 200])
def test_records_may_follow_each_other_without_a_line_between_them(between: str, size: int) -> None:
    answers = [with_finish_reason("stop" if number % 2 else "bored") for number in range(size)]
    records = [json.dumps({"request": REQUEST, "response": answer}) for answer in answers]
    assert [values_of(one) for one in exchanges_in(between.join(records), "part-0000")] == [
        (REQUEST, answer) for answer in answers
    ]


def test_several_records_on_a_line_of_json_lines_are_read_with_their_places() -> None:
    records = [json.dumps({"request": REQUEST, "response": one}) for one in (COMPLETION, with_finish_reason("bored"))]
    lines = "\n".join(["".join(records)] * 2)
    found = exchanges_in(lines, "part.jsonl")
    places = [
        (finding.source.line, finding.source.column)
        for one in found
        for finding in findings_of_exchange(one)
        if finding.rule == "unknown-value"
    ]
    column = lines.index('"bored"') + 1
    assert (len(found), places) == (4, [(1, column), (2, column)])


@pytest.mark.parametrize("body", [_GOT + _GOT, _GOT + " {}", f"{_RECORD}{EVENTS}"])
def test_a_body_that_is_sent_twice_and_text_behind_a_record_are_no_records(body: str) -> None:
    [found] = all_exchanges(body, "body.json")
    assert "json-extra-data" in {finding.rule for finding in findings_of_exchange(found)}
