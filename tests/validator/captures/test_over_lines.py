"""Tests of objects over several lines of a log: where they end, what they hold, and where their findings point."""

from __future__ import annotations

import io
import json
from collections.abc import Callable

import pytest
from payloads import CHUNKS, COMPLETION, REQUEST, as_events, chunk, with_finish_reason
from reading import exchanges_in, findings_of_exchange, place_in, place_of, read_all, values_of

from isogloss.validator.captures import Capture
from isogloss.validator.captures.formats import log_lines
from isogloss.validator.exchange import Exchange, Payload, Skipped

_BORED = with_finish_reason("bored")


def _read(data: str, *, chosen: bool = False) -> list[Exchange | Skipped]:
    return read_all(data, "gateway.log", log_lines.NAME if chosen else None)


_LINES = [
    "[2026-11-24 05:00:00][INFO][server] running",
    "[2026-11-24 05:00:02][INFO][model] Generated prediction:  {",
    *json.dumps(_BORED, indent=2).splitlines()[1:],
    "[2026-11-24 05:00:03][INFO][server] done",
]


@pytest.mark.parametrize(
    "beginning", ["[2026-11-24 05:00:02][INFO][m] got:  ", "05:00:02 DEBUG body: ", "DEBUG: - body: "]
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_payload_may_go_on_over_indented_lines_and_its_finding_has_its_place(beginning: str, end: str) -> None:
    lines = [_LINES[0], beginning + "{", *_LINES[2:]]
    (exchange,) = _read(end.join(lines))
    assert isinstance(exchange, Exchange)
    assert isinstance(exchange.response, Payload)
    assert exchange.response.value == _BORED
    assert exchange.dumped
    assert exchange.response.text.place(0) == (2, len(beginning) + 1)
    (finding,) = [one for one in findings_of_exchange(exchange) if one.rule == "unknown-value"]
    number = next(number for number, line in enumerate(lines, 1) if "bored" in line)
    assert place_of(finding) == (number, lines[number - 1].index('"bored"') + 1)


def test_a_payload_with_a_blank_line_before_its_end_is_not_read_since_its_places_would_be_wrong() -> None:
    lines = [*_LINES[:-2], "", *_LINES[-2:]]
    assert not any(isinstance(one, Exchange) for one in _read("\n".join(lines), chosen=True))


_RESPONSE = {"status": 200, "headers": {"content-type": "application/json"}}
_OBJECTS: dict[str, dict[str, object]] = {
    "record": {"request": REQUEST, "response": _BORED, "took": 3},
    "record in another object": {"event": "model", "payload": {"request": REQUEST, "response": _BORED}},
    "answer beside a request": {"input": REQUEST, "output": _BORED},
    "chunks": {"request": REQUEST, "chunks": [CHUNKS[0], chunk({}, "bored")]},
    "events": {"request": REQUEST, "sse": as_events(CHUNKS[0], chunk({}, "bored"), "[DONE]")},
    "messages": {
        "request": {"method": "POST", "url": "/v1/chat/completions", "body": REQUEST},
        "response": _RESPONSE | {"body": _BORED},
    },
    "answer of a client": {"config": {"data": json.dumps(REQUEST)}, "status": 200, "data": _BORED},
    "answer alone": _RESPONSE | {"body": _BORED},
    "entry of a log": {"time": "2026-11-24T05:00:02Z", "msg": "answer", "response": _BORED},
}


@pytest.mark.parametrize("name", _OBJECTS)
@pytest.mark.parametrize("prefix", ["", "app-1  | "])
def test_an_object_over_indented_lines_holds_the_exchange_that_it_holds_on_one_line(name: str, prefix: str) -> None:
    found = []
    for indent in (None, 2):
        text = f"{_LINES[0]}\n[2026-11-24 05:00:02][INFO][m] exchange: {json.dumps(_OBJECTS[name], indent=indent)}\n"
        lines = [prefix + line for line in (text + _LINES[-1]).split("\n")]
        (exchange,) = _read("\n".join(lines))
        assert isinstance(exchange, Exchange)
        findings = findings_of_exchange(exchange)
        found.append(sorted((one.rule, one.path, one.kind, one.message) for one in findings))
        (bored,) = [one for one in findings if one.rule == "unknown-value"]
        assert "bored" in lines[bored.source.line - 1][bored.source.column - 1 :]
    assert found[0] == found[1]


@pytest.mark.parametrize("value", [{"debug": True, "retries": 3}, _OBJECTS["record"]], ids=["settings", "record"])
def test_an_object_over_indented_lines_that_is_no_payload_is_not_judged_as_the_kind_that_the_user_names(
    value: dict[str, object],
) -> None:
    config = json.dumps(value, indent=2)
    log = (
        f"{_LINES[0]}\n[2026-11-24 05:00:02][INFO][m] config: {config}\n[2026-11-24 05:00:03] got: {json.dumps(_BORED)}"
    )
    capture = Capture(io.BytesIO(log.encode()), "gateway.log", kind="completion")
    (exchange,) = log_lines.read(capture)
    assert isinstance(exchange, Exchange)
    assert isinstance(exchange.response, Payload)
    assert exchange.response.value == _BORED


@pytest.mark.parametrize(
    "lines",
    [
        [*_LINES[:4], "[2026-11-24 05:00:03] another line", *_LINES[4:]],
        [*_LINES[:4], "", *_LINES[4:]],
        _LINES[:-3],
        [line.lstrip() for line in _LINES],
        [*_LINES[:-3], f"{_LINES[-3]},", *_LINES[-2:]],
        [_LINES[1].replace("prediction", "= prediction"), *_LINES[2:]],
    ],
    ids=[
        "another line in it",
        "a blank line in it",
        "cut off",
        "no indentation",
        "a comma before the end",
        "an assignment in front of it",
    ],
)
def test_what_is_no_whole_payload_over_lines_is_not_read(lines: list[str]) -> None:
    assert not any(isinstance(found, Exchange) for found in _read("\n".join(lines), chosen=True))


@pytest.mark.parametrize(
    "lines",
    [["answers: {", "  %s"], ["answers: {", "  %s", "}"], ["handle: {", "  step: 1", "  %s", "done"]],
    ids=["cut off", "no payload around it", "another line behind it"],
)
def test_an_object_on_a_line_is_read_if_the_lines_around_it_are_no_payload(lines: list[str]) -> None:
    (exchange,) = _read("\n".join([_LINES[0], *lines]).replace("%s", json.dumps(_BORED)), chosen=True)
    assert isinstance(exchange, Exchange)
    assert isinstance(exchange.response, Payload)
    assert exchange.response.text.place(0) == (2 + lines.index("  %s"), 3)


def test_a_body_ends_with_its_bracket_although_the_next_line_is_indented_too() -> None:
    lines = [_LINES[0], "  got: {", *(f"  {line}" for line in _LINES[2:-1]), "  took: 3 ms"]
    (exchange,) = _read("\n".join(lines), chosen=True)
    assert isinstance(exchange, Exchange)
    assert values_of(exchange) == (None, _BORED)


def test_request_behind_a_time_in_brackets_goes_on_over_indented_lines() -> None:
    body = json.dumps(REQUEST, indent=2)
    log = f"[2026-04-17 18:32:17][DEBUG] Received request: POST to /v1/chat/completions with body {body}\n"
    log += "[2026-04-17 18:32:17][INFO][LM STUDIO SERVER] Streaming response...\n"
    [exchange] = _read(log)
    assert isinstance(exchange, Exchange)
    assert exchange.request is not None
    assert exchange.request.value == REQUEST


_PREFIXES = {
    "Docker Compose": "gateway-1  | ",
    "Kubernetes": "2026-11-24T05:00:{second:02}.{fraction}Z stdout F ",
    "GitHub Actions": "2026-11-24T05:00:{second:02}.1234567Z ",
    "logcat": "11-24 05:00:00.123  1234  5678 D OkHttp  : ",
    "logcat without a time": "D/OkHttp(1234): ",
    "concurrently": "[1] ",
}
"""What a tool writes before each line of a program."""


@pytest.mark.parametrize("prefix", _PREFIXES.values(), ids=_PREFIXES)
@pytest.mark.parametrize("indent", [1, 4])
def test_a_body_over_several_lines_is_read_without_what_a_tool_writes_before_each(prefix: str, indent: int) -> None:
    body = json.dumps(_BORED, indent=indent)
    printed = f"got é: {body}\nfollowed by {{\nnothing\n}}"
    lines = printed.split("\n")
    log = "".join(f"{prefix.format(second=at, fraction=10**at)}{line}\n" for at, line in enumerate(lines))
    [exchange] = _read(log)
    assert isinstance(exchange, Exchange)
    assert values_of(exchange) == (None, _BORED)
    assert exchange.dumped
    (finding,) = [one for one in findings_of_exchange(exchange) if one.rule == "unknown-value"]
    assert place_of(finding) == place_in(log, '"bored"')


_EDGES = {
    "loggy, in Dart": "║ ",
    "logger, in Dart": "I/flutter ( 1234): │ 💡 ",
    "Logger of Orhan Obut, in Java": "D/PRETTY_LOGGER: │ ",
    "a heavy line": "┃",
}
"""How the lines of a box begin that a logger draws around a body."""


@pytest.mark.parametrize("edge", _EDGES.values(), ids=_EDGES)
@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("above", ["", "2026-11-24 05:00:00.000 [main] DEBUG http -\n"])
def test_a_body_in_a_box_is_read_and_its_finding_has_its_place(edge: str, indent: int | None, above: str) -> None:
    body = json.dumps(_BORED, indent=indent)
    log = above + "".join(f"{edge}{line}\n" for line in ["", "Body:", *body.split("\n"), ""])
    [exchange] = _read(log)
    assert isinstance(exchange, Exchange)
    assert values_of(exchange) == (None, _BORED)
    (finding,) = [one for one in findings_of_exchange(exchange) if one.rule == "unknown-value"]
    assert place_of(finding) == place_in(log, '"bored"')


@pytest.mark.parametrize(
    "changed",
    [
        lambda lines: [*lines[:4], "other-1  | {}", *lines[4:]],
        lambda lines: [*lines[:5], lines[5].replace("  | ", " | "), *lines[6:]],
        lambda lines: lines[:-1],
    ],
    ids=["another program between", "another prefix", "no end"],
)  # fmt: skip
def test_a_body_whose_lines_do_not_belong_together_is_not_joined(changed: Callable[[list[str]], list[str]]) -> None:
    lines = [f"gateway-1  | {line}" for line in json.dumps(COMPLETION, indent=2).split("\n")]
    assert all(isinstance(found, Skipped) for found in _read("\n".join(changed(lines)), chosen=True))


_INDENTED_ANSWER = json.dumps(COMPLETION, indent=2)


def test_an_object_that_ends_at_a_blank_line_does_not_hide_the_one_behind_it() -> None:
    deeper = _INDENTED_ANSWER.replace("\n", "\n  ")
    for behind in (f"answer: {_INDENTED_ANSWER}", f"  answer: {deeper}"):
        (found,) = exchanges_in(f'12:00:00 begun: {{\n  "a": 1,\n\n{behind}\nend\n', "app.log")
        assert values_of(found) == (None, COMPLETION)


def test_a_line_behind_an_object_whose_bracket_is_indented_is_read_too() -> None:
    indented = _INDENTED_ANSWER.removesuffix("}") + "  }"
    one, other = exchanges_in(f"12:00:00 got: {indented}\ngot: {json.dumps(COMPLETION)}\n", "app.log")
    assert values_of(one) == values_of(other) == (None, COMPLETION)
