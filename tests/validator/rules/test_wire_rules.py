"""Test the rules about a response and its status in cases that no fixture can show."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace
from rule_hits import hits_of

from isogloss.validator import engines, rules
from isogloss.validator.decode import stream
from isogloss.validator.exchange import Body, Exchange, HttpFacts, Kind, Payload, ProbeFacts, Response
from isogloss.validator.findings import Severity
from isogloss.validator.judging.judge import Judge
from isogloss.validator.pointer import Pointer
from isogloss.validator.rules.wire import unexpected_status
from isogloss.validator.text import Text

JUDGE = Judge(engines.load())


def found(status: int, body: str | dict[str, Any], *, expected: tuple[int, ...] = ()) -> dict[str, Severity]:
    """Return the rules about the wire that a response breaks, and how much each finding matters."""
    data = body if isinstance(body, str) else json.dumps(body)
    text = Text(data.encode())
    response = Body(text) if isinstance(body, str) else Payload(kind="error", value=body, text=text)
    probe = ProbeFacts(expected_status=expected)
    exchange = Exchange(file="f", number=0, text=text, response=response, http=HttpFacts(status), probe=probe)
    return {one.rule: one.severity for one in JUDGE.judge(exchange).findings if one.kind != "error"}


@pytest.mark.parametrize(
    ("status", "severity"),
    [
        (200, Severity.ERROR),
        (404, Severity.ERROR),
        (500, Severity.ERROR),
        (503, Severity.WARNING),
        (520, Severity.WARNING),
    ],
)
def test_text_of_a_proxy_with_its_status_is_a_warning(status: int, severity: Severity) -> None:
    assert found(status, "upstream connect error")["body-not-json"] is severity


def error(kind: str, code: str | None) -> dict[str, Any]:
    """Return the body of an error with a type and a code."""
    return {"error": {"message": "Ho", "type": kind, "param": None, "code": code}}


@pytest.mark.parametrize(
    ("status", "kind", "code", "contradicts"),
    [
        (401, "invalid_request_error", "invalid_api_key", False),
        (403, "invalid_request_error", "invalid_api_key", True),
        (429, "insufficient_quota", "insufficient_quota", False),
        (500, "tokens", "rate_limit_exceeded", True),
        (400, "invalid_request_error", None, False),
        (502, "invalid_request_error", "unsupported_value", True),
        (501, "invalid_request_error", None, False),
        (503, "server_error", None, False),
    ],
)
def test_status_is_compared_with_code_and_type(status: int, kind: str, code: str | None, *, contradicts: bool) -> None:
    assert ("error-status-contradicted" in found(status, error(kind, code))) is contradicts


def test_a_status_that_a_probe_did_not_expect_is_reported_once() -> None:
    assert set(found(500, error("invalid_request_error", None), expected=(400,))) == {"unexpected-status"}


@pytest.mark.parametrize(
    ("content_type", "is_known"),
    [("text/plain", True), ("**REDACTED**", False), ("[content-type]", False), ("json", False)],
)
def test_what_stands_in_place_of_a_content_type_is_none_unless_it_was_received(
    content_type: str, *, is_known: bool
) -> None:
    for body, rule in (("{}", "json-content-type"), ("data: {}\n\n", "stream-content-type")):
        text = Text(body.encode())
        response = Payload("completion", {}, text) if body == "{}" else stream(text)
        exchange = Exchange("f", 0, text, response=response, http=HttpFacts(200, content_type))
        for one, is_found in ((exchange, is_known), (replace(exchange, live=True), True)):
            assert (rule in {finding.rule for finding in JUDGE.judge(one).findings}) is is_found


@pytest.mark.parametrize(
    ("before", "what"), [("", "the first event"), ('data: {"choices": []}\n\n', "what came before")]
)
def test_what_clients_take_an_error_in_a_stream_for_depends_on_what_stands_before_it(before: str, what: str) -> None:
    text = Text(f"{before}data: {json.dumps(error('server_error', None))}\n\n".encode())
    exchange = Exchange(file="f", number=0, text=text, response=stream(text))
    (finding,) = (one for one in JUDGE.judge(exchange).findings if one.rule == "error-in-stream")
    assert what in finding.message


@pytest.mark.parametrize(
    ("status", "expected", "severity"),
    [
        *((busy, (400,), None) for busy in (408, 425, 429)),
        *((temporary, (200,), None) for temporary in (401, 402, 403, 408, 409, 425, 429, 502, 503, 504, 529)),
        (401, (400,), Severity.WARNING),
        (500, (400, 422), Severity.ERROR),
        (422, (400, 422), None),
        (200, (400,), None),
        (400, (200,), Severity.NOTE),
        (501, (200,), Severity.NOTE),
    ],
)
def test_a_status_other_than_the_expected_one_counts_unless_the_server_is_busy(
    status: int, expected: tuple[int, ...], severity: Severity | None
) -> None:
    body = error("invalid_request_error", None) if status >= 400 else {}
    assert found(status, body, expected=expected).get("unexpected-status") is severity


@pytest.mark.parametrize(
    ("status", "probe", "is_settled"),
    [
        (200, {"expected_status": (200,)}, True),
        (None, {"expected_status": (200,)}, True),
        (400, {"expected_status": (400,)}, True),
        (429, {"expected_status": (429,)}, True),
        (429, {"expected_status": (400,)}, False),
        (401, {"expected_status": (400,)}, True),
        (401, {"expected_status": (200,)}, False),
        (404, {"expected_status": (200,)}, True),
        (500, {"expected_status": (200,)}, False),
        (500, {"expected_status": (200,), "status_alone": 200}, True),
        (500, {"expected_status": (200,), "status_alone": 500}, False),
        (500, {"expected_status": (200,), "status_before": 500}, True),
        (500, {"expected_status": (200,), "status_before": 404}, False),
        (501, {"expected_status": (200,)}, True),
        (404, {"expected_status": (200,), "inconclusive": True}, False),
        (429, {}, True),
    ],
)
def test_an_answer_settles_its_case_unless_it_may_be_otherwise_next_time(
    status: int | None, probe: dict[str, Any], *, is_settled: bool
) -> None:
    exchange = Exchange("f", 0, Text(b""), http=HttpFacts(status), probe=ProbeFacts(**probe))
    assert unexpected_status.is_conclusive(exchange) is is_settled


def test_a_null_that_is_written_as_a_word_is_found_in_an_event_too() -> None:
    chunk = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": []}
    data = "".join(f"data: {json.dumps(one)}\n\n" for one in (chunk, error("None", None)))
    text = Text(data.encode())
    exchange = Exchange(file="f", number=0, text=text, response=stream(text), http=HttpFacts(200))
    (hit,) = [one for one in JUDGE.judge(exchange).findings if one.rule == "null-as-text"]
    assert (hit.pointer, hit.source.event, hit.source.line) == ("/error/type", 1, 3)


def _exchange(
    body: str, kind: Kind | None = None, *, at: Pointer = (), sound: bool = True, probe: ProbeFacts | None = None,
    request: Payload | None = None, **facts: Any,
) -> Exchange:  # fmt: skip
    """Return an exchange with a body: a payload of a kind, or events, or a body that is neither."""
    text = Text(body.encode())
    response: Response = stream(text) if body.startswith("data:") else Body(text)
    if kind is not None:
        value = json.loads(body.partition("\n")[0] or "null")
        response = Payload(kind, value, text, at=at, sound=sound)
    http, probe = HttpFacts(**facts), probe or ProbeFacts()
    return Exchange("f", 0, text, request=request, response=response, http=http, probe=probe)


COMPLETION = '{"id": "chatcmpl-Fake1", "choices": [{}]}'
EVENTS = f"data: {COMPLETION}\n\n" * 2
DONE = "data: [DONE]"
STREAMED = Payload("request", {"stream": True}, Text(b""))
USED = ProbeFacts(earlier_ids=("chatcmpl-Fake1", ""))
BROKEN: dict[str, Any] = {"status": 200, "broken": True}
Places = list[tuple[int | None, int | None, Severity]]


@pytest.mark.parametrize(
    ("rule", "exchange", "expected"),
    [
        ("answer-id-reused", _exchange(COMPLETION, "completion", probe=USED), [(None, None, Severity.WARNING)]),
        (
            "answer-id-reused",
            _exchange(COMPLETION, "completion", probe=USED, request=STREAMED),
            [(None, None, Severity.ERROR)],
        ),
        ("answer-id-reused", _exchange(COMPLETION, "chunk", probe=USED), []),
        ("answer-id-reused", _exchange('{"id": ""}', "completion", probe=USED), []),
        ("answer-id-reused", _exchange('{"id": []}', "completion", probe=USED), []),
        ("body-empty", _exchange(" "), [(0, None, Severity.ERROR)]),
        ("body-empty", _exchange(" ", status=500), [(0, None, Severity.WARNING)]),
        ("body-empty", _exchange(" ", fault="no gzip"), []),
        ("body-padded", _exchange(COMPLETION, "completion", at=("response",)), []),
        ("connection-broken", _exchange(EVENTS, fault="reset", **BROKEN), [(None, 1, Severity.ERROR)]),
        ("connection-broken", _exchange(EVENTS, **BROKEN), [(None, 1, Severity.ERROR)]),
        ("connection-broken", _exchange("Ho", fault="reset", **BROKEN), [(0, None, Severity.ERROR)]),
        ("connection-broken", _exchange("Ho", **BROKEN), [(0, None, Severity.ERROR)]),
        (
            "connection-broken",
            _exchange(COMPLETION, "completion", fault="reset", **BROKEN),
            [(None, None, Severity.ERROR)],
        ),
        ("connection-broken", _exchange(COMPLETION, "completion", **BROKEN), [(None, None, Severity.ERROR)]),
        (
            "done-after-json",
            _exchange(f"{COMPLETION}\n{DONE}", "completion", sound=False),
            [(42, None, Severity.ERROR)],
        ),
        ("done-after-json", _exchange(f"{COMPLETION}\n{DONE}", "completion", sound=False, at=("a",)), []),
        ("completion-with-error-status", _exchange(COMPLETION, "completion", status=200), []),
        ("completion-with-error-status", _exchange(COMPLETION, "completion"), []),
        ("completion-with-error-status", _exchange(COMPLETION, "chunk", status=202), [(None, None, Severity.WARNING)]),
        ("completion-with-error-status", _exchange(COMPLETION, "chunk", status=300), [(None, None, Severity.ERROR)]),
        ("completion-with-error-status", _exchange(EVENTS, status=500), [(None, None, Severity.ERROR)]),
        ("done-after-json", _exchange(f"{COMPLETION}\n{DONE}, so", "completion", sound=False), []),
        ("done-after-json", _exchange(f"{COMPLETION}\n{COMPLETION}\n{DONE}", "completion", sound=False), []),
        ("done-after-json", _exchange(f"{COMPLETION}\nDONE", "completion", sound=False), []),
    ],
)
def test_what_is_wrong_with_a_response_has_a_place_and_a_severity(
    rule: str, exchange: Exchange, expected: Places
) -> None:
    severity = rules.rule(rule).severity
    assert [(hit.offset, hit.event, hit.severity or severity) for hit in hits_of(rule, exchange)] == expected


@pytest.mark.parametrize(
    ("rule", "body", "facts", "words"),
    [
        ("body-not-json", b" <html>", {}, ["the body is a page of markup, neither JSON nor events"]),
        ("body-not-json", b"Bad Gateway", {}, ["the body is text, neither JSON nor events"]),
        ("body-not-json", b"a\0b", {}, ["the body is no text, neither JSON nor events"]),
        ("body-not-json", b"a\xff", {}, ["the body is no text, neither JSON nor events"]),
        ("body-not-json", b"\x1f\x8b", {"fault": "wrong"}, []),
        ("body-undecodable", b"\x1f\x8b", {"fault": "x" * 300}, [f"the body cannot be decoded: {'x' * 200}"]),
        ("body-undecodable", b"", {"broken": True, "fault": "reset"}, []),
    ],
)
def test_a_body_that_is_not_json_is_described_by_what_it_is(
    rule: str, body: bytes, facts: dict[str, Any], words: list[str]
) -> None:
    exchange = Exchange("f", 0, Text(body), response=Body(Text(body)), http=HttpFacts(200, **facts))
    assert [hit.message for hit in hits_of(rule, exchange)] == words


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        (["\r\n"], ["lines end in CRLF"]),
        (["\r"], ["lines end in CR"]),
        (["\r", "\r\n"], ["lines end in CRLF and CR"]),
        (["\n"], []),
    ],
)
def test_line_ends_are_named(ends: list[str], words: list[str]) -> None:
    text = Text("".join(f"data: {COMPLETION}{end}{end}" for end in ends).encode())
    hits = hits_of("sse-line-endings", Exchange("f", 0, text, response=stream(text)))
    assert [hit.message for hit in hits] == words


@pytest.mark.parametrize(
    ("count", "first", "rest", "is_found"),
    [(5, 1.0, 0.0007, True), (4, 1.0, 0.0, False), (5, 0.99, 0.0, False), (5, 1.0, 0.0009, False)],
)
def test_chunks_are_buffered_if_many_come_late_and_at_once(
    count: int, first: float, rest: float, *, is_found: bool
) -> None:
    events = [f'data: {{"choices": [{{"delta": {{"content": "{number}"}}}}]}}\n\n' for number in range(count)]
    begin = 'data: {"choices": [{"delta": {"role": "assistant", "content": ""}}]}\n\n'
    body = "".join([begin, *events])
    arrivals = ((len(begin), 0.1), (len(begin + events[0]), first), (len(body), first + rest))
    assert bool(hits_of("stream-buffered", _exchange(body, arrivals=arrivals))) is is_found


def _says(text: bytes) -> bytes:
    return b'data: {"choices": [],\ndata: "a": "' + text + b'"}\n'


SPLIT = "a character is split over two events"
RUN, RUNS = "1 run of bytes that are not UTF-8", "2 runs of bytes that are not UTF-8"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (_says(b"\xc3") + b"\n" + _says(b"\xa9"), [(SPLIT, [0, 1], 22)]),
        (_says(b"\xc3") + b"\n" + _says(b"\xc3"), []),
        (_says(b"\xc3\xa9") + b"\n" + _says(b"a"), []),
        (_says(b"\xc3") + b"\n" + _says(b"a") + b"\n" + _says(b"\xa9"), []),
        (_says(b"\xc3a\xa9"), []),
        (b": \xff\n" + _says(b"a"), [(RUN, [], 2)]),
        (b": \xff\n" + _says(b"a") + b": \xff\n", [(RUNS, [], 2)]),
        (_says(b"a") + b": \xc3\n\n" + _says(b"\xa9"), [(RUN, [], 40)]),
        (_says(b"a") + b"\ndata: [DONE]\n: \xff\n", [(RUN, [], 54)]),
        (_says(b"\xc3") + b": \xa9\n", [(RUN, [], 40)]),
        (_says(b"a") + b"\ndata: \xff\n", [(RUN, [], 45)]),
    ],
)
def test_bytes_that_are_not_utf_8_are_found_outside_of_json_or_where_a_character_is_split(
    body: bytes, expected: list[tuple[str, list[int], int]]
) -> None:
    text = Text(body + b"\n")
    hits = hits_of("sse-bad-utf8", Exchange("f", 0, text, response=stream(text)))
    assert [(hit.message, list(hit.events), hit.offset) for hit in hits] == expected


GOES_ON = "the JSON of this event goes on in lines of no known field"
SIZES = ", such as the sizes of a chunked transfer that nobody decoded"
WHOLE = 'data: {"choices": []}\n\n'


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('data: {"choices": [],\n"a": 1}\n\n' + WHOLE, [(GOES_ON, 0, None, Severity.ERROR)]),
        (WHOLE + 'data: {"cho\r\n1a3\r\nices": []}\n\n', [(GOES_ON + SIZES, 1, None, Severity.ERROR)]),
        (WHOLE + "1a3\r\n" + WHOLE, [("1 line of no known field" + SIZES, None, 23, Severity.WARNING)]),
        (WHOLE + "gateway\nproxy\n" + WHOLE, [("2 lines of no known field", None, 23, Severity.WARNING)]),
        (WHOLE + 'Data: {"choices": []}\n\n', [("1 line of data that no reader sees", None, 23, Severity.ERROR)]),
        (WHOLE, []),
    ],
)
def test_lines_of_no_known_field_matter_most_where_they_hold_a_part_of_the_answer(
    body: str, expected: list[tuple[str, int | None, int | None, Severity]]
) -> None:
    hits = hits_of("sse-unknown-line", _exchange(body))
    severity = rules.rule("sse-unknown-line").severity
    assert [(hit.message, hit.event, hit.offset, hit.severity or severity) for hit in hits] == expected


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("", ["the event has no data"]),
        (" [DONE]", ["white space stands before [DONE]; clients take it for JSON that they cannot decode"]),
        ("[DONE]", []),
        ("data: no", ["the data of the event begin with `data:` again, and are not JSON"]),
        ("no", ["the data of the event are not JSON"]),
    ],
)
def test_an_event_that_is_not_json_is_described_by_what_it_is(data: str, words: list[str]) -> None:
    assert [hit.message for hit in hits_of("event-not-json", _exchange(f"{WHOLE}data: {data}\n\n"))] == words


@pytest.mark.parametrize(
    ("status", "code", "is_found"), [(400, "a", True), (400, "b", False), (429, "a", False), (200, "a", False)]
)
def test_the_code_of_an_error_is_compared_only_if_the_error_is_the_expected_one(
    status: int, code: str, *, is_found: bool
) -> None:
    probe = ProbeFacts(expected_status=(400,), expected_code="b")
    exchange = _exchange(json.dumps(error("invalid_request_error", code)), "error", status=status, probe=probe)
    assert bool(hits_of("error-code-unexpected", exchange)) is is_found


@pytest.mark.parametrize(
    ("message", "is_found"),
    [
        ("This model's maximum context length is 8192 tokens.", True),
        ("The request exceeds the available context size.", True),
        ("The prompt is larger than the context.", True),
        ("The context window is too small.", True),
        ("The context limit of the model is exceeded.", True),
        ("The prompt is too long: 9000 tokens.", True),
        ("There are too many input tokens.", True),
        ("The maximum is 5. No context was found.", False),
        ("The context is missing.", False),
    ],
)
def test_a_message_says_that_the_context_is_full_in_many_words(message: str, *, is_found: bool) -> None:
    exchange = _exchange(json.dumps({"error": {"message": message, "code": None}}), "error", status=400)
    assert bool(hits_of("context-overflow-unmarked", exchange)) is is_found
