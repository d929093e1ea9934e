"""Tests of recordings of Chat Completions in an unknown layout: the reason for skipping names their properties."""

from __future__ import annotations

import html
import json
import sqlite3
from contextlib import closing
from typing import Any

import pytest
from payloads import COMPLETION, REQUEST
from reading import read_all

from isogloss.validator.exchange import Exchange, Payload, Skipped

URL = "https://api.example.com/v1/chat/completions"
UNKNOWN_LAYOUT = "names the URL of /chat/completions, in a layout that is not read"


@pytest.mark.parametrize(
    ("data", "properties"),
    [
        ({"meta": {"v": 1}, "turn": {"url": URL, "sent": "x", "reply": "y"}}, "`meta`, `turn`"),
        ([{"target": f"{URL}?key=1", "reply": "x"}], "`target`, `reply`"),
        (f'version: 3\ntape:\n  - endpoint: "{URL}"\n    answer: x\n', "`version`, `tape`"),
        ({f"k{number}": {"requestUrl": URL, "responseText": "x"} for number in range(20)}, "`k6`, `k7`, …"),
    ],
)
def test_an_unknown_layout_is_reported_with_its_properties(data: object, properties: str) -> None:
    parts = read_all(data)
    assert any(
        isinstance(part, Skipped) and UNKNOWN_LAYOUT in part.reason and properties in part.reason for part in parts
    )
    assert not any(isinstance(part, Exchange) for part in parts)


@pytest.mark.parametrize(("held", "advises"), [({}, False), ({"sent": REQUEST}, True)])
def test_columns_are_advised_only_for_a_record_that_holds_a_body(held: dict[str, Any], advises: bool) -> None:
    (part,) = read_all({"entries": [{"call": {"url": URL, "reply": "store/1.json"} | held}]})
    assert isinstance(part, Skipped)
    assert UNKNOWN_LAYOUT in part.reason
    assert ("--columns" in part.why.advice) == advises


def test_of_a_list_only_the_items_that_name_the_url_are_an_unknown_layout() -> None:
    parts = read_all([{"name": "a", "test": {"response": 1}}, {"call": {"url": URL, "reply": "x"}}, {"name": "b"}])
    reasons = [part.reason for part in parts if isinstance(part, Skipped)]
    assert [UNKNOWN_LAYOUT in reason for reason in reasons] == [False, True, False]
    assert reasons[1].endswith("`call`")


@pytest.mark.parametrize("name", ["capture", "capture.json", "capture.txt", "capture.jsonl"])
@pytest.mark.parametrize(
    "layout",
    [
        COMPLETION,
        {"request": REQUEST, "response": COMPLETION},
        {"request": {"method": "POST", "url": URL, "body": REQUEST}, "response": {"status": 200, "body": COMPLETION}},
        {"case": "a", "in": REQUEST, "out": COMPLETION},
        [{"url": URL, "request": json.dumps(REQUEST), "response": json.dumps(COMPLETION)}],
    ],
)
def test_of_a_document_that_is_cut_off_before_anything_is_found_the_reason_says_where(name: str, layout: Any) -> None:
    text = json.dumps(layout)
    for end in range(3, len(text), 7):
        parts = read_all(text[:end], name)
        reasons = [part.reason for part in parts if isinstance(part, Skipped)]
        is_read = any(isinstance(part, Exchange) for part in parts)
        assert is_read or any("the text ends inside" in one or "are not those" in one for one in reasons), text[:end]


@pytest.mark.parametrize(
    "data",
    [
        {"openapi": "3.1.0", "info": {}, "paths": {"/v1/chat/completions": {}}},
        {"url": "https://api.example.com/v1/chat/completions/batch", "x": 1},
        {"note": f"see {URL}", "x": 1},
        {"url": "https://api.example.com/v1/embeddings", "x": 1},
        f"see {URL} for more\n",
        {"provider": "x", "base_url": "https://api.example.com/v1", "url": URL, "headers": {}, "timeout": 3},
        {"model_list": [{"model_name": "m", "litellm_params": {"api_base": URL, "max_completion_tokens": 9}}]},
        f"providers:\n  - name: x\n    endpoint: {URL}\n    response_format: json\n",
        "on: push\njobs:\n  ask:\n    env:\n      URL: https://api.example.com/v1/chat/completions\n",
        f'import requests\n\nurl = "{URL}"\n',
        f'#!/usr/bin/env python\n# call: it\nURL: str = "{URL}"\n',
        f"export default {{\n  name: 'x',\n  path: '{URL}'\n}}\n",
        f"Metadata-Version: 2.4\nName: x\n\n# x\n\n    url = '{URL}'\n    ask(\n      url: '{URL}',\n    )\n",
    ],
)
def test_other_documents_are_not_reported_as_an_unknown_layout(data: object) -> None:
    parts = read_all(data)
    assert parts
    for part in parts:
        assert isinstance(part, Skipped)
        assert UNKNOWN_LAYOUT not in part.reason


def test_a_capture_with_an_exchange_is_not_reported_as_an_unknown_layout() -> None:
    request = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
    exchange, skipped = read_all([request, {"url": URL, "sent": "x"}])
    assert isinstance(exchange, Exchange)
    assert isinstance(skipped, Skipped)
    assert UNKNOWN_LAYOUT not in skipped.reason


@pytest.mark.parametrize(("name", "is_output"), [("run.log", True), ("out.txt", True), ("test_app.py", False)])
def test_how_to_print_is_advised_for_the_output_of_a_program_and_not_for_the_program(
    name: str, is_output: bool
) -> None:
    (skipped,) = read_all("answer = ChatCompletion(id='chatcmpl-1', choices=[])\n", name)
    assert isinstance(skipped, Skipped)
    assert ("json.dumps()" in skipped.reason) == is_output


@pytest.mark.parametrize("choices", ["[Array]", "[ [Object] ]", "[\n      [Object]\n    ]"])
@pytest.mark.parametrize(("name", "is_output"), [("run.log", True), ("app.js", False)])
def test_how_to_print_is_advised_if_node_left_out_parts(name: str, is_output: bool, choices: str) -> None:
    (skipped,) = read_all(f"got {{\n  body: {{\n    id: 'chatcmpl-1',\n    choices: {choices}\n  }}\n}}\n", name)
    assert isinstance(skipped, Skipped)
    assert ("JSON.stringify()" in skipped.reason) == is_output


@pytest.mark.parametrize("name", ["message", "delta"])
def test_how_to_print_is_advised_if_node_left_out_what_is_deepest(name: str) -> None:
    printed = f"{{\n  id: 'chatcmpl-1',\n  choices: [ {{ index: 0, {name}: [Object], finish_reason: 'stop' }} ]\n}}\n"
    (skipped,) = read_all(printed, "run.txt")
    assert isinstance(skipped, Skipped)
    assert "JSON.stringify()" in skipped.reason


_TRACED = "{}{}\n0000: POST /v1/chat/completions HTTP/1.1\n<= Recv data, 9 bytes (0x9)\n0000: data: {{..\n"


@pytest.mark.parametrize("time", ["", "08:00:00.123456 "])
@pytest.mark.parametrize("line", ["== Info:   Trying 127.0.0.1:80...", "=> Send header, 151 bytes (0x97)"])
def test_a_trace_without_all_bytes_is_skipped_with_advice(line: str, time: str) -> None:
    (skipped,) = read_all(_TRACED.format(time, line), "trace.txt")
    assert isinstance(skipped, Skipped)
    assert "curl --trace," in skipped.reason


@pytest.mark.parametrize("lines", [1, 3])
@pytest.mark.parametrize("name", ["bodies.jsonl", "<stdin>"])
def test_bodies_as_strings_are_skipped_with_advice(name: str, lines: int) -> None:
    (skipped,) = read_all(f"{json.dumps(json.dumps(COMPLETION))}\n" * lines, name)
    assert isinstance(skipped, Skipped)
    assert "jq -r" in skipped.why.advice


_CALLS = {
    "an access log": 'INFO:     127.0.0.1:50710 - "POST /v1/chat/completions HTTP/1.1" 200 OK',
    "httpx": '2026-11-29 09:11:12,610 httpx INFO HTTP Request: POST http://h/v1/chat/completions "HTTP/1.1 200 OK"',
    "openai for Python": "[2026-11-29 09:11:12 - openai._base_client:1220 - DEBUG] HTTP Response: POST 200",
}


@pytest.mark.parametrize("line", _CALLS.values(), ids=_CALLS)
def test_a_log_of_requests_without_their_answers_is_skipped_with_advice(line: str) -> None:
    (skipped,) = read_all(f"{line}\n" * 3, "server.log")
    assert isinstance(skipped, Skipped)
    assert "none of their answers" in skipped.reason
    assert "docs/proxy.md" in skipped.why.advice


def test_a_page_that_is_called_like_a_text_is_skipped_with_advice() -> None:
    page = f"## A title\n\nprint(1)\n\nExample:\n\n```\n{json.dumps(COMPLETION)}\n```\n"
    (skipped,) = read_all(page, "notes.txt")
    assert isinstance(skipped, Skipped)
    assert "--input-format markdown" in skipped.why.advice


def test_a_database_of_sqlite_is_skipped_with_advice() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE calls (request TEXT, response TEXT)")
        (skipped,) = read_all(connection.serialize(), "logs.db")
    assert isinstance(skipped, Skipped)
    assert "sqlite3 FILE .dump" in skipped.reason


@pytest.mark.parametrize(
    ("name", "begins", "recorder"),
    [
        ("test_chat.ambr", "# serializer version: 1\n# name: test_chat\n  dict({\n    'object': ", "syrupy"),
    ],
)
@pytest.mark.parametrize("is_chat", [True, False])
def test_a_recorder_whose_captures_are_not_read_is_named_if_they_hold_traffic(
    name: str, begins: str, recorder: str, is_chat: bool
) -> None:
    (skipped,) = read_all(begins + ("'chat.completion'" if is_chat else "'light.kitchen'") + ",\n  })\n# ---\n", name)
    assert isinstance(skipped, Skipped)
    assert (recorder in skipped.reason) == is_chat


_LINE = json.dumps(COMPLETION)
_INDENTED = json.dumps(COMPLETION, indent=2)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("case.toml", f"[[cases]]\nname = 'a'\nresponse = '''\n{_INDENTED}\n'''\n"),
        ("chat.bru", f"meta {{\n  name: chat\n}}\n\nexample {{\n  content: '''\n    {_LINE}\n  '''\n}}\n"),
        ("chat.apib", f"FORMAT: 1A\n\n# Chat [/v1/chat/completions]\n\n+ Response 200\n\n        {_LINE}\n"),
        ("junit.xml", f"<testsuites><system-out><![CDATA[response: {_LINE}]]></system-out></testsuites>"),
        (
            "session.xml",
            f"<?xml version='1.0'?>\n<session><response><body><![CDATA[{_LINE}]]></body></response></session>",
        ),
    ],
)
def test_payloads_in_a_layout_that_is_not_read_are_said_to_be_there_and_read_as_advised(name: str, text: str) -> None:
    (skipped,) = read_all(text, name)
    assert isinstance(skipped, Skipped)
    assert skipped.reason == "holds payloads of Chat Completions in a layout that is not read"
    assert "--input-format log" in skipped.why.advice
    (found,) = read_all(text, name, "log")
    assert isinstance(found, Exchange)
    assert isinstance(found.response, Payload)
    assert found.response.value == COMPLETION


@pytest.mark.parametrize("text", ["<log>%s</log>", "<?xml version='1.0'?>\n<a><b c='1'>%s</b></a>\n"])
def test_answers_that_are_escaped_in_markup_are_said_to_be_there(text: str) -> None:
    for answer in (_LINE, _INDENTED):
        (skipped,) = read_all(text % html.escape(answer), "results.xml")
        assert isinstance(skipped, Skipped)
        assert "escaped text of XML" in skipped.reason


@pytest.mark.parametrize("text", ['x = {"choices": [1, 2]}', '{{ "messages": [ }}', 'choose = \'{"choices": ["a"]}\''])
def test_other_texts_are_not_said_to_hold_payloads(text: str) -> None:
    (skipped,) = read_all(text, "settings.toml")
    assert isinstance(skipped, Skipped)
    assert "payloads" not in skipped.reason


def test_keys_among_the_properties_are_masked() -> None:
    (skipped,) = read_all({"sk-proj-Zq8LmN4xR7vT2wY6pK1s": {"url": URL, "status": 200}})
    assert isinstance(skipped, Skipped)
    assert UNKNOWN_LAYOUT in skipped.reason
    assert "Zq8LmN4x" not in skipped.reason


@pytest.mark.parametrize("url", ["x" * 70_000, '"url":' * 9000, "url: " * 9000])
def test_looking_for_the_url_takes_linear_time(url: str) -> None:
    (part,) = read_all({"url": url, "path": url})
    assert isinstance(part, Skipped)
