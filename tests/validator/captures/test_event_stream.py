"""Test files that hold streams: one response, or several. Only one at a time is kept in memory."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Iterator
from itertools import count, islice

import pytest
from payloads import COMPLETION
from python_decoder import is_fast
from reading import all_exchanges, exchange_in, findings_in, read_all

from isogloss.validator import engines
from isogloss.validator.captures import Capture, read
from isogloss.validator.captures.formats.begins_otherwise import event_stream
from isogloss.validator.decode import stream
from isogloss.validator.exchange import Exchange, Payload, Skipped, Stream
from isogloss.validator.judging.judge import Judge
from isogloss.validator.text import Text


def _event(id_: object, end: str = "\n", **delta: object) -> str:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": None if delta else "stop"}
    chunk = {"id": id_, "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    return f"data: {json.dumps(chunk)}{end}{end}"


def _response(id_: object, words: int = 3, end: str = "\n", **delta: object) -> str:
    content_events = "".join(_event(id_, end, content="word", **delta) for _ in range(words))
    return (
        _event(id_, end, role="assistant", content="") + content_events + _event(id_, end) + f"data: [DONE]{end}{end}"
    )


@pytest.mark.parametrize("lines", [1, 300, 5000, 200_000])
@pytest.mark.parametrize("name", ["body.sse", "<stdin>", "run.log"])
def test_a_stream_is_read_behind_any_number_of_blank_lines(name: str, lines: int) -> None:
    (found,) = all_exchanges("\n" * lines + _response("a"), name)
    assert isinstance(found.response, Stream)


def test_a_text_in_which_no_line_is_an_event_is_no_stream_whatever_stands_behind_its_end() -> None:
    rows = "".join(f"\tmessage\t{_event('a', content='x')[6:].strip()}\t08:00:00.0\n" for _ in range(2))
    assert not all_exchanges(f"{rows}\tmessage\t[DONE]\t08:00:00.0\n", "events.txt")


def _event_counts(text: str) -> list[int]:
    """Count the events of each response."""
    bodies = [part.response for part in read_all(text) if isinstance(part, Exchange) and part.response]
    return [len(body.values) for body in bodies if isinstance(body, Stream)]


@pytest.mark.thorough
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize("words", [3, 2000], ids=["small", "larger-than-the-head"])
def test_consecutive_responses_are_separate_exchanges(end: str, words: int) -> None:
    text = "".join(_response(f"chatcmpl-{number}", words, end) for number in range(4))
    assert _event_counts(text) == [words + 3] * 4
    assert [part.number for part in read_all(text)] == [0, 1, 2, 3]
    assert not [part for part in findings_in(text) if part.severity > 1]


@pytest.mark.parametrize("between", ["", "\n\n", ": keep-alive\n\n", ": a\n\n" * 50, "event: x\n\n"])
@pytest.mark.parametrize("done", ["data: [DONE]", "data:[DONE]"])
def test_text_between_two_responses_is_no_response(between: str, done: str) -> None:
    first = _response("a").replace("data: [DONE]", done)
    assert len(_event_counts(first + between + _response("b") + between)) == 2


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize("words", [3, 2000], ids=["small", "larger-than-the-head"])
def test_findings_have_their_places_in_the_file(end: str, words: int) -> None:
    text = _response("a", words, end) + _response("b", words, end) + _response("c", words, end, odd=1)
    (finding,) = (finding for finding in findings_in(text) if finding.rule == "unknown-property")
    lines = text.split(end)
    assert finding.source.exchange == 2
    assert finding.source.event == 1
    assert finding.count == words
    assert lines[finding.source.line - 1][finding.source.column - 1 :].startswith('"odd"')


def test_data_after_the_end_with_the_same_id_is_reported() -> None:
    assert "data-after-done" in {finding.rule for finding in findings_in(_response("a") + _response("a"))}
    assert "data-after-done" in {
        finding.rule for finding in findings_in(_response("a") + 'data: {"error": {"message": "x", "type": "t"}}\n\n')
    }
    assert "done-repeated" in {finding.rule for finding in findings_in(_response("a") + "data: [DONE]\n\n")}


def test_an_end_without_a_response_is_separated_from_the_next_response() -> None:
    assert _event_counts("data: [DONE]\n\n" + _response("a") + _response("b")) == [1, 6, 6]


def test_a_response_without_an_end_is_not_separated_from_the_next() -> None:
    text = _response("a").replace("data: [DONE]\n\n", "") + _response("b")
    assert len(_event_counts(text)) == 1
    assert "stream-id-changed" in {finding.rule for finding in findings_in(text)}


def test_an_end_mark_in_content_does_not_end_a_response() -> None:
    events = _event("a", content="\n\ndata: [DONE]\n\n") + _event("b", content="data: [DONE]")
    assert len(_event_counts(events + _response("a"))) == 1


@pytest.mark.parametrize("cut", [-7, -1, 0, 1, 20])
def test_responses_are_separate_wherever_the_first_bytes_that_are_read_end(cut: int) -> None:
    end = _response("a")
    first = _event("a", content="x" * ((1 << 16) - len(_event("a", content="") + end) + cut)) + end
    assert len(first) == (1 << 16) + cut
    assert len(_event_counts(first + _response("b"))) == 2


def test_an_end_mark_in_a_comment_does_not_end_a_response() -> None:
    assert len(_event_counts(_event("a", content="x") + ": data: [DONE]\n\n" + _response("b"))) == 1


def test_a_stream_of_another_api_is_skipped() -> None:
    other = 'data: {"type": "ping"}\n\n'
    parts = read_all(other + other)
    assert [part.reason for part in parts if isinstance(part, Skipped)] == [
        "not Chat Completions: a stream of the Anthropic Messages API"
    ]


class _EndlessStream:
    """A stream of responses without end, which is made block by block."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._buffer = b""

    def read(self, size: int) -> bytes:
        while len(self._buffer) < size and (block := next(self._blocks, b"")):
            self._buffer += block
        data, self._buffer = self._buffer[:size], self._buffer[size:]
        return data


@pytest.mark.thorough
@pytest.mark.parametrize("head", ["", "HTTP/1.1 200 OK\ncontent-type: text/event-stream\n\n"])
@pytest.mark.parametrize(
    ("events", "is_read"),
    [
        ("data: {choices: [x\n\n", True),
        ("data: data: {choices: [x\n\n", True),
        ('data: {"object": "text_completion", "choices": []}\n\ndata: {choices: [x\n\n', False),
        ("data: {values: [x\n\n", False),
    ],
)
def test_damaged_stream_is_read_alike_with_and_without_its_head(head: str, events: str, is_read: bool) -> None:
    (part,) = read_all(head + events)
    assert isinstance(part, Exchange) == is_read


@pytest.mark.thorough
def test_responses_are_read_from_an_endless_stream() -> None:
    blocks = (_response(f"chatcmpl-{number}", 200).encode() for number in count())
    for number, exchange in enumerate(islice(read(Capture(_EndlessStream(blocks), "capture")), 200)):
        assert isinstance(exchange, Exchange)
        assert exchange.number == number
        assert len(exchange.text.data) < 50_000


def test_a_response_that_is_too_large_is_skipped_and_earlier_ones_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "LARGEST_DOCUMENT", 1 << 20)
    parts = read_all(_response("a") + _response("b", 10_000))
    assert [type(part) for part in parts] == [Exchange, Skipped]
    assert isinstance(parts[1], Skipped)
    assert parts[1].reason == "a stream of more than 1 MiB"


def test_a_response_far_after_the_last_end_is_not_separated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "_LOOKED_AT", 1000)
    text = _response("a") + ": waiting\n\n" * 500 + _response("b")
    assert len(_event_counts(text)) == 1


@pytest.mark.thorough
@pytest.mark.parametrize(
    "part",
    ["data: [DONE]\n\n", 'data: "[DONE]"\n\n', "[DONE]", "data: [DONE]", _event("a", content="x") + "data: [DONE]\n\n"],
    ids=["ends", "strings", "words", "line", "same-id"],
)
def test_many_end_marks_are_read_fast(part: str) -> None:
    text = "data: {}\n\n" + part * (1_000_000 // len(part))
    start_time = time.process_time()
    assert sum(1 for _ in event_stream._responses(Capture(io.BytesIO(text.encode()), "capture"))) == 1
    assert is_fast(time.process_time() - start_time, 150)


ANTHROPIC = """event: message_start
data: {"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant", "content": []}}

event: message_stop
data: {"type": "message_stop"}

data: [DONE]

"""


@pytest.mark.parametrize("heading", ["", "--- OpenAI ---\nTesting (Stream): m\n"])
def test_stream_of_another_api_ends_before_the_chunks_of_a_response(heading: str) -> None:
    text = ANTHROPIC + "".join(heading + _response(f"chatcmpl-{number}") for number in range(2))
    skipped, *streams = read_all(text)
    assert isinstance(skipped, Skipped)
    assert "Anthropic" in skipped.reason
    assert _event_counts(text) == [6, 6]
    assert [one.text.place(0).line for one in streams if isinstance(one, Exchange)] == [
        text[: text.index(f'data: {{"id": "chatcmpl-{number}"')].count("\n") + 1 for number in range(2)
    ]
    assert not [part for part in findings_in(text) if part.severity > 1]


@pytest.mark.parametrize(("name", "rules"), [("copy.txt", set()), ("wire.sse", {"sse-unknown-line"})])
def test_indentation_of_all_fields_is_left_out_only_in_a_text(name: str, rules: set[str]) -> None:
    text = "".join(f"  {line}" if line.strip() else line for line in _response("chatcmpl-1").splitlines(keepends=True))
    judge = Judge(engines.load())
    exchange = exchange_in(text, name)
    verdict = judge.judge(exchange)
    assert {finding.rule for finding in verdict.findings if finding.severity > 1} == rules


@pytest.mark.parametrize(
    ("name", "is_fault"), [("out.txt", False), ("a/log", True), ("stream.sse", True), ("<standard input>", True)]
)
@pytest.mark.parametrize("between", ["", " "])
def test_a_copy_without_any_line_end_has_lost_them_only_in_a_text(name: str, is_fault: bool, between: str) -> None:
    text = _response("chatcmpl-1")
    exchange = exchange_in(between.join(line for line in text.splitlines() if line), name)
    assert isinstance(exchange.response, Stream)
    assert exchange.response.values == stream(Text(text.encode())).values
    found = {one.rule for one in Judge(engines.load()).judge(exchange).findings if one.severity > 1}
    assert found == ({"events-not-separated"} if is_fault else set())


@pytest.mark.parametrize(
    ("name", "is_fault"), [("out.txt", False), ("a/log", True), ("stream.sse", True), ("<standard input>", True)]
)
@pytest.mark.parametrize("end", ["\n", ""])
def test_a_copy_without_any_blank_line_has_lost_them_only_in_a_text(name: str, is_fault: bool, end: str) -> None:
    lines = [line for line in _response("chatcmpl-1").splitlines() if line]
    judge = Judge(engines.load())
    found = judge.judge(exchange_in("\n".join(lines) + end, name)).findings
    assert [one.rule for one in found if one.severity > 1] == (["events-not-separated"] if is_fault else [])
    some_are_left = "\n".join([lines[0], "", *lines[1:], ""])
    assert "events-not-separated" in {one.rule for one in judge.judge(exchange_in(some_are_left, name)).findings}


@pytest.mark.parametrize(("name", "is_fault"), [("out.txt", False), ("a/log", True), ("stream.sse", True)])
@pytest.mark.parametrize("end", ["\n", ""])
@pytest.mark.parametrize("events", [1, 3, 6])
def test_a_copy_without_a_blank_line_at_its_end_has_lost_it_only_in_a_text(
    name: str, is_fault: bool, end: str, events: int
) -> None:
    text = "\n\n".join(_response("chatcmpl-1").split("\n\n")[:events])
    judge = Judge(engines.load())
    found = {one.rule for one in judge.judge(exchange_in(text + end, name)).findings}
    assert ("event-truncated" in found) == is_fault
    assert is_fault or found == {one.rule for one in judge.judge(exchange_in(text + "\n\n", name)).findings}
    in_an_event = judge.judge(exchange_in(text[: text.rindex("}") - 9], name)).findings
    assert "event-truncated" in {one.rule for one in in_an_event}


@pytest.mark.parametrize(("other_id", "responses"), [("a", 1), ("b", 2)])
def test_a_chunk_behind_the_end_of_a_stream_of_one_chunk_begins_another_one_by_its_id(
    other_id: str, responses: int
) -> None:
    text = "".join(_event(one, content="x") + "data: [DONE]\n\n" for one in ("a", other_id))
    assert len(_event_counts(text)) == responses


@pytest.mark.parametrize("name", ["out.txt", "app.log"])
def test_an_answer_directly_behind_the_end_of_a_stream_is_another_one_in_a_text(name: str) -> None:
    text = _response("chatcmpl-1").rstrip() + json.dumps(COMPLETION)
    assert [type(one.response) for one in all_exchanges(text, name)] == [Stream, Payload]


@pytest.mark.parametrize("end", ["", "\n\n"])
def test_a_stream_that_ends_inside_its_first_event_is_checked_or_said_to_be_cut_off(end: str) -> None:
    event = _event("chatcmpl-1", role="assistant", content="").rstrip()
    for length in range(len("data: {"), len(event)):
        (found,) = read_all(event[:length] + end, "body.sse")
        assert isinstance(found, Exchange) or found.reason.startswith("the stream is cut off inside its first event")
