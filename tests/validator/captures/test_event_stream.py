"""Streams in files of their own: one response, or as many as were appended, none of them kept longer than it takes."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Iterator
from itertools import count, islice

import pytest

from isogloss.validator import engines
from isogloss.validator.captures import Capture, read
from isogloss.validator.captures.formats import event_stream
from isogloss.validator.exchange import Exchange, Skipped, Stream
from isogloss.validator.findings import Finding
from isogloss.validator.judging.judge import Judge


def _event(number: object, end: str = "\n", **delta: object) -> str:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": None if delta else "stop"}
    chunk = {"id": number, "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    return f"data: {json.dumps(chunk)}{end}{end}"


def _response(number: object, words: int = 3, end: str = "\n", **more: object) -> str:
    said = "".join(_event(number, end, content="word", **more) for _ in range(words))
    return _event(number, end, role="assistant", content="") + said + _event(number, end) + f"data: [DONE]{end}{end}"


def _found(text: str) -> list[Exchange | Skipped]:
    return list(read(Capture(io.BytesIO(text.encode()), "capture")))


def _counts(text: str) -> list[int]:
    """How many events each response has."""
    bodies = [one.response.body for one in _found(text) if isinstance(one, Exchange) and one.response]
    return [len(body.values) for body in bodies if isinstance(body, Stream)]


def _judged(text: str) -> list[Finding]:
    judge = Judge(engines.load())
    return [finding for one in _found(text) if isinstance(one, Exchange) for finding in judge.judge(one).findings]


@pytest.mark.thorough
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize("words", [3, 2000], ids=["small", "larger-than-the-head"])
def test_responses_one_after_the_other_are_so_many_exchanges(end: str, words: int) -> None:
    text = "".join(_response(f"chatcmpl-{number}", words, end) for number in range(4))
    assert _counts(text) == [words + 3] * 4
    assert [one.number for one in _found(text)] == [0, 1, 2, 3]
    assert not [one for one in _judged(text) if one.severity > 1]


@pytest.mark.parametrize("between", ["", "\n\n", ": keep-alive\n\n", ": a\n\n" * 50, "event: x\n\n"])
def test_what_stands_between_two_responses_parts_none(between: str) -> None:
    assert len(_counts(_response("a") + between + _response("b") + between)) == 2


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize("words", [3, 2000], ids=["small", "larger-than-the-head"])
def test_findings_have_their_lines_in_the_file(end: str, words: int) -> None:
    text = _response("a", words, end) + _response("b", words, end) + _response("c", words, end, odd=1)
    (finding,) = (one for one in _judged(text) if one.rule == "unknown-property")
    lines = text.split(end)
    assert finding.source.exchange == 2
    assert finding.source.event == 1
    assert finding.count == words
    assert lines[finding.source.line - 1][finding.source.column - 1 :].startswith('"odd"')


def test_what_follows_the_end_of_a_response_under_its_id_is_still_a_fault() -> None:
    assert "data-after-done" in {one.rule for one in _judged(_response("a") + _response("a"))}
    assert "data-after-done" in {
        one.rule for one in _judged(_response("a") + 'data: {"error": {"message": "x", "type": "t"}}\n\n')
    }
    assert "done-repeated" in {one.rule for one in _judged(_response("a") + "data: [DONE]\n\n")}


def test_a_response_without_an_end_is_not_parted() -> None:
    text = _response("a").replace("data: [DONE]\n\n", "") + _response("b")
    assert len(_counts(text)) == 1
    assert "stream-id-changed" in {one.rule for one in _judged(text)}


def test_the_mark_of_the_end_in_what_is_said_ends_nothing() -> None:
    said = _event("a", content="\n\ndata: [DONE]\n\n") + _event("b", content="data: [DONE]")
    assert len(_counts(said + _response("a"))) == 1


def test_responses_of_other_apis_are_passed_over_by_themselves() -> None:
    other = 'data: {"type": "ping"}\n\n'
    found = _found(other + other)
    assert [one.reason for one in found if isinstance(one, Skipped)] == [
        "not Chat Completions: a stream of the Anthropic Messages API"
    ]


class _Endless:
    """Responses without end, a block at a time."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._rest = b""

    def read(self, size: int) -> bytes:
        while len(self._rest) < size and (block := next(self._blocks, b"")):
            self._rest += block
        taken, self._rest = self._rest[:size], self._rest[size:]
        return taken


@pytest.mark.thorough
def test_responses_come_while_more_are_still_sent() -> None:
    endless = (_response(f"chatcmpl-{number}", 200).encode() for number in count())
    for number, one in enumerate(islice(read(Capture(_Endless(endless), "capture")), 200)):
        assert isinstance(one, Exchange)
        assert one.number == number
        assert len(one.text.data) < 50_000


def test_a_response_of_any_size_is_too_large_and_those_before_it_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "LARGEST_DOCUMENT", 1 << 20)
    found = _found(_response("a") + _response("b", 10_000))
    assert [type(one) for one in found] == [Exchange, Skipped]
    assert isinstance(found[1], Skipped)
    assert found[1].reason == "a stream of more than 1 MiB"


def test_an_end_far_from_the_next_beginning_is_no_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "_LOOKED_AT", 1000)
    text = _response("a") + ": waiting\n\n" * 500 + _response("b")
    assert len(_counts(text)) == 1


@pytest.mark.thorough
@pytest.mark.parametrize(
    "part",
    ["data: [DONE]\n\n", 'data: "[DONE]"\n\n', "[DONE]", "data: [DONE]", _event("a", content="x") + "data: [DONE]\n\n"],
    ids=["ends", "strings", "words", "line", "same-id"],
)
def test_ends_without_end_take_no_longer_than_other_text(part: str) -> None:
    text = "data: {}\n\n" + part * (1_000_000 // len(part))
    begin = time.process_time()
    assert sum(1 for _ in event_stream._responses(Capture(io.BytesIO(text.encode()), "capture"))) == 1
    assert time.process_time() - begin < 3
