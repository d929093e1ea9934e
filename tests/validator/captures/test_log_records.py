"""Tests of the records of structured logs: lines that they hold as text, and answers that they hold."""

from __future__ import annotations

import json
from typing import Any

import pytest
from payloads import CHUNKS, COMPLETION, ERROR, REQUEST, with_finish_reason
from reading import all_exchanges, findings_of_exchange, read_all

from isogloss.validator.captures.bodies import objects
from isogloss.validator.captures.texts import logged_lines
from isogloss.validator.exchange import Exchange, Payload, Skipped, Stream, count_skipped
from isogloss.validator.text import Text

_BODY = json.dumps(with_finish_reason("bored"))


def _read(data: str, name: str = "gateway.log") -> list[Exchange | Skipped]:
    return read_all(data, name)


_RECORDS = {
    "Docker": lambda line: {"log": f"{line}\n", "stream": "stdout", "time": "2026-11-24T05:00:00.1Z"},
    "Google Cloud Logging": lambda line: {"insertId": "1", "textPayload": line, "timestamp": "2026-11-24T05:00:00Z"},
    "CloudWatch": lambda line: {"timestamp": 1790226000000, "message": line, "ingestionTime": 1790226000001},
    "a library": lambda line: {"level": "DEBUG", "ts": 1790226000.1, "msg": line},
    "journalctl": lambda line: {"__REALTIME_TIMESTAMP": "1790226000000000", "MESSAGE": line, "_PID": "1"},
    "Splunk": lambda line: {"preview": False, "result": {"_raw": line, "_time": "2026-11-24", "host": "h"}},
    "Elasticsearch": lambda line: {"_index": "l", "_source": {"@timestamp": "2026-11-24", "message": line}},
    "Loguru": lambda line: {"text": "x", "record": {"message": line, "time": {"timestamp": 1.0}}},
    "Better Stack": lambda line: {"dt": "2026-11-24 05:00:00.000000 UTC", "message": line},
    "Papertrail": lambda line: {"events": [{"id": 1, "received_at": "2026-11-24T05:00:00Z", "message": line}]},
    "Serilog": lambda line: {"@t": "2026-11-24T05:00:00Z", "@m": line},
    "structlog": lambda line: {"event": line, "level": "info"},
    "Datadog": lambda line: {"id": "A1", "attributes": {"message": line, "timestamp": "2026-11-24T05:00:00Z"}},
    "Cloudflare Workers": lambda line: {"outcome": "ok", "logs": [{"message": [line], "timestamp": 1790226000000}]},
    "Sentry": lambda line: {"breadcrumbs": {"values": [{"message": line, "timestamp": "2026-11-24T05:00:00Z"}]}},
    "OpenTelemetry": lambda line: {
        "resourceLogs": [
            {"scopeLogs": [{"logRecords": [{"timeUnixNano": "1790226000000000000", "body": {"stringValue": line}}]}]}
        ]
    },
    "Loki": lambda line: {"data": {"result": [{"stream": {"app": "a"}, "values": [["1790226000000000000", line]]}]}},
    "a table of Azure": lambda line: {"tables": [{"columns": [{}], "rows": [["2026-11-24T05:00:00Z", line]]}]},
}


def _is_of_telemetry(part: Exchange | Skipped) -> bool:
    """Return whether a line is skipped as a record of OpenTelemetry, which says more than that it has no payload."""
    return isinstance(part, Skipped) and "OpenTelemetry" in part.reason


@pytest.mark.parametrize("record", _RECORDS.values(), ids=_RECORDS)
@pytest.mark.parametrize("label", ["", "DEBUG response: ", "05:00:00 DEBUG got é "])
@pytest.mark.parametrize("others", [0, 2])
def test_payload_in_a_line_that_a_record_holds_is_read_at_its_place(record: Any, label: str, others: int) -> None:
    other = json.dumps(record("GET /health 200"))
    logged = json.dumps(record(label + _BODY))
    parts = _read("\n".join([*[other] * others, logged]))
    [exchange] = [part for part in parts if isinstance(part, Exchange)]
    assert exchange.dumped
    assert [part for part in parts if not _is_of_telemetry(part)] == [exchange]
    [finding] = [one for one in findings_of_exchange(exchange) if one.severity > 1]
    assert (finding.rule, finding.source.line) == ("unknown-value", 1 + others)
    assert logged[finding.source.column - 1 :].startswith('\\"bored')


@pytest.mark.parametrize("record", _RECORDS.values(), ids=_RECORDS)
@pytest.mark.parametrize("label", ["", "DEBUG response: "])
@pytest.mark.parametrize("around", [lambda records: records, lambda records: {"entries": records, "next": "f/1"}])
def test_lines_without_a_payload_in_an_array_of_records_are_no_parts_of_their_own(
    record: Any, label: str, around: Any
) -> None:
    records = [record("GET /health"), record(label + _BODY), record("GET /health")]
    parts = _read(json.dumps(around(records), ensure_ascii=False), "log.json")
    assert [type(part) for part in parts if not _is_of_telemetry(part)] == [Exchange]


@pytest.mark.parametrize("record", _RECORDS.values(), ids=_RECORDS)
def test_lines_without_a_payload_are_reported_if_a_log_has_no_exchange(record: Any) -> None:
    parts = _read("\n".join(json.dumps(record(f"GET /health {number}")) for number in range(3)))
    assert count_skipped(part for part in parts if isinstance(part, Skipped)) == 3
    assert {part.why.words for part in parts if isinstance(part, Skipped) and not _is_of_telemetry(part)} <= {
        "not a Chat Completions payload"
    }


@pytest.mark.parametrize("record", _RECORDS.values(), ids=_RECORDS)
@pytest.mark.parametrize("around", [lambda record: record, lambda record: {"events": [record], "next": "f/1"}])
def test_a_document_of_one_record_is_read_by_its_line(record: Any, around: Any) -> None:
    [exchange] = _read(json.dumps(around(record(f"DEBUG response: {_BODY}")), indent=1), "log.json")
    assert isinstance(exchange, Exchange)
    assert exchange.dumped
    assert "unknown-value" in {finding.rule for finding in findings_of_exchange(exchange)}


def test_lines_of_one_record_are_read_in_their_order() -> None:
    lines = [f"INFO request: {json.dumps(REQUEST)}", "INFO sent", f"INFO response: {json.dumps(COMPLETION)}"]
    record = {"outcome": "ok", "logs": [{"message": [line], "timestamp": 1790226000000} for line in lines]}
    for name in ("log.json", "log.jsonl"):
        exchanges = all_exchanges(json.dumps(record), name)
        bodies = [body for one in exchanges for body in (one.request, one.response) if isinstance(body, Payload)]
        assert [body.value for body in bodies] == [REQUEST, COMPLETION]


def test_a_line_without_a_name_or_a_time_beside_it_must_begin_as_lines_of_logs_do() -> None:
    printed = f"2026-11-24 05:00:00 INFO response: {_BODY}"
    assert _is_read({"log": printed, "stream": "stdout"})
    assert _is_read({"at": "2026-11-24T05:00:00Z", "printed": printed})
    assert not _is_read({"printed": printed, "stream": "stdout"})
    assert not _is_read({"at": "2026-11-24T05:00:00Z", "printed": f"See what came: {_BODY}"})
    assert not _is_read({"log": f"See what came: {_BODY}", "stream": "stdout"})


@pytest.mark.parametrize("time", [1, 17, 1790226000000000000000, "17902260", "2026-11-24", True, None])
def test_what_is_no_time_makes_no_line_of_a_string(time: object) -> None:
    assert _is_read({"at": 1790226000, "message": f"response: {_BODY}"})
    assert not _is_read({"at": time, "message": f"response: {_BODY}"})


def test_a_level_or_a_moment_in_any_unit_beside_a_string_makes_a_line_of_it() -> None:
    levels = ["trace", "debug", "info", "information", "notice", "warn", "Warning", "error", "err", "fatal"]
    moments = [1790226000 * unit for unit in (1, 10**3, 10**6, 10**9)]
    beside = ["CRITICAL", *levels, *moments, *map(str, moments), 1790226000.5, "1790226000.5", "2026-11-24 05:00:00"]
    assert [one for one in beside if not _is_read({"at": one, "message": f"response: {_BODY}"})] == []


@pytest.mark.parametrize(("others", "is_read"), [(1, True), (62, True), (63, False)])
def test_what_has_very_many_properties_or_items_is_no_record_of_a_log(others: int, is_read: bool) -> None:
    printed, time = f"INFO response: {_BODY}", 1790226000
    assert _is_read({"row": [time, *range(others), printed]}) is is_read
    assert _is_read({"at": time, "printed": printed, **{f"other{one}": one for one in range(others)}}) is is_read


def test_a_time_counts_beside_three_objects_around_a_string() -> None:
    record: dict[str, Any] = {"message": f"response: {_BODY}"}
    for depth in range(1, 5):
        assert _is_read({"at": 1790226000, **record}) is (depth < 4)
        record = {"inside": record}


def test_what_a_request_says_is_no_line_of_a_log() -> None:
    said = {"time": "2026-11-24T05:00:00Z", "message": f"INFO response: {_BODY}"}
    assert _is_read({"calls": [said]})
    assert not _is_read({"messages": [said]})
    assert not _is_read({**said, "response": [1]})
    assert not _is_read({**said, "request": [1]})


def _is_read(record: object) -> bool:
    return all_exchanges(json.dumps(record), "record.json") != []


_ANSWERED: dict[str, Any] = {
    "pino": lambda answer: {"level": 30, "time": 1790226000000, "pid": 1, "msg": "answer", "res": answer},
    "an object in a record of Winston": lambda answer: {"timestamp": "2026-11-24", "data": {"completion": answer}},
    "structlog": lambda answer: {"event": "answer", "timestamp": "2026-11-24T05:00:00Z", "completion": answer},
    "text in a record of zap": lambda answer: {"level": "debug", "ts": 1790226000.1, "body": json.dumps(answer)},
    "Serilog": lambda answer: {"@t": "2026-11-24T05:00:00Z", "@mt": "{Body}", "Body": json.dumps(answer)},
    "tracing (Rust)": lambda answer: {"timestamp": "2026-11-24", "fields": {"message": "x", "body": answer}},
    "Loguru": lambda answer: {"text": "x", "record": {"extra": {"answer": answer}, "time": {"timestamp": 1.0}}},
    "Google Cloud Logging": lambda answer: {"jsonPayload": {"message": "x", "a": answer}, "timestamp": "2026-11-24"},
    "a level and a message": lambda answer: {"level": "info", "msg": "answer", "body": answer},
    "a level and an event": lambda answer: {"severity": "INFO", "event": "answer", "body": json.dumps(answer)},
}


@pytest.mark.parametrize("record", _ANSWERED.values(), ids=_ANSWERED)
@pytest.mark.parametrize("before", ["", "2026-11-24T05:00:00.000000000Z stdout F "], ids=["lines", "log"])
def test_an_answer_in_a_structured_record_is_read_at_its_place(record: Any, before: str) -> None:
    other = f"{before}{json.dumps(record({'port': 80}))}"
    logged = f"{before}{json.dumps(record(with_finish_reason('bored')))}"
    exchange = _read(f"{other}\n{logged}\n", "app.log" if before else "app.jsonl")[-1]
    assert isinstance(exchange, Exchange)
    assert exchange.dumped
    [finding] = [one for one in findings_of_exchange(exchange) if one.severity > 1]
    assert (finding.rule, finding.source.line) == ("unknown-value", 2)
    assert logged[finding.source.column - 1 :].lstrip('\\"').startswith("bored")


@pytest.mark.parametrize(
    "record",
    [
        {"timestamp": 1790226000, "code": 0, "data": COMPLETION},
        {"time": "2026-11-24", "level": "error", "response_error": ERROR},
        {"title": "an example", "example": COMPLETION},
        {"time": "2026-11-24", "sent": REQUEST},
    ],
    ids=["an envelope of a server", "an error of any service", "no time", "a request alone"],
)
def test_other_records_are_not_read(record: Any) -> None:
    assert all_exchanges(f"{json.dumps(record)}\n" * 2, "app.jsonl") == []


def test_chunks_in_lines_that_records_hold_are_one_stream() -> None:
    lines = [json.dumps(_RECORDS["Docker"](f"data: {json.dumps(chunk)}")) for chunk in CHUNKS]
    [exchange] = _read("\n".join(lines))
    assert isinstance(exchange, Exchange)
    assert isinstance(exchange.response, Stream)
    assert exchange.response.values == CHUNKS


def test_record_that_can_be_read_by_itself_is_not_read_by_its_message() -> None:
    record = {"timestamp": "2026-11-24", "message": _BODY, "request": REQUEST, "response": COMPLETION}
    [exchange] = _read(json.dumps(record))
    assert isinstance(exchange, Exchange)
    assert isinstance(exchange.response, Payload)
    assert (exchange.response.value, exchange.dumped) == (COMPLETION, False)


def test_a_document_that_is_one_record_is_searched_for_a_line_of_a_log_once(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[Text] = []

    def payload_on_line(text: Text) -> list[Text]:
        searched.append(text)
        return objects.payload_on_line(text)

    monkeypatch.setattr(logged_lines, "payload_on_line", payload_on_line)
    [exchange] = _read(json.dumps(_RECORDS["Docker"](f"DEBUG response: {_BODY}"), indent=1), "record.json")
    assert isinstance(exchange, Exchange)
    assert exchange.dumped
    assert len(searched) == 1


def test_a_record_that_holds_an_exchange_is_read_in_a_line_that_another_record_holds() -> None:
    inner = {"status": 200, "request": REQUEST, "response": COMPLETION}
    line = f"05:00:00 DEBUG main.go:10 {json.dumps(inner)}"
    (exchange,) = _read(f"{json.dumps(_RECORDS['Docker'](line))}\n")
    assert isinstance(exchange, Exchange)
    assert exchange.request is not None
    assert exchange.response is not None
    assert exchange.dumped


_JSON_LOGS: dict[str, Any] = {
    "an object": lambda name, body: {"level": "debug", "msg": name, "body": body},
    "a text": lambda name, body: {"level": "debug", "ts": 1790226000.1, "msg": name, "body": json.dumps(body)},
    "a message": lambda name, body: {"severity": "DEBUG", "message": f"{name} {json.dumps(body)}"},
}


@pytest.mark.parametrize("inner", _JSON_LOGS.values(), ids=_JSON_LOGS)
@pytest.mark.parametrize("record", _RECORDS.values(), ids=_RECORDS)
@pytest.mark.parametrize("is_array", [False, True], ids=["lines", "an array"])
def test_a_log_of_json_whose_lines_stand_in_other_records_is_read_like_the_log_itself(
    record: Any, inner: Any, *, is_array: bool
) -> None:
    bodies = {"sent": REQUEST, "received": with_finish_reason("bored")}
    records = [record(json.dumps(inner(name, body))) for name, body in bodies.items()]
    lines = [json.dumps(one) for one in records]
    data = f"[\n{lines[0]},\n{lines[1]}\n]" if is_array else "\n".join(lines)
    (exchange,) = _read(data, "app.json")
    assert isinstance(exchange, Exchange)
    assert isinstance(exchange.request, Payload)
    assert exchange.request.value == REQUEST
    [finding] = [one for one in findings_of_exchange(exchange) if one.rule == "unknown-value"]
    line = data.splitlines()[finding.source.line - 1]
    assert line[finding.source.column - 1 :].lstrip('\\"').startswith("bored")


def test_an_error_in_a_log_of_json_in_other_records_is_that_of_the_request_before_it() -> None:
    sent = {"level": "debug", "msg": "sent", "path": "/v1/chat/completions", "body": REQUEST}
    received = {"level": "error", "msg": "received", "status": 400, "body": ERROR}
    for record in (lambda line: line, *(lambda line, one=one: json.dumps(one(line)) for one in _RECORDS.values())):
        (exchange,) = _read("".join(f"{record(json.dumps(one))}\n" for one in (sent, received)), "app.jsonl")
        assert isinstance(exchange, Exchange)
        assert isinstance(exchange.response, Payload)
        assert (exchange.response.value, exchange.http.status) == (ERROR, 400)
