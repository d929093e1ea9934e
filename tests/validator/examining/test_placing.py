"""Test where findings are placed, and that a text is read at most twice to find the places of all its findings."""

from __future__ import annotations

import json
from typing import Any

import pytest
from reading import read_all

from isogloss.validator import Finding, Result, check, engines
from isogloss.validator.exchange import Exchange
from isogloss.validator.jsontext import scanner
from isogloss.validator.judging.judge import Judge


@pytest.mark.parametrize("cut", [0, 1], ids=["sound", "cut"])
def test_array_of_exchanges_is_read_at_most_twice_to_find_places(cut: int, monkeypatch: pytest.MonkeyPatch) -> None:
    read_for_places = []
    places = scanner.places

    def record_call(data: bytes, *, sound: bool) -> Any:
        read_for_places.append(sound)
        return places(data, sound=sound)

    monkeypatch.setattr(scanner, "places", record_call)
    answer = {"id": 1, "object": "chat.completion", "created": 1, "model": "m", "choices": []}
    pair = {"request": {"method": "POST", "url": "https://example.com/v1/chat/completions", "body": {"model": "m"}},
            "response": {"status": 500, "headers": {}, "body": answer}}  # fmt: skip
    text = json.dumps([pair] * 30, indent=1)
    judge = Judge(engines.load())
    found = [
        finding
        for exchange in read_all(text[: len(text) - cut])
        if isinstance(exchange, Exchange)
        for finding in judge.judge(exchange).findings
        if finding.rule == "wrong-type"
    ]
    lines = text.splitlines()
    assert [finding.source.exchange for finding in found] == list(range(30))
    assert all(lines[finding.source.line - 1][finding.source.column - 1 :].startswith("1") for finding in found)
    assert len(read_for_places) <= 2


CHUNK = {
    "id": "chatcmpl-Fake1",
    "object": "chat.completion.chunk",
    "created": 1_760_000_000,
    "model": "m",
    "choices": [
        {"index": 0, "delta": {"role": "assistant", "content": "a"}, "logprobs": None, "finish_reason": "stop"}
    ],
}
REQUEST = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "stream": True, "n": 2}


def _found(text: str, rule: str) -> tuple[Result, Finding]:
    result = check(text)
    (finding,) = [finding for finding in result.findings if finding.rule == rule]
    return result, finding


def test_finding_about_the_choices_of_a_recorded_stream_is_placed_at_its_chunks() -> None:
    text = json.dumps({"request": REQUEST, "chunks": [CHUNK]})
    _, finding = _found(text, "choice-count-mismatch")
    assert (finding.kind, text[finding.source.column - 1 :]) == ("completion", json.dumps([CHUNK]) + "}")


def test_finding_about_a_body_is_placed_behind_the_white_space_before_it() -> None:
    text = json.dumps({"request": REQUEST, "response_text": "  <html>", "status": 502})
    _, finding = _found(text, "body-not-json")
    assert text[finding.source.column - 1 :].startswith("<html>")


def test_finding_about_a_line_of_a_stream_is_of_the_kind_stream_and_shows_the_line() -> None:
    result, finding = _found(f"data:{json.dumps(CHUNK)}\n\ndata: [DONE]\n\n", "sse-no-space")
    excerpt = result.excerpt(finding)
    assert (finding.kind, excerpt and excerpt.text[:6]) == ("stream", "data:{")


@pytest.mark.parametrize("half", ["request", "response"])
def test_fault_in_the_text_of_a_request_or_an_answer_is_shown_in_that_text(half: str) -> None:
    halves = {"request": REQUEST, "response": CHUNK | {"object": "chat.completion"}}
    faulty = json.dumps(halves[half]).replace('"model": "m"', '"model": "m", "model": "m"')
    result, finding = _found(json.dumps(halves | {half: faulty}), "json-duplicate-key")
    excerpt = result.excerpt(finding)
    assert excerpt is not None
    assert '"model": "…", "model": "…"' in excerpt.text


def test_finding_about_the_order_of_events_shows_the_event() -> None:
    result, finding = _found(f"data: [DONE]\n\ndata: {json.dumps(CHUNK)}\n\n", "data-after-done")
    excerpt = result.excerpt(finding)
    assert excerpt is not None
    assert excerpt.text.startswith('{"id": "…", "object": "chat.completion.chunk"')


def _piece(delta: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
    return CHUNK | {"choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}]}


def _fragments(*arguments: str) -> list[dict[str, Any]]:
    head = {"id": "call_Fake1", "type": "function", "function": {"name": "f", "arguments": ""}}
    rest = [{"function": {"arguments": one}} for one in arguments]
    return [{"tool_calls": [{"index": 0, **one}]} for one in (head, *rest)]


@pytest.mark.parametrize(
    ("rule", "deltas", "request_"),
    [
        ("markup-in-content", [{"content": "Ho."}, {"content": "</s>"}], {}),
        ("replacement-character", [{"content": "It costs 5 "}, {"content": "\ufffd\ufffd."}], {}),
        ("stop-sequence-in-content", [{"content": "Ho. "}, {"content": "END"}, {"content": " Ho."}], {"stop": "END"}),
        ("text-encoded-twice", [{"content": "Ho, "}, {"content": "it\xe2\u20ac\u2122s"}], {}),
        ("thoughts-in-content", [{"content": "So.\n"}, {"content": "</think>\nHo"}], {}),
        ("arguments-concatenated", _fragments("{}", '{"a": 1}'), {}),
        ("arguments-not-json", _fragments('{"a": ', "b}"), {}),
        ("content-not-json", [{"content": '{"a": '}, {"content": "b}"}], {"response_format": {"type": "json_object"}}),
    ],
)
def test_finding_in_a_text_that_came_in_pieces_is_placed_at_the_piece_that_brought_it(
    rule: str, deltas: list[dict[str, Any]], request_: dict[str, Any]
) -> None:
    first = {"role": "assistant", "content": None if "tool_calls" in deltas[0] else ""}
    end = "tool_calls" if "tool_calls" in deltas[0] else "stop"
    chunks = [*map(_piece, [first, *deltas]), _piece({}, end)]
    text = json.dumps({"request": REQUEST | {"n": 1} | request_, "chunks": chunks})
    _, finding = _found(text, rule)
    assert finding.source.event == len(deltas) - (deltas[-1] == {"content": " Ho."})
