"""Tests that a stream is read from a log of what a program read of it, wherever the reads were cut."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from payloads import CHUNKS, COMPLETION, ERROR, EVENTS, REQUEST, as_events, chunk, json_lines
from reading import all_exchanges, exchanges_in, findings_in, read_all, values_of

from isogloss.validator.exchange import Exchange, Payload, Skipped, Stream

_LONGER = as_events(*CHUNKS[:1], *(chunk({"content": f"{word} é"}) for word in "abc"), CHUNKS[-1], "[DONE]")
_FIRST = len(as_events(CHUNKS[0]))


def _log(text: str, cuts: list[int], name: str = "data") -> str:
    ends = sorted({0, len(text), *(min(cut, len(text)) for cut in cuts)})
    return json_lines(*({"ts": 1760000000.5 + n, name: text[a:b]} for n, (a, b) in enumerate(pairwise(ends))))


@given(
    st.lists(st.integers(len("data: {"), len(_LONGER)), max_size=12),
    st.sampled_from(["data", "chunk", "bytes", "raw"]),
    st.sampled_from(["\n", "\r\n"]),
)
@example([], "chunk", "\n")
@example([_FIRST, _FIRST + 1], "data", "\n")
@example([_FIRST + 1, _FIRST + 2, _FIRST + 3], "data", "\n")
@example(list(range(7, len(_LONGER), 7)), "data", "\n")
def test_a_stream_is_read_wherever_its_reads_were_cut(cuts: list[int], name: str, end: str) -> None:
    """Unless the first read holds all of it: that may be any body in a record."""
    text = _LONGER.replace("\n", end)
    cuts = [*cuts, _FIRST + 1] if min(cuts, default=len(text)) > text.index("[DONE]") else cuts
    (found,) = all_exchanges(_log(text, cuts, name), "reads.jsonl")
    (expected,) = all_exchanges(_LONGER, "body.sse")
    assert values_of(found) == values_of(expected)


def test_the_data_of_an_event_has_its_place_in_the_line_it_began_on() -> None:
    text = as_events(CHUNKS[0], chunk({}, "bored"), "[DONE]")
    for cut in (_FIRST, _FIRST + 20):
        (finding,) = [one for one in findings_in(_log(text, [cut])) if one.rule == "unknown-value"]
        assert finding.source.line == (2 if cut == _FIRST else 1)


@pytest.mark.parametrize("stripped", [True, False])
def test_reads_that_end_with_an_event_need_no_line_end(stripped: bool) -> None:
    events = as_events(*CHUNKS, "[DONE]").strip().split("\n\n")
    reads = ["\n\n".join(events[:1]), "\n\n".join(events[1:])]
    text = json_lines(*({"event": "read", "data": one if stripped else f"{one}\n\n"} for one in reads))
    (found,) = all_exchanges(text, "reads.jsonl")
    assert isinstance(found.response, Stream)
    assert len(found.response.values) == 3


def test_blank_reads_between_events_are_of_the_stream() -> None:
    reads = [line + "\n" for line in EVENTS.splitlines()]
    (found,) = exchanges_in(json_lines(*({"event": "read", "data": one} for one in reads)), "reads.jsonl")
    assert values_of(found)[1][:2] == CHUNKS


def test_an_event_that_no_read_completes_is_cut_off() -> None:
    log = _log(_LONGER[: _FIRST + 60], [_FIRST + 10])
    for behind in ("", json.dumps({"request": REQUEST, "response": COMPLETION}) + "\n"):
        streams = [one for one in all_exchanges(log + behind, "reads.jsonl") if isinstance(one.response, Stream)]
        (body,) = [one.response for one in streams]
        assert isinstance(body, Stream)
        assert len(body.values) == 2
        assert body.cut == frozenset({1})


def test_an_error_that_a_read_holds_behind_chunks_is_in_their_stream() -> None:
    (found,) = all_exchanges(_log(as_events(CHUNKS[0], chunk({"content": "a"}), ERROR), [_FIRST + 5]), "reads.jsonl")
    assert values_of(found)[1][-1] == ERROR


@pytest.mark.parametrize("records", [1, 3])
def test_records_that_only_look_like_reads_are_counted_and_hide_no_answer(records: int) -> None:
    lines = [{"n": n, "data": 'data: {"id": "'} for n in range(records)]
    parts = read_all(json_lines(*lines, {"request": json.dumps(REQUEST), "response": COMPLETION}), "reads.jsonl")
    assert sum(part.parts for part in parts if isinstance(part, Skipped)) == records
    assert [type(part.response) for part in parts if isinstance(part, Exchange)] == [Payload]


def test_a_record_with_an_answer_beside_a_read_is_no_read() -> None:
    record = {"data": 'data: {"id": "', "request": json.dumps(REQUEST), "response": json.dumps(COMPLETION)}
    (found,) = all_exchanges(json_lines(record, record | {"data": "x"})[: -len("\n")], "reads.jsonl")[:1]
    assert isinstance(found.response, Payload)


def test_whole_streams_on_lines_stay_streams_of_their_own() -> None:
    lines = [{"n": n, "raw_response": EVENTS.replace("Fake2", f"Fake{n}")} for n in (3, 4)]
    assert len(all_exchanges(json_lines(*lines), "bodies.jsonl")) == 2


@pytest.mark.parametrize(
    "text",
    [
        'data: {"event": "message", "answer": "a"}\n\ndata: {"event": "message", "answer": "b"}\n\n',
        'event: message_start\ndata: {"type": "message_start"}\n\nevent: x\ndata: {"type": "message_delta"}\n\n',
        "data: 1\n\ndata: 2\n\n",
    ],
)
def test_reads_of_the_streams_of_other_apis_are_not_read(text: str) -> None:
    assert not all_exchanges(_log(text, [len(text) // 2]), "reads.jsonl")


def test_a_read_without_an_end_is_not_kept_forever() -> None:
    begins = as_events(CHUNKS[0]) + 'data: {"id": "'
    lines = [{"data": begins}, *({"data": "x" * 1000} for _ in range(3000))]
    parts = read_all(json_lines(*lines), "reads.jsonl")
    (found,) = [one for one in parts if not hasattr(one, "why")]
    assert values_of(found)[1][0] == CHUNKS[0]


def test_each_event_has_its_place_in_the_line_that_holds_it() -> None:
    log = _log(_LONGER, [_FIRST + 30, 2 * _FIRST + 30, 3 * _FIRST + 30])
    (found,) = all_exchanges(log, "reads.jsonl")
    assert isinstance(found.response, Stream)
    assert found.response.lines is not None
    lines = [text.place(0).line for text in found.response.lines]
    assert lines == sorted(lines)
    assert set(lines) == {1, 2, 3, 4}
