"""Tests of layouts of recorders: what is read in each, where a fault in it is, and that other APIs bring no verdict."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import escape
from typing import Any

import pytest
from payloads import CHUNKS, COMPLETION, EVENTS, REQUEST, URL, as_events, chunk, with_finish_reason
from reading import all_exchanges, exchange_in, read_all, rules_and_places, values_of

from isogloss.validator.exchange import Skipped

_ASKED = REQUEST | {"messages": [{"role": "user", "content": 'Name "a" bird\nin C:\\birds'}]}
_FAULTY = with_finish_reason("halted")
_FAULTY_CHUNKS = [CHUNKS[0], chunk({}, "halted")]
_MARKS = r'(?:\\x22|&quot;|[\\"])*'
"""Quotation marks, as recorders write them."""


def _text(body: Any) -> str:
    return body if isinstance(body, str) else json.dumps(body, separators=(",", ":"))


def _indented(body: Any) -> str:
    return body if isinstance(body, str) else json.dumps(body, indent=1)


def _nginx(request: Any, answer: Any, _: str) -> tuple[str, str]:
    def escaped(body: Any) -> str:
        numbers = {'"': "\\x22", "\\": "\\x5C", "\n": "\\x0A"}
        return re.sub(r'["\\\n]', lambda match: numbers[match[0]], _text(body))

    line = '10.0.0.1 - - [30/Nov/2026:04:00:00 +0000] "POST /v1/x HTTP/1.1" 200 900 "-" "httpx" "{}" "{}"\n'
    return "access.log", line.format(escaped(request), escaped(answer))


def _elastic(request: Any, answer: Any, url: str) -> tuple[str, str]:
    http = {
        "request": {"method": "POST", "body": {"content": _text(request), "bytes": 300}},
        "response": {"status_code": 200, "body": {"content": _text(answer), "bytes": 900}},
    }
    return "events.json", json.dumps({"@timestamp": "2026-11-30T04:00:00Z", "http": http, "url": {"full": url}})


def _clickhouse(request: Any, answer: Any, _: str) -> tuple[str, str]:
    cells = (_text(body).replace("\\", "\\\\").replace("\n", "\\n") for body in (request, answer))
    return "rows.tsv", "id\trequest\tresponse\n1\t" + "\t".join(cells) + "\n"


def _jmeter(request: Any, answer: Any, url: str) -> tuple[str, str]:
    return "results.jtl", (
        '<?xml version="1.0" encoding="UTF-8"?>\n<testResults version="1.2">\n<httpSample t="120" lb="chat" rc="200">\n'
        f'  <responseData class="java.lang.String">{escape(_text(answer))}</responseData>\n'
        '  <cookies class="java.lang.String"></cookies>\n  <method class="java.lang.String">POST</method>\n'
        f'  <queryString class="java.lang.String">{escape(_text(request))}</queryString>\n'
        f"  <java.net.URL>{url}</java.net.URL>\n</httpSample>\n</testResults>\n"
    )


def _aiperf(request: Any, answer: Any, _: str) -> tuple[str, str]:
    if isinstance(answer, str):
        events = re.findall(r"data: ([^\n]*)", answer)
        responses: list[Any] = [
            {"perf_ns": time, "packets": [{"name": "data", "value": event}]} for time, event in enumerate(events)
        ]
    else:
        responses = [{"perf_ns": 1, "text": _text(answer), "content_type": "application/json"}]
    record = {"metadata": {"session_num": 0}, "start_perf_ns": 1, "payload": request, "status": 200}
    return "profile_export_raw.jsonl", json.dumps(record | {"responses": responses, "error": None}) + "\n"


def _mlflow(request: Any, answer: Any, _: str) -> tuple[str, str]:
    events = re.findall(r"data: (\{[^\n]*)", answer) if isinstance(answer, str) else []
    span = {
        "name": "Completions",
        "attributes": {"mlflow.spanInputs": _text(request), "mlflow.spanOutputs": _text("" if events else answer)},
        "events": [
            {"name": f"mlflow.chunk.item.{number}", "timestamp": number, "attributes": {"mlflow.chunk.value": event}}
            for number, event in enumerate(events)
        ],
    }
    return "traces.json", json.dumps({"info": {"trace_id": "tr-1"}, "data": {"spans": [span]}})


def _billy(request: Any, answer: Any, url: str) -> tuple[str, str]:
    body, content = json.dumps(_text(request)), json.dumps(_text(answer))
    return "post_chat.yml", (
        f"---\n:scope: \n:url: {url}\n:body: {body}\n:status: 200\n:method: post\n"
        f":headers:\n  Server: x\n:content: {content}\n"
    )


def _hurl(request: Any, answer: Any, url: str) -> tuple[str, str]:
    def remarks(body: Any) -> str:
        lines = re.sub(r"(?m)^(?=.)", "* ", _indented(body).removesuffix("\n") + "\n")
        return re.sub(r"(?m)^$(?=\n)", "*", lines)

    path = re.sub("https://[^/]*", "", url)
    return "hurl.log", (
        f"* Executing entry 1\n*\n* Request:\n* POST {url}\n*\n** Host api.example.com:443 was resolved.\n"
        f"> POST {path} HTTP/1.1\n> Host: api.example.com\n> Content-Type: application/json\n>\n"
        f"* Request body:\n{remarks(request)}** Connection #0 to host api.example.com left intact\n* Response:\n*\n"
        f"< HTTP/1.1 200 OK\n<\n* Received 9 bytes in 1 ms\n*\n"
        f"* Response body:\n{remarks(answer)}*\n* Timings:\n* begin: 2026-11-30 04:00:00 UTC\n*\n"
    )


def _labels(request: Any, answer: Any, url: str) -> tuple[str, str]:
    return "chat.approved.txt", f"POST {url}\n\nRequest:\n{_indented(request)}\n\nResponse:\n{_indented(answer)}\n"


def _restler(request: Any, answer: Any, url: str) -> tuple[str, str]:
    path = re.sub("https://[^/]*", "", url)
    sent = f"POST {path} HTTP/1.1\r\nHost: api.example.com\r\n\r\n{_text(request)}"
    received = f"HTTP/1.1 200 OK\r\nDate: x\r\n\r\n{_text(answer)}"
    return "network.txt", (
        f"2026-11-30 04:00:00.000: Sending: {sent!r}\n\n2026-11-30 04:00:01.000: Received: {received!r}\n\n"
    )


def _fluent_bit(request: Any, answer: Any, _: str) -> tuple[str, str]:
    request, answer = (json.dumps(_text(body)) for body in (request, answer))
    return "fluent-bit.log", f'[0] app: [[1760000000.1, {{}}], {{"request"=>{request}, "response"=>{answer}}}]\n'


_Layout = Callable[[Any, Any, str], tuple[str, str]]
_LAYOUTS: list[_Layout] = [
    _nginx, _elastic, _clickhouse, _jmeter, _aiperf, _mlflow, _billy, _hurl, _labels, _restler, _fluent_bit,
]  # fmt: skip


@pytest.mark.parametrize("layout", _LAYOUTS)
@pytest.mark.parametrize("is_stream", [False, True])
def test_an_exchange_is_read_whole(layout: _Layout, is_stream: bool) -> None:
    request = _ASKED | ({"stream": True} if is_stream else {})
    name, capture = layout(request, EVENTS if is_stream else COMPLETION, URL)
    asked, answered = values_of(exchange_in(capture, name))
    assert asked == request
    assert answered[: len(CHUNKS)] == CHUNKS if is_stream else answered == COMPLETION


@pytest.mark.parametrize("layout", _LAYOUTS)
@pytest.mark.parametrize("is_stream", [False, True])
def test_a_fault_has_its_place_in_the_file(layout: _Layout, is_stream: bool) -> None:
    answer = as_events(*_FAULTY_CHUNKS, "[DONE]") if is_stream else _FAULTY
    name, capture = layout(_ASKED | ({"stream": True} if is_stream else {}), answer, URL)
    ((rule, line, column),) = rules_and_places(exchange_in(capture, name))
    assert rule == "unknown-value"
    assert re.match(_MARKS + "halted", capture.split("\n")[line - 1][column - 1 :])


_MESSAGES = [{"role": "user", "content": "Hi"}]
_SAID = {"role": "assistant", "content": "Ho"}
_OTHER_APIS: dict[str, tuple[str, Any, Any]] = {
    "messages": (
        "/v1/messages", {"model": "m", "max_tokens": 9, "messages": _MESSAGES},
        {"id": "msg_1", "type": "message", "role": "assistant", "content": [{"type": "text", "text": "Ho"}]}),
    "a stream of messages": (
        "/v1/messages", {"model": "m", "max_tokens": 9, "messages": _MESSAGES, "stream": True},
        as_events({"type": "message_start", "message": {"id": "msg_1"}}, {"type": "message_stop"})),
    "responses": (
        "/v1/responses", {"model": "m", "input": "Hi"},
        {"id": "resp_1", "object": "response", "status": "completed", "output": [], "error": None}),
    "generateContent": (
        "/v1beta/models/m:generateContent", {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]},
        {"candidates": [{"content": {"parts": [{"text": "Ho"}]}, "finishReason": "STOP", "index": 0}]}),
    "Ollama": ("/api/chat", {"model": "m", "messages": _MESSAGES}, {"model": "m", "message": _SAID, "done": True}),
    "converse": (
        "/model/m/converse", {"messages": [{"role": "user", "content": [{"text": "Hi"}]}]},
        {"output": {"message": {"role": "assistant", "content": [{"text": "Ho"}]}}, "stopReason": "end_turn"}),
    "embeddings": (
        "/v1/embeddings", {"model": "m", "input": "Hi"},
        {"object": "list", "data": [{"object": "embedding", "index": 0, "embedding": [0.1]}], "model": "m"}),
    "legacy": (
        "/v1/completions", {"model": "m", "prompt": "Hi"},
        {"id": "cmpl-1", "object": "text_completion", "choices": [{"text": "Ho", "index": 0}]}),
}  # fmt: skip


@pytest.mark.parametrize("layout", _LAYOUTS)
@pytest.mark.parametrize("api", _OTHER_APIS)
def test_another_api_in_the_same_layout_brings_no_verdict(layout: _Layout, api: str) -> None:
    path, request, answer = _OTHER_APIS[api]
    name, capture = layout(request, answer, f"https://api.example.com{path}")
    found = read_all(capture, name)
    assert found
    assert all(isinstance(one, Skipped) for one in found), found


def test_headers_of_http_2_before_a_stream_are_no_events() -> None:
    asked = REQUEST | {"stream": True}
    sent = f":authority: api.example.com\r\n:method: POST\r\n:path: /v1/chat/completions\r\n\r\n{_text(asked)}\r\n\r\n"
    exchange = exchange_in(f"{sent}:status: 200\r\nserver: x\r\n\r\n{EVENTS}", "dump.txt")
    assert values_of(exchange)[1][: len(CHUNKS)] == CHUNKS
    assert rules_and_places(exchange) == []


def test_values_of_go_snaps_are_read() -> None:
    capture = f"\n[TestChat/asks - 1]\n{_indented(REQUEST)}\n---\n\n[TestChat/asks - 2]\n{_indented(_FAULTY)}\n---\n"
    asked, answered = all_exchanges(capture, "chat_test.snap")
    assert (values_of(asked)[0], values_of(answered)[1]) == (REQUEST, _FAULTY)
    ((_, line, _),) = rules_and_places(answered)
    assert capture.split("\n")[line - 1].strip() == '"finish_reason": "halted"'


@pytest.mark.parametrize(
    "xml",
    [
        '<!DOCTYPE a [<!ENTITY b "bird">]>\n<a><b>%s</b></a>',
        "<a><b>%s</b>",
        "<a><b>%s</a></b>",
        "<a>" * 300 + "%s" + "</a>" * 300,
    ],
    ids=["entities", "no end", "another end", "deep"],
)
def test_xml_that_is_not_read_is_skipped(xml: str) -> None:
    capture = '<?xml version="1.0"?>\n' + xml % escape(_text(COMPLETION))
    assert all(isinstance(one, Skipped) for one in read_all(capture, "a.xml"))


def test_blank_lines_before_xml_count_in_its_places() -> None:
    name, capture = _jmeter(REQUEST, _FAULTY, URL)
    ((rule, line, column),) = rules_and_places(exchange_in(capture, name))
    assert rules_and_places(exchange_in(f"\n \n{capture}", name)) == [(rule, line + 2, column)]


@pytest.mark.parametrize("content", ['[{"type": "text", "text": %s}]', "%s"])
def test_chunks_that_a_user_quotes_are_no_stream(content: str) -> None:
    """A message may hold the text of a chunk, as one about an API does."""
    quoted = [{"role": "user", "content": json.loads(content % json.dumps(_text(one)))} for one in CHUNKS]
    assert all(isinstance(one, Skipped) for one in read_all({"title": "a talk", "turns": quoted}, "talk.json"))


def test_choices_alone_are_not_suggested_as_an_answer() -> None:
    """Opik keeps the choices of an answer, and everything else of it under other names."""
    output = {"choices": COMPLETION["choices"]}
    rest = {name: one for name, one in COMPLETION.items() if name != "choices"}
    span = {"type": "llm", "input": {"messages": REQUEST["messages"]}, "output": output, "metadata": rest}
    (skipped,) = read_all([span], "spans.json")
    assert isinstance(skipped, Skipped)
    assert "--columns" not in skipped.reason
