"""Tests of chunks on lines of their own: which lines are one stream, if a server sent several streams at once."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from logged_halves import answer_of, chunks_of, logged, pairs_in, read_lines, request_of, said_in

from isogloss.validator.exchange import Exchange, NotJson, Payload, Skipped, Stream

_ERROR = {"error": {"message": "no", "type": "server_error", "param": None, "code": None}}


@given(st.permutations([name for name in "abcd" for _ in range(3)]), st.sampled_from(["log", "lines", "records"]))
def test_streams_that_a_server_sent_at_once_are_distinguished_by_their_ids(order: list[str], form: str) -> None:
    """Check it for any order of the lines; each stream has a request before it, and its end behind its last chunk."""
    halves = {name: [request_of(name, stream=True), *chunks_of(name)] for name in "abcd"}
    lines = []
    for name in order:
        half = halves[name].pop(0)
        for body in (half,) if halves[name] else (half, "[DONE]"):
            if form == "log":
                lines.append(logged(f"[req_{ord(name)}f3a] got", body))
            elif form == "records":
                lines.append(json.dumps({"ts": 1, "trace_id": f"trace-{name}", "data": body}))
            else:
                lines.append(body if isinstance(body, str) else json.dumps(body))
    parts = read_lines(lines, "app.jsonl" if form != "log" else "app.log")
    end = [NotJson.DONE] if form != "log" else []
    assert _streams(parts) == {name: [*chunks_of(name), *end] for name in "abcd"}
    if form != "lines":
        assert sorted(pairs_in(parts)) == [(name, name) for name in "abcd"]
    assert [part.number for part in parts] == list(range(len(parts)))


@given(st.permutations("aaabbbcdcd"), st.sampled_from(["log", "lines", "records"]))
def test_streams_go_on_behind_whole_answers_of_other_ids(order: list[str], form: str) -> None:
    """Check it for any order of the lines, and records that hold a request with its answer among them."""
    bodies: dict[str, list[object]] = {name: [request_of(name, stream=True), *chunks_of(name)] for name in "ab"}
    bodies["c"] = [request_of("c"), answer_of("c")]
    bodies["d"] = [{"request": request_of(name), "response": answer_of(name)} for name in "de"]
    lines = []
    for name in order:
        body = bodies[name].pop(0)
        if form == "log":
            lines.append(logged(f"[req_{ord(name)}f3a] got", body))
        elif form == "records" and name != "d":
            lines.append(json.dumps({"ts": 1, "trace_id": f"trace-{name}", "data": body}))
        else:
            lines.append(json.dumps(body))
    parts = read_lines(lines, "app.jsonl" if form != "log" else "app.log")
    assert _streams(parts) == {name: chunks_of(name) for name in "ab"}
    answers = {said_in(part) for part in parts if isinstance(part, Exchange) and isinstance(part.response, Payload)}
    assert answers == {"c", "d", "e"}


def test_a_stream_ends_before_the_whole_answer_that_it_folds_into() -> None:
    first = chunks_of("a")[0]
    parts = read_lines(map(json.dumps, [first, {"level": "info"}, answer_of("a"), first]), "app.jsonl")
    answers = [part.response for part in parts if isinstance(part, Exchange)]
    assert [body.kind if isinstance(body, Payload) else "stream" for body in answers] == [
        "chunk", "completion", "chunk"
    ]  # fmt: skip


def _streams(parts: list[Exchange | Skipped]) -> dict[str, list[object]]:
    """Return the events of each stream, by what it says first."""
    return {
        said_in(part): part.response.values
        for part in parts
        if isinstance(part, Exchange) and isinstance(part.response, Stream)
    }


@pytest.mark.parametrize("order", ["abababa", "abaabba"])
def test_an_end_is_that_of_a_stream_with_no_more_chunks(order: str) -> None:
    """Test it where each of two choices has a finish reason on a chunk of its own, and where the usage follows it."""
    usage = chunks_of("a")[0] | {"choices": [], "usage": {}}
    sent = {"a": [*chunks_of("a"), chunks_of("a")[1], usage], "b": [*chunks_of("b"), chunks_of("b")[1]]}
    left = {name: list(chunks) for name, chunks in sent.items()}
    lines = []
    for name in order:
        lines.append(json.dumps(left[name].pop(0)))
        lines += ["[DONE]"] if not left[name] else []
    assert _streams(read_lines(lines, "app.jsonl")) == {name: [*chunks, NotJson.DONE] for name, chunks in sent.items()}


@given(st.permutations(range(3)), st.permutations([name for name in "abc" for _ in range(5)]))
def test_a_stream_ends_with_the_last_of_its_choices(ends: list[int], order: list[str]) -> None:
    """Check it for three choices that end in any order, on lines between requests and chunks of other streams."""
    left = {}
    for name in "abc":
        first, last = chunks_of(name)
        begun = [
            first | {"choices": [{"index": index, "delta": {"role": "assistant", "content": name}} for index in ends]}
        ]
        left[name] = [request_of(name), *begun, *(_with_index(last, index) for index in ends)]
    sent = {name: bodies[1:] for name, bodies in left.items()}
    parts = read_lines([json.dumps(left[name].pop(0)) for name in order], "app.jsonl")
    assert _streams(parts) == sent
    assert len(parts) <= 6  # a request and a stream of each, or pairs


def _with_index(chunk: dict[str, object], index: int) -> dict[str, object]:
    """Return a chunk that ends the choice with this index."""
    return chunk | {"choices": [{"index": index, "delta": {}, "finish_reason": "stop"}]}


def test_lines_of_chunks_are_split_where_another_stream_begins() -> None:
    changing_ids = [chunk | {"id": f"chatcmpl-{number}"} for number, chunk in enumerate(chunks_of("c"))]
    parts = read_lines(map(json.dumps, [*chunks_of("a"), *chunks_of("b"), *changing_ids]), "app.jsonl")
    assert _streams(parts) == {"a": chunks_of("a"), "b": chunks_of("b"), "c": changing_ids}


def test_a_stream_goes_on_behind_the_first_chunk_of_another_one_that_follows_an_end() -> None:
    a, b, c = map(chunks_of, "abc")
    lines = map(json.dumps, [a[0], b[0], a[1], c[0], b[1], c[1]])
    assert _streams(read_lines(lines, "app.jsonl")) == {"a": a, "b": b, "c": c}


def test_an_end_too_many_stays_in_the_stream_before_it() -> None:
    a, b = chunks_of("a"), chunks_of("b")
    lines = [*map(json.dumps, [a[0], b[0], a[1]]), "[DONE]", json.dumps(b[1]), "[DONE]", "[DONE]"]
    streams = _streams(read_lines(lines, "app.jsonl"))
    assert streams == {"a": [*a, NotJson.DONE], "b": [*b, NotJson.DONE, NotJson.DONE]}


def test_an_end_is_not_that_of_a_stream_that_was_cut_off() -> None:
    a, b = chunks_of("a"), chunks_of("b")
    lines = [*map(json.dumps, [a[0], b[0], a[0], b[1]]), "[DONE]"]
    assert _streams(read_lines(lines, "app.jsonl")) == {"a": [a[0]] * 2, "b": [*b, NotJson.DONE]}


@pytest.mark.parametrize("between", [[], ['{"level": "info"}']])
def test_an_error_ends_a_stream_unless_other_lines_stand_between_them(between: list[str]) -> None:
    parts = read_lines([json.dumps(chunks_of("a")[0]), *between, json.dumps(_ERROR)], "app.jsonl")
    answers = [part.response for part in parts if isinstance(part, Exchange)]
    kinds = [body.kind if isinstance(body, Payload) else "stream" for body in answers]
    assert kinds == (["chunk", "error"] if between else ["stream"])


def test_an_error_behind_the_end_of_one_stream_ends_the_one_that_began_last() -> None:
    a, b, c = map(chunks_of, "abc")
    bodies = [a[0], b[0], a[1], c[0], _ERROR]
    assert _streams(read_lines(map(json.dumps, bodies), "app.jsonl")) == {"a": a, "c": [c[0], _ERROR]}


def test_a_line_without_an_exchange_does_not_end_a_stream_whose_usage_follows() -> None:
    usage = chunks_of("a")[0] | {"choices": [], "usage": {}}
    bodies = [*chunks_of("a"), {"level": "info"}, usage]
    assert _streams(read_lines(map(json.dumps, bodies), "app.jsonl")) == {"a": [*chunks_of("a"), usage]}


def test_a_server_that_gives_each_chunk_another_id_sends_one_stream() -> None:
    chunks = [chunk | {"id": f"chatcmpl-{number}"} for number, chunk in enumerate(chunks_of("a"))]
    chunks.insert(1, chunks[0] | {"id": "chatcmpl-between"})
    [part] = read_lines(map(json.dumps, chunks), "app.jsonl")
    assert isinstance(part, Exchange)
    assert isinstance(part.response, Stream)
    assert part.response.values == chunks


def test_a_stream_that_never_ends_is_not_waited_for_forever() -> None:
    open_stream = json.dumps(chunks_of("a")[0])
    others = [json.dumps(chunk) for number in range(200) for chunk in chunks_of(f"n{number}")]
    parts = read_lines([open_stream, *others], "app.jsonl")
    assert [said_in(part) for part in parts if isinstance(part, Exchange)][-1] == "n199"
    assert [part.number for part in parts] == list(range(len(parts)))
    assert len(parts) >= 200


def test_a_payload_directly_behind_the_end_of_a_stream_is_one_of_its_own() -> None:
    lines = [*map(json.dumps, chunks_of("a")), "[DONE]" + json.dumps(answer_of("b"))]
    stream, answer = (one.response for one in read_lines(lines, "app.jsonl") if isinstance(one, Exchange))
    assert isinstance(stream, Stream)
    assert stream.values == [*chunks_of("a"), NotJson.DONE]
    assert isinstance(answer, Payload)
    assert answer.text.place(0) == (len(lines), len("[DONE]") + 1)


def test_chunks_without_an_id_on_both_sides_of_another_line_are_no_stream() -> None:
    first, last = ({name: part for name, part in chunk.items() if name != "id"} for chunk in chunks_of("a"))
    parts = read_lines([json.dumps(first), '{"level": "info"}', json.dumps(last)], "app.jsonl")
    assert [type(part.response) for part in parts if isinstance(part, Exchange)] == [Payload, Payload]
    [stream] = read_lines(map(json.dumps, [first, last]), "app.jsonl")
    assert isinstance(stream, Exchange)
    assert isinstance(stream.response, Stream)


@pytest.mark.parametrize(("blank_lines", "count"), [(1, 1), (8, 2)])
def test_a_stream_with_the_same_id_far_below_its_end_is_another_one(blank_lines: int, count: int) -> None:
    lines = ["some words", *(f"data: {json.dumps(chunk)}" for chunk in chunks_of("a"))]
    parts = read_lines([*lines, *[""] * blank_lines, *lines[1:]], "a.txt")
    streams = [part.response for part in parts if isinstance(part, Exchange)]
    assert [type(stream) for stream in streams] == [Stream] * count
