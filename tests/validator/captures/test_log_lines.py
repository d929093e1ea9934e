"""Tests of text logs: which lines are read, where their findings point, and what is no log."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from payloads import CHUNKS, COMPLETION, ERROR, REQUEST, WHOLE_CHUNK, base64_of, chunk, with_finish_reason
from reading import all_exchanges, findings_of_exchange, place_of, read_all, values_of

from isogloss.validator.captures import Capture, input_formats
from isogloss.validator.captures.formats import log_lines
from isogloss.validator.exchange import Exchange, Payload, Skipped, Stream

BODY = json.dumps(with_finish_reason("bored"))

_BEGINNINGS = {
    "Python's logging": "2026-11-24 05:00:00,123 DEBUG gateway: got ",
    "ISO 8601": "2026-11-24T05:00:00.123456Z INFO got ",
    "a date in brackets": "[2026-11-24 05:00:00] ",
    "slashes in a date, as Go writes it": "2026/11/24 05:00:00 proxy.go:17: got ",
    "only a time": "05:00:00.123 ",
    "a level": "DEBUG: ",
    "a level in brackets": "[debug] ",
    "a level in colour": "\x1b[32mINFO\x1b[0m:     ",
    "klog": "I1124 05:00:00.123456       1 proxy.go:17] ",
    "syslog": "Nov 24 05:00:00 host gateway[17]: ",
    "logfmt": "time=2026-11-24T05:00:00Z level=debug msg=got body=",
    "Docker Compose": "gateway-1  | ",
    "PM2": "0|gateway  | 2026-11-24T05:00:00: got ",
    "logcat": "11-24 05:00:00.123  1234  5678 D OkHttp  : ",
    "logcat without a time": "D/OkHttp  ( 1234): ",
    "Rich": "[11/24/26 05:00:00] DEBUG    got ",
    "seconds since 1970": "1795496400.123 got ",
    "seconds since 1970 in brackets": "[1795496400.123] got ",
    "seconds since it began": "[   12.345678] got ",
    "seconds since it began, with their unit": "[55.491]sec [TRACE] got: ",
    "zerolog, to a console": "10:00AM DBG got ",
    "vLLM": "(APIServer pid=17) INFO 11-24 05:00:00 [api.py:17] ",
    "vLLM, from uvicorn": "(APIServer pid=17) INFO:     ",
    "concurrently": "[1] got ",
    "llama.cpp": "0.38.075.570 D srv  log_server_r: response: ",
    "ik_llama.cpp": 'VERB [              operator()] data stream | tid="1" timestamp=1761065620 to_send=',
    "Kubernetes": "2026-11-24T05:00:00.123456789Z stdout F ",
    "text that is not ASCII": "2026-11-24 05:00:00 DEBUG Antwort für 日本 🙂: ",
    "an object before it": '2026-11-24 05:00:00 DEBUG {"trace": "é"} ',
    "a brace before it": "2026-11-24 05:00:00 DEBUG {id} {1: 2} { ",
}


def _read(data: str | bytes, name: str = "gateway.log", *, chosen: bool = False) -> list[Exchange | Skipped]:
    return read_all(data, name, log_lines.NAME if chosen else None)


def _recognised(data: str | bytes) -> int:
    return log_lines.recognise(Capture(io.BytesIO(data if isinstance(data, bytes) else data.encode()), "capture"))


def _values(found: list[Exchange | Skipped]) -> list[Any]:
    """Return the value of each payload, and the values of each stream."""
    values: list[Any] = []
    for exchange in found:
        assert isinstance(exchange, Exchange), exchange
        body = exchange.request or exchange.response
        assert isinstance(body, Payload | Stream)
        values.append(body.value if isinstance(body, Payload) else body.values)
    return values


@pytest.mark.parametrize("beginning", _BEGINNINGS.values(), ids=_BEGINNINGS)
def test_a_body_is_read_behind_the_beginning_of_a_line_of_a_log_and_its_finding_has_its_place(beginning: str) -> None:
    data = f"{beginning}ready\n{beginning}{BODY}\n"
    exchange = _read(data)[-1]
    assert isinstance(exchange, Exchange)
    assert _values([exchange]) == [with_finish_reason("bored")]
    [finding] = [one for one in findings_of_exchange(exchange) if one.rule == "unknown-value"]
    column = len(beginning) + BODY.index('"bored"') + 1
    assert place_of(finding) == (2, column)


_TEXT = st.text(st.characters(exclude_characters='{"\r\n\0', exclude_categories=["Cs"]), max_size=12)


@given(texts=st.lists(_TEXT, min_size=4, max_size=4), is_ascii=st.booleans(), end=st.sampled_from(["\n", "\r\n"]))
@example(texts=["", "}", "日", "\\"], is_ascii=False, end="\n")
def test_every_object_of_a_line_is_read_whatever_stands_around_it(texts: list[str], is_ascii: bool, end: str) -> None:
    bodies = [json.dumps(one, ensure_ascii=is_ascii) for one in (REQUEST, COMPLETION | {"x": "é日{"}, ERROR)]
    line = "12:00:00 " + "".join(text + body for text, body in zip(texts, bodies, strict=False)) + texts[-1]
    found = _read(line + end, chosen=True)
    assert _values(found) == [REQUEST, COMPLETION | {"x": "é日{"}, ERROR]
    offset = len(texts[0]) + len("12:00:00 ")
    for exchange, body, text in zip(found, bodies, texts[1:], strict=True):
        assert isinstance(exchange, Exchange)
        payload = exchange.request or exchange.response
        assert isinstance(payload, Payload)
        place = payload.text.place(0)
        assert (place.line, place.column) == (1, offset + 1)
        offset += len(body) + len(text)


def test_lines_of_chunks_that_follow_each_other_are_a_stream() -> None:
    lines = [f"12:00:00 DEBUG sent data: {json.dumps(chunk)}\n" for chunk in CHUNKS]
    lines.insert(1, "12:00:00 INFO a line between them\n")
    assert _values(_read("".join(lines))) == [CHUNKS]


@pytest.mark.parametrize("dots", ["", "...", "…"])
def test_a_log_that_keeps_only_the_beginning_of_an_event_does_not_say_that_the_stream_ends_there(dots: str) -> None:
    """A log may keep so many characters of each body. Behind it, the lack of an end would be no fault of the server."""
    first, event = (json.dumps(chunk(delta)) for delta in ({"role": "assistant", "content": ""}, {"content": "Hi"}))
    for length in range(event.index('"id": "') + 8, len(event)):
        if not dots and event[length - 1] == "{":
            continue  # such a line may be the first one of an object over several lines
        log = "".join(f"10:00:00 DEBUG data: {one}\n\n" for one in [first, event, event[:length] + dots])
        (found,) = _read(f"{log}10:00:01 INFO over\n")
        assert isinstance(found, Exchange)
        assert {one.rule for one in findings_of_exchange(found)} == set(), length


def test_the_beginning_of_another_object_is_no_event_of_the_stream_before_it() -> None:
    chunks = (chunk({"role": "assistant", "content": ""}), chunk({"content": "Hi"}))
    lines = [*map(json.dumps, chunks), '{"id": "job-17", "name": "nightly...']
    (found, *_) = _read("".join(f"10:00:00 DEBUG data: {line}\n\n" for line in lines))
    assert isinstance(found, Exchange)
    assert "finish-reason-missing" in {one.rule for one in findings_of_exchange(found)}


def test_rules_about_the_bytes_that_were_sent_are_not_applied() -> None:
    [exchange] = _read(f"12:00:00 DEBUG {BODY}\n")
    assert isinstance(exchange, Exchange)
    assert exchange.dumped


def test_lines_without_traffic_are_not_reported() -> None:
    noise = '12:00:00 INFO {"level": "info"} {"port": 80}\nTraceback (most recent call last):\n{\n\n'
    assert _values(_read(noise + f"12:00:01 DEBUG {BODY}\n" + noise)) == [with_finish_reason("bored")]


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        ("", "the JSON object is not complete, or is no JSON"),
        (" [truncated]", "the JSON object is not complete, or is no JSON"),
        ("...", "a part of it is left out, with dots in its place"),
    ],
)
def test_an_object_that_is_cut_off_is_skipped_with_its_line(end: str, reason: str) -> None:
    data = f"12:00:00 DEBUG {BODY}\n12:00:01 DEBUG {BODY[:-20]}{end}\n12:00:02 DEBUG {BODY}\n"
    first, skipped, last = _read(data)
    assert _values([first, last]) == [with_finish_reason("bored")] * 2
    assert isinstance(skipped, Skipped)
    assert skipped.reason == f"line 2: {reason}"


_ODD_OBJECTS = {
    "deep objects": '{"a":' * 100_000, "deep arrays": '{"a":' + "[" * 100_000, "a number": '{"a":' + "1" * 5000 + "}",
    "a property twice": '{"a":1,"a":2}', "NaN": '{"a":NaN}', "a control character": '{"a":"\x01"}',
}  # fmt: skip


@pytest.mark.parametrize("body", _ODD_OBJECTS.values(), ids=_ODD_OBJECTS)
def test_what_json_cannot_read_does_not_hide_the_other_lines(body: str) -> None:
    found = _read(f"12:00:00 DEBUG {body}\n12:00:01 DEBUG {BODY}\n", chosen=True)
    assert _values(found[-1:]) == [with_finish_reason("bored")]


def test_a_body_with_a_fault_is_read_if_it_is_complete() -> None:
    found = _read(f"12:00:00 DEBUG {BODY}\n12:00:01 DEBUG {BODY[:-1]}, {BODY[1:]}\n")
    assert _values(found) == [with_finish_reason("bored")] * 2


def test_bytes_that_are_not_utf8_do_not_move_the_place_of_a_body() -> None:
    data = b"12:00:00 DEBUG \xe4\xff " + BODY.encode() + b"\n"
    [exchange] = _read(data)
    assert isinstance(exchange, Exchange)
    assert isinstance(exchange.response, Payload)
    assert exchange.response.text.data == BODY.encode()


def test_only_some_objects_of_a_line_are_looked_at() -> None:
    data = "12:00:00 " + '{"a": 1} ' * 15 + BODY + "\n"
    assert _values(_read(data, chosen=True)) == [with_finish_reason("bored")]
    [skipped] = _read(data.replace("12:00:00 ", '12:00:00 {"a": 1}'), chosen=True)
    assert isinstance(skipped, Skipped)


@pytest.mark.parametrize(
    "data",
    [
        f"ERROR = {BODY}\n",
        f"error(\n  {BODY})\n",
        f"payload = {BODY}\n",
        f"INFO.body = {BODY}\n",
        f"{BODY}\n{BODY}\n",
        f"[{BODY}]\n",
        f"| model | {BODY} |\n",
        f"data: {BODY}\n\n",
        f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{BODY}\n",
        '12:00:00 INFO {"level": "info"}\n',
        "12:00:00 INFO started\n",
        "INFO\0" + f"12:00:00 {BODY}\n",
        "",
    ],
)
def test_text_that_is_no_log_is_not_recognised_as_one(data: str) -> None:
    assert _recognised(data) == 0


def test_a_log_in_whose_head_is_only_traffic_of_another_api_is_read_less_surely() -> None:
    other = {"model": "m", "created_at": "2026-01-01T10:00:00Z", "message": {"content": "Ho"}, "done": True}
    data = f"12:00:00 INFO {json.dumps(other)}\n"
    assert 0 < _recognised(data) < _recognised(data + f"12:00:01 INFO {BODY}\n")


def test_a_capture_of_another_format_that_holds_times_keeps_its_format() -> None:
    stream = "".join(f": 12:00:00 sent\ndata: {json.dumps(chunk)}\n\n" for chunk in CHUNKS) + "data: [DONE]\n\n"
    other = [
        name
        for name, format_ in input_formats().items()
        if format_.recognise(Capture(io.BytesIO(stream.encode()), "x"))
    ]
    assert other == ["sse"]


@pytest.mark.parametrize("label", ["time=2026-11-24T05:00:00Z level=DEBUG msg=got body=", "DEBUG got: "])
def test_a_body_in_a_string_in_quotes_is_read_as_in_logfmt(label: str) -> None:
    log = f'{label}{json.dumps(BODY)} took=1s note="a \\"quoted\\" word" open="{{\\"\n'
    [exchange] = _read(log)
    assert isinstance(exchange, Exchange)
    assert _values([exchange]) == [with_finish_reason("bored")]
    (finding,) = [one for one in findings_of_exchange(exchange) if one.rule == "unknown-value"]
    assert log[finding.source.column - 1 :].lstrip('\\"').startswith("bored")


def test_a_body_in_base64_is_read_and_found_where_it_begins() -> None:
    body = base64_of(with_finish_reason("bored"))
    log = f"2026-11-24T05:00:00Z INFO token={base64_of({'alg': 'HS256', 'typ': 'JWT'})} body={body} took=1s\n"
    [exchange] = _read(log)
    assert isinstance(exchange, Exchange)
    assert _values([exchange]) == [with_finish_reason("bored")]
    (finding,) = [one for one in findings_of_exchange(exchange) if one.rule == "unknown-value"]
    assert log[finding.source.column - 1 :].startswith(body)


_ESCAPED = {
    "bytes": lambda body: repr(body.encode()),
    "a string of Python": repr,
    "a chunk of bytes": lambda body: repr(f"data: {body}\n\n".encode()),
    "Go": json.dumps,
    "a string in which nothing more is escaped": lambda body: f"'{body}'",
    "Apache's HttpClient": lambda body: f'http-outgoing-0 << "{body}"',
}
"""What programs print of a body: as a string in quotes, with escapes of their own or without."""


@pytest.mark.parametrize("printed", _ESCAPED.values(), ids=_ESCAPED)
def test_a_body_in_a_string_of_a_program_is_read_as_it_was(printed: Callable[[str], str]) -> None:
    answer = json.loads(BODY.replace('"Ho"', json.dumps('say "hi"\n')))
    [exchange] = _read(f"2026-11-24 05:00:00 DEBUG got {printed(json.dumps(answer))} of 'it\n")
    assert _values([exchange]) == [answer]


_PLAIN = ["", "response: ", 'Response:\nHTTP/1.1 200 OK\nETag: "a"\n\n', "{not} an object: "]
"""What a program may write before a body in the same string."""


@pytest.mark.parametrize("before", _PLAIN)
@pytest.mark.parametrize("printed", [json.dumps, lambda text: repr(text.encode())], ids=["Go", "bytes"])
@pytest.mark.parametrize("indent", [None, 2])
def test_a_body_behind_other_words_in_a_string_in_quotes_is_read(
    before: str, printed: Callable[[str], str], indent: int | None
) -> None:
    answer = json.loads(BODY.replace('"Ho"', json.dumps('it\'s "hi"\n')))
    body = json.dumps(answer, indent=indent)
    log = f'time=2026-11-24T05:00:00Z level=info who="me" msg={printed(before + body)} id=7\n'
    [exchange] = _read(log)
    assert isinstance(exchange, Exchange)
    assert _values([exchange]) == [answer]
    (finding,) = [one for one in findings_of_exchange(exchange) if one.rule == "unknown-value"]
    assert log[finding.source.column - 1 :].lstrip('\\"').startswith("bored")


_WHOLE_STREAMS = {
    "logfmt": lambda text: f"time=2026-11-24T05:00:00Z level=info msg={json.dumps(text)}\n",
    "bytes": lambda text: f"2026-11-24T05:00:00Z INFO got {text.encode()!r}\n",
    "Base64": lambda text: f"2026-11-24T05:00:00Z INFO body={base64_of(text[text.index('data:') :])}\n",
    "a record": lambda text: json.dumps({"time": "2026-11-24T05:00:00Z", "msg": text}) + "\n",
    "an array": lambda text: json.dumps([{"time": "2026-11-24T05:00:00Z", "msg": one} for one in ("a", text)]),
}


@pytest.mark.parametrize("form", _WHOLE_STREAMS.values(), ids=_WHOLE_STREAMS)
@pytest.mark.parametrize("label", ["", "got: ", "Response:\nHTTP/1.1 200 OK\nContent-Type: text/event-stream\n\n"])
def test_a_whole_stream_in_a_string_of_a_log_is_one_stream(form: Callable[[str], str], label: str) -> None:
    chunks = [CHUNKS[0], *([CHUNKS[1]] * 40), CHUNKS[-1]]
    events = "".join(f"data: {json.dumps(one)}\n\n" for one in chunks)
    [exchange] = all_exchanges(form(label + events), "gateway.log")
    assert isinstance(exchange.response, Stream)
    assert exchange.response.values == chunks


@given(st.text("\"'\\\\{}[]:, adtn1", max_size=40))
def test_no_quotes_and_escapes_in_a_line_raise_or_hide_the_next_line(text: str) -> None:
    found = _read(f"DEBUG {text}\nDEBUG {BODY}\n", chosen=True)
    assert _values([one for one in found if isinstance(one, Exchange)])[-1] == with_finish_reason("bored")


@pytest.mark.parametrize("name", ["app.log", "capture", "<standard input>"])
def test_a_log_whose_lines_begin_like_keys_is_no_yaml(name: str) -> None:
    """Python writes the level and the name of the logger before each message."""
    log = 'INFO:     127.0.0.1:5 - "POST /v1/chat/completions HTTP/1.1" 200 OK\nINFO:__main__:request: '
    log += json.dumps(REQUEST, indent=2) + "\nINFO:__main__:sent\n"
    [exchange] = read_all(log, name)
    assert isinstance(exchange, Exchange)
    assert exchange.request is not None
    assert exchange.request.value == REQUEST


@pytest.mark.parametrize(
    "line", ["DEBUG:openai._base_client:%s", "2026-11-24 10:00:00,123 - DEBUG - %s", "[2026-11-24 10:00:00 - app] %s"]
)
def test_what_the_openai_package_logs_of_a_request_is_the_request(line: str) -> None:
    options = {"method": "post", "url": "/chat/completions", "files": None, "json_data": REQUEST}
    others = {"method": "post", "url": "/embeddings", "json_data": {"model": "m", "input": "x", "messages": []}}
    log = "".join(f"{line % f'Request options: {one}'}\n" for one in (options, others))
    exchanges = all_exchanges(log, "gateway.log")
    assert [one.request and one.request.value for one in exchanges] == [REQUEST]
    assert exchanges[0].path == "/chat/completions"
    assert exchanges[0].dumped


@pytest.mark.parametrize("chunk", [*CHUNKS, WHOLE_CHUNK])
@pytest.mark.parametrize("line", ["2026-11-24 10:00:00,123 INFO last chunk: %s\n", "%s\n{}\n"])
def test_a_chunk_alone_is_no_stream_unless_it_is_a_whole_answer(line: str, chunk: dict[str, Any]) -> None:
    exchanges = all_exchanges(line % json.dumps(chunk), "app.log")
    assert [type(one.response) for one in exchanges] == [Stream if chunk is WHOLE_CHUNK else Payload]


@pytest.mark.parametrize("chunk", CHUNKS)
@pytest.mark.parametrize("between", ["12:00:00 INFO done\n", "\nThe other server:\n", "12:00:00 INFO wait\n" * 6])
@pytest.mark.parametrize("name", ["app.log", "page.md"])
def test_chunks_of_other_ids_between_other_lines_are_of_other_streams(
    name: str, between: str, chunk: dict[str, Any]
) -> None:
    lines = [f"12:00:00 INFO chunk: {json.dumps(chunk | {'id': f'chatcmpl-Fake{n}'})}\n" for n in range(3)]
    exchanges = all_exchanges(between.join(lines), name)
    assert [type(one.response) for one in exchanges] == [Payload] * 3
    assert not any(findings_of_exchange(one) for one in exchanges)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("12:00:00 INFO chunk: %s\n", "app.log"),
        ("12:00:00 INFO data: %s\n12:00:00 INFO \n12:00:00 INFO event: message\n", "app.log"),
        ("%s\n\n", "chunks.jsonl"),
    ],
)
def test_chunks_that_follow_each_other_are_one_stream_though_the_id_changes(line: str, name: str) -> None:
    data = "".join(line % json.dumps(one | {"id": f"chatcmpl-Fake{n}"}) for n, one in enumerate(CHUNKS))
    [exchange] = all_exchanges(data, name)
    assert "stream-id-changed" in [finding.rule for finding in findings_of_exchange(exchange)]


@pytest.mark.parametrize("name", ["capture", "<standard input>", "tape.yaml"])
def test_yaml_whose_keys_are_several_words_is_no_log(name: str) -> None:
    recording = json.dumps({"request": REQUEST, "response": COMPLETION})
    (exchange,) = read_all(f"calls:\n  - {recording}\nit answers:\n  url: x\n", name)
    assert isinstance(exchange, Exchange)


@pytest.mark.parametrize("line", ["20:01:02 - LiteLLM:DEBUG: logging.py:469 -", "INFO:LiteLLM:"])
def test_a_body_below_the_line_of_an_entry_is_traffic_of_the_log_and_one_below_a_heading_is_an_example(
    line: str,
) -> None:
    """As LiteLLM writes them; the command has a dict of Python."""
    log = f"{line}\n\nPOST Request Sent from LiteLLM:\ncurl -X POST \\\nhttps://api.example.com/v1/ \\\n"
    log += f"-d '{REQUEST}'\n\n{line} RAW RESPONSE:\n"
    [exchange] = _read(f"{log}{BODY}\n\n")
    assert isinstance(exchange, Exchange)
    assert exchange.request is not None
    assert exchange.request.value == REQUEST
    assert _recognised(f"Warning: this is an example of an answer.\n\n{BODY}\n") == 0


def test_an_entry_that_two_handlers_wrote_is_read_once() -> None:
    def answer(number: int) -> str:
        return json.dumps(COMPLETION | {"id": f"chatcmpl-{number}"})

    entries = [
        f"05:00:00 - app:DEBUG: answer={answer(1)}",
        f"2026-11-24 05:00:00,123 root DEBUG answer={answer(1)}",  # of the root logger
        f"05:00:01 - app:DEBUG: answer={answer(2)}",
        "05:00:01 - app:INFO: done",
        f"05:00:01 - app:DEBUG: answer={answer(2)}",
    ]
    values = _values(_read("\n".join(entries)))
    assert [value["id"] for value in values] == ["chatcmpl-1", "chatcmpl-2"]


@pytest.mark.parametrize(
    ("body", "words", "other"),
    [
        (COMPLETION, "05:00:00 got ", "05:00:01 got "),
        (COMPLETION, "05:00:00 [req_ab1] got ", "05:00:00 [req_cd2] got "),
        (REQUEST, "05:00:00 sent ", "05:00:07 sent "),
        (ERROR, "05:00:00 got ", "05:00:00 got "),
    ],
)
def test_an_entry_with_another_time_or_id_is_another_one(body: Any, words: str, other: str) -> None:
    assert len(_read(f"{words}{json.dumps(body)}\n{other}{json.dumps(body)}\n")) == 2


def test_equal_chunks_on_lines_that_follow_each_other_are_all_read() -> None:
    first, last = CHUNKS
    chunks = [first, first, last]
    (exchange,) = _read("".join(f"05:00:00 got {json.dumps(chunk)}\n" for chunk in chunks))
    assert isinstance(exchange, Exchange)
    assert isinstance(exchange.response, Stream)
    assert list(exchange.response.values) == chunks


def test_a_byte_order_mark_hides_no_traffic_on_the_first_line() -> None:
    mark = "\ufeff"
    line = f"2026-11-24 05:00:00 DEBUG got {BODY}\n"
    assert _values(_read(f"{mark}{line}")) == _values(_read(line)) == [json.loads(BODY)]
    pair = f"{json.dumps({'input': REQUEST})}\n{json.dumps({'data': COMPLETION})}\n"
    (exchange,) = read_all(f"{mark}{pair}", "log.jsonl")
    assert isinstance(exchange, Exchange)
    assert exchange.request is not None
    assert exchange.response is not None


@pytest.mark.parametrize("end", ["INFO done\nbye\n", "curl: (18) transfer closed\n"])
def test_text_behind_lines_of_chunks_is_no_event(end: str) -> None:
    first, last = CHUNKS
    found = read_all(f"{json.dumps(first)}\n{json.dumps(last)}\n{end}", "stream.jsonl")
    [exchange] = [one for one in found if isinstance(one, Exchange)]
    assert isinstance(exchange.response, Stream)
    assert list(exchange.response.values) == [first, last]
    assert len(found) == 1 + end.count("\n")


def test_chunks_that_are_logged_as_they_came_and_once_more_are_read_once() -> None:
    chunks = [CHUNKS[0], *CHUNKS]
    lines = [f"05:00:0{number} raw: data: {json.dumps(one)}" for number, one in enumerate(chunks)]
    twice = [one for line in lines for one in (line, line.replace("raw: data: ", "parsed: "))]
    (exchange,) = _read("\n".join(twice) + "\n")
    assert isinstance(exchange, Exchange)
    assert isinstance(exchange.response, Stream)
    assert list(exchange.response.values) == chunks


@pytest.mark.parametrize("words", ["", "data: "])
def test_equal_chunks_without_words_are_all_read_behind_one_with_words(words: str) -> None:
    body = json.dumps(CHUNKS[0])
    (exchange,) = _read(f"05:00:00 got {body}\n{words}{body}\n{words}{json.dumps(CHUNKS[1])}\n")
    assert isinstance(exchange, Exchange)
    assert isinstance(exchange.response, Stream)
    assert list(exchange.response.values) == [CHUNKS[0], *CHUNKS]


@pytest.mark.parametrize(("name", "read"), [("a.log", Exchange), ("capture", Exchange), ("a.json", Skipped)])
def test_text_behind_a_record_is_a_log_unless_the_file_is_called_json(name: str, read: type) -> None:
    log = f'{{"started": true}}\nPOST /v1/chat/completions\n05:00:00 INFO answer {json.dumps(COMPLETION)}\n'
    assert [type(one) for one in read_all(log.encode(), name)] == [read]


@pytest.mark.parametrize("before", ["2026-11-24 05:00:00 POST /v1/chat/completions 200 ", "POST /v1/chat/completions "])
def test_json_in_which_the_quotation_marks_are_escaped_is_read_at_its_place(before: str) -> None:
    """The package morgan writes so what a program logs of a body."""
    asked, answered = (
        json.dumps(one).replace("\\", "\\\\").replace('"', '\\"')
        for one in (
            REQUEST | {"messages": [{"role": "user", "content": 'Say "é\\"\n'}]},
            with_finish_reason("bored"),
        )
    )
    text = f"{before}req={asked} res={answered}\n"
    [exchange] = all_exchanges(text, "access.log")
    assert values_of(exchange)[0]["messages"][0]["content"] == 'Say "é\\"\n'
    [finding] = findings_of_exchange(exchange)
    line, column = place_of(finding)
    assert text.splitlines()[line - 1][column - 1 :].startswith('\\"bored')


def test_escaped_json_that_a_log_has_cut_off_is_not_read() -> None:
    text = "2026-11-24 05:00:00 res=" + BODY[:-20].replace('"', '\\"') + "\n"
    assert not all_exchanges(text, "access.log")
