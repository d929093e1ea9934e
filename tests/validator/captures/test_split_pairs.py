"""Tests of requests and answers on lines of their own: which are joined, and that no others are."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from logged_halves import (
    MODEL,
    WITH_IDS,
    WITHOUT_IDS,
    answer_of,
    chunks_of,
    logged,
    pairs_in,
    read_lines,
    request_of,
    said_in,
)
from reading import read_all

from isogloss.validator.captures import Capture, divisible_format, read
from isogloss.validator.captures.texts.ids import ids_in_record, ids_in_text
from isogloss.validator.exchange import Exchange, Skipped


@pytest.mark.parametrize("recorder", WITH_IDS.values(), ids=WITH_IDS)
def test_halves_with_the_same_id_are_a_pair_whatever_stands_between_them(
    recorder: Callable[[str], list[str]],
) -> None:
    halves = [recorder(name) for name in "abc"]
    lines = [halves[0][0], halves[1][0], halves[1][1], halves[2][0], halves[0][1], halves[2][1]]
    parts = read_lines(lines, "app.jsonl" if lines[0].startswith("{") else "app.log")
    assert pairs_in(parts) == [("a", "a"), ("b", "b"), ("c", "c")]
    assert [part.number for part in parts] == list(range(len(parts)))


@pytest.mark.parametrize("recorder", WITHOUT_IDS.values(), ids=WITHOUT_IDS)
def test_halves_that_take_turns_are_pairs(recorder: Callable[[str], list[str]]) -> None:
    lines = [line for name in "abc" for line in recorder(name)]
    parts = read_lines(lines, "app.jsonl" if lines[0].startswith("{") else "app.log")
    assert pairs_in(parts) == [("a", "a"), ("b", "b"), ("c", "c")]
    exchanges = [part for part in parts if isinstance(part, Exchange)]
    assert len(exchanges) == 3
    numbers = [part.number for part in parts if part.number is not None]
    assert numbers == sorted(set(numbers))


@given(st.permutations([name for name in "abcdef" for _ in range(2)]), st.sampled_from(list(WITH_IDS)))
def test_whatever_the_order_of_lines_with_ids_just_the_true_pairs_are_joined(order: list[str], recorder: str) -> None:
    halves = {name: iter(WITH_IDS[recorder](name)) for name in order}
    lines = [next(halves[name]) for name in order]
    parts = read_lines(lines, "app.jsonl" if lines[0].startswith("{") else "app.log")
    assert sorted(pairs_in(parts)) == [(name, name) for name in "abcdef"]


@given(st.permutations([name for name in "abcdef" for _ in range(2)]), st.sampled_from(["labels", "lines"]))
def test_without_ids_no_pair_is_joined_that_is_none(order: list[str], recorder: str) -> None:
    halves = {name: iter(WITHOUT_IDS[recorder](name)) for name in order}
    parts = read_lines(next(halves[name]) for name in order)
    takes_turns = all(order[position] == order[position + 1] for position in range(0, len(order), 2))
    assert pairs_in(parts) == ([(name, name) for name in order[::2]] if takes_turns else [])


@given(st.permutations([name for name in "abcdef" for _ in range(2)]), st.sets(st.integers(0, 11), max_size=8))
def test_of_a_log_with_ids_that_misses_lines_just_the_true_pairs_are_joined(
    order: list[str], missing: set[int]
) -> None:
    halves = {name: iter(WITH_IDS["a request id in brackets"](name)) for name in order}
    lines = [next(halves[name]) for name in order]
    kept = [position for position in range(len(order)) if position not in missing]
    parts = read_lines(lines[position] for position in kept)
    whole = sorted({name for name in order if [order[position] for position in kept].count(name) == 2})
    assert sorted(pairs_in(parts)) == [(name, name) for name in whole]


@pytest.mark.parametrize(
    "lines",
    [
        [
            logged("request", request_of("a")),
            logged("request", request_of("b")),
            logged("response", answer_of("b")),
        ],
        [
            logged("request", request_of("a")),
            logged("response", answer_of("b")),
            logged("response", answer_of("a")),
        ],
        [
            logged("response", answer_of("b")),
            logged("request", request_of("a")),
            logged("response", answer_of("a")),
        ],
        [logged("request", request_of("a")), logged("response", answer_of("a", "another-model"))],
        [logged("request", request_of("a", stream=True)), logged("response", answer_of("a"))],
        [logged("request", request_of("a")), *(logged("chunk", chunk) for chunk in chunks_of("a"))],
        [logged("[req_7f3a] request", request_of("a")), logged("[req_9b1c] response", answer_of("a"))],
        [logged("request_id=1 request", request_of("a")), logged("request_id=2 response", answer_of("a"))],
        [
            logged("trace_id=77 request_id=1 request", request_of("a")),
            logged("trace_id=77 request_id=2 response", answer_of("a")),
        ],
        [logged("request", request_of("a"))[:-20], logged("response", answer_of("a"))],
    ],
    ids=[
        "two requests",
        "two answers",
        "an answer before",
        "another model",
        "no stream",
        "a stream",
        "other ids",
        "other numbers",
        "other numbers in one trace",
        "cut off",
    ],
)
def test_halves_that_may_not_belong_together_stay_two_exchanges(lines: list[str]) -> None:
    parts = read_lines(lines)
    assert pairs_in(parts) == []
    assert len(parts) >= len(lines) - 1


@pytest.mark.parametrize("logs_calls", [True, False])
def test_the_last_answer_of_a_loop_of_calls_is_not_joined_with_its_first_request(logs_calls: bool) -> None:
    """Check that the history in the next request tells whether the answer in the log is the one to the request."""
    call = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    called = {"role": "assistant", "content": None, "tool_calls": [call]}
    first = [{"role": "user", "content": "a"}]
    looped = [*first, called, {"role": "tool", "tool_call_id": "call_1", "content": "b"}]
    second = [*looped, {"role": "assistant", "content": "a"}, {"role": "user", "content": "b"}]
    answered = answer_of("a")
    answered_by_call = answered | {
        "id": "chatcmpl-call",
        "choices": [{"index": 0, "message": called, "finish_reason": "tool_calls"}],
    }
    loop = [request_of("a", messages=first), answered_by_call, request_of("a", messages=looped), answered]
    kept = loop if logs_calls else [loop[0], loop[-1]]
    parts = read_lines(logged("body", body) for body in (*kept, request_of("b", messages=second), answer_of("b")))
    pairs = [part for part in parts if isinstance(part, Exchange) and part.request and part.response]
    assert len(pairs) == (3 if logs_calls else 0)


def test_a_request_that_was_sent_again_is_answered_once() -> None:
    request = logged("request", request_of("a"))
    again, parsed = request.replace("05:00:00", "05:00:09"), dict(sorted(answer_of("a").items()))
    parts = read_lines([request, again, logged("response", answer_of("a")), logged("parsed", parsed)])
    assert pairs_in(parts) == [("a", "a")]
    assert [part.number for part in parts] == [0, 1, 2]


def test_a_refusal_answers_the_request_before_it() -> None:
    error = {"error": {"message": "no", "type": "invalid_request_error", "param": None, "code": None}}
    assert pairs_in(read_lines([logged("request", request_of("a")), logged("response", error)])) == [("a", "no")]


REFUSAL = {"error": {"message": "no", "type": "invalid_request_error", "param": None, "code": None}}
TO_OTHER_APIS = {
    "Embeddings": {"model": "e", "input": "a", "encoding_format": "float"},
    "Ollama": request_of("a", options={"temperature": 0}),
    "any with an input": {"model": "e", "input": "a"},
}


@pytest.mark.parametrize("request_body", TO_OTHER_APIS.values(), ids=TO_OTHER_APIS)
@pytest.mark.parametrize("before", [[], [request_of("a"), answer_of("a")]], ids=["alone", "behind an exchange"])
def test_a_refusal_directly_behind_a_request_of_another_api_is_of_that_api(
    before: list[object], request_body: dict[str, object]
) -> None:
    parts = read_lines(logged("body", body) for body in (*before, request_body, REFUSAL))
    reasons = [part.why.words for part in parts if isinstance(part, Skipped)]
    assert len(reasons) == 2
    assert reasons[0] == reasons[1]
    assert len(parts) == 2 + len(before) // 2


def test_a_failure_is_of_the_other_api_whatever_holds_it() -> None:
    """Check records, also where the request of Chat Completions before has no answer."""
    asked = {"request": TO_OTHER_APIS["Ollama"]}, {"status": 404, "response": {"error": "no"}}
    assert not any(isinstance(part, Exchange) for part in read_lines(map(json.dumps, asked), "a.jsonl"))
    bodies = (request_of("a"), TO_OTHER_APIS["Embeddings"], REFUSAL)
    assert not pairs_in(read_lines([json.dumps({"msg": "http", "body": body}) for body in bodies], "a.jsonl"))


@pytest.mark.parametrize(
    "between", [[logged("[req_2f3a] request", request_of("a"))], []], ids=["another request", "another id"]
)
def test_a_refusal_behind_something_else_or_with_another_id_counts(between: list[str]) -> None:
    asked = logged("[req_1f3a] request", TO_OTHER_APIS["Embeddings"])
    parts = read_lines([asked, *between, logged("[req_2f3a] response", REFUSAL)])
    assert any(isinstance(part, Exchange) and part.response is not None for part in parts)


def test_the_order_shows_nothing_any_more_behind_two_requests_in_a_row() -> None:
    in_turn = [logged("body", body) for name in "bc" for body in (request_of(name), answer_of(name))]
    assert pairs_in(read_lines(in_turn)) == [("b", "b"), ("c", "c")]
    assert pairs_in(read_lines([logged("body", request_of("a")), *in_turn])) == []


@pytest.mark.parametrize(
    "name",
    [
        "request_id", "req_id", "x-request-id", "rid", "correlation_id", "X-Correlation-Id", "traceId", "call_id",
        "transaction_id", "completion_id", "generation_id", "exchange_id", "llm_request_id", "llmCallId",
        "invocation_id", "correlation", "trace",
    ],
)  # fmt: skip
def test_an_id_may_be_short_if_its_name_says_that_it_is_that_of_a_request(name: str) -> None:
    bodies = [(7, request_of("a")), (8, request_of("b")), (8, answer_of("b")), (7, answer_of("a"))]
    parts = read_lines(json.dumps({"level": "info", name: number, "body": body}) for number, body in bodies)
    assert pairs_in(parts) == [("a", "a"), ("b", "b")]


@pytest.mark.parametrize("trace", [7, True])
def test_a_truth_value_is_no_id(trace: int) -> None:
    records = [
        {"body": request_of("a")},
        *({"trace": trace, "body": body} for body in (request_of("b"), answer_of("b"))),
    ]
    parts = read_lines(json.dumps({"level": "info", **record}) for record in records)
    assert pairs_in(parts) == ([("b", "b")] if trace is not True else [])


def test_an_id_that_all_lines_share_is_no_evidence_against_the_order() -> None:
    lines = [line for name in "ab" for line in (logged("[pod-7d9f8b6c5d] request", request_of(name)),
                                                logged("[pod-7d9f8b6c5d] response", answer_of(name)))]  # fmt: skip
    assert pairs_in(read_lines(lines)) == [("a", "a"), ("b", "b")]


def test_an_id_that_only_the_answers_have_is_no_evidence_against_the_order() -> None:
    lines = [line for name in "ab" for line in (logged("request", request_of(name)),
                                                logged(f"[req_{ord(name)}f3a] response", answer_of(name)))]  # fmt: skip
    assert pairs_in(read_lines(lines)) == [("a", "a"), ("b", "b")]


@pytest.mark.parametrize("names", ["request", "response", "both"])
def test_a_pair_has_the_url_of_the_half_that_names_one(names: str) -> None:
    url = {"url": "https://api.groq.com/openai/v1/chat/completions"}
    asked, answered = (url if names in (half, "both") else {} for half in ("request", "response"))
    (pair,) = read_lines([
        json.dumps({"type": "request", "request_id": 1, **asked, "body": request_of("a")}),
        json.dumps({"type": "response", "request_id": 1, **answered, "status": 200, "body": answer_of("a")}),
    ])  # fmt: skip
    assert isinstance(pair, Exchange)
    assert (pair.host, pair.path) == ("api.groq.com", "/openai/v1/chat/completions")


def test_calls_in_one_trace_that_are_made_at_once_stay_apart() -> None:
    trace = "trace_id=4bf92f3577b34da6a3ce929d0e0e4736"
    lines = [logged(f"{trace} request", request_of("a")), logged(f"{trace} request", request_of("b"))]
    lines += [logged(f"{trace} response", answer_of("b")), logged(f"{trace} response", answer_of("a"))]
    assert pairs_in(read_lines(lines)) == []


_SIDES = [
    ("client_request", request_of("a") | {"model": "fast"}),
    ("upstream_request", request_of("a")),
    ("upstream_response", answer_of("up")),
    ("client_response", answer_of("down", "fast")),
]
"""What a gateway logs of one request that it got, in this order."""


def _models(parts: list[Exchange | Skipped]) -> list[tuple[str | None, str | None]]:
    """Return the model that each exchange asks for, and what is answered."""
    found = []
    for part in parts:
        if not isinstance(part, Exchange):
            continue
        asked = part.request.value["model"] if part.request and isinstance(part.request.value, dict) else None
        found.append((asked, said_in(part) if part.response else None))
    return found


@pytest.mark.parametrize(
    "line",
    [
        lambda phase, body: json.dumps({"correlation_id": "7f3a9c2e", "phase": phase, "body": body}),
        lambda phase, body: f"2026-11-26 10:00:00 DEBUG {phase} req_id=7f3a9c2e body={json.dumps(body)}",
    ],
)
def test_a_gateway_that_logs_both_its_sides_has_two_pairs(line: Callable[[str, object], str]) -> None:
    parts = read_lines([line(phase, body) for phase, body in _SIDES])
    assert _models(parts) == [("fast", "down"), (MODEL, "up")]
    parts = read_lines([line(phase, body) for phase, body in _SIDES[:3]])
    assert _models(parts)[-1] == (MODEL, "up")


@pytest.mark.parametrize("in_events", [True, False])
def test_a_gateway_that_passes_on_what_it_got_has_one_pair(in_events: bool) -> None:
    """Check the execution log of an API Gateway of AWS: each body as it came, and as it was passed on."""
    parts = {
        "Method request body before transformations": request_of("a"),
        "Endpoint request body after transformations": request_of("a"),
        "Endpoint response body before transformations": answer_of("a"),
        "Method response body after transformations": answer_of("a"),
    }
    messages = [
        f"({number}6ab9c1e-3a83-11e9-8dc8-db3cf4c83204) {name}: {json.dumps(body)}"
        for number in (1, 2)
        for name, body in parts.items()
    ]
    lines = [f"2026-11-26T10:00:00.123Z {message}" for message in messages]
    events = [{"timestamp": 1760000000000 + time, "message": message} for time, message in enumerate(messages)]
    found = read_all({"events": events}) if in_events else read_lines(lines)
    assert [(type(one), one.number) for one in found] == [(Exchange, 0), (Exchange, 1)]
    assert pairs_in(found) == [("a", "a")] * 2


@pytest.mark.parametrize("line", ["req_7f3a {}", "{} req_7f3a", "a {} req_7f3a", "{req_7f3b} req_7f3a", "req_7f3a"])
def test_an_id_may_stand_before_an_object_and_behind_it(line: str) -> None:
    assert ids_in_text(line.encode()) == {"req_7f3a": ""}


@pytest.mark.parametrize(
    ("lines", "is_dumped"),
    [
        ([request_of("a"), answer_of("a")], False),
        ([{"in": request_of("a")}, answer_of("a")], True),
        ([request_of("a"), {"ts": 1, "out": answer_of("a")}], True),
        (
            [{"in": request_of("a", stream=True), "trace_id": "t"}, {"ts": 1, "out": answer_of("a"), "trace_id": "t"}],
            True,
        ),
    ],
)
def test_a_pair_is_not_as_it_was_sent_if_one_of_its_halves_is_not(lines: list[object], is_dumped: bool) -> None:
    (pair,) = read_lines(map(json.dumps, lines), "app.jsonl")
    assert isinstance(pair, Exchange)
    assert pair.request is not None
    assert pair.dumped == is_dumped


def test_a_line_with_a_request_may_have_the_id_that_the_answer_itself_has() -> None:
    asked = [{"completion_id": f"chatcmpl-of-{name}", "in": request_of(name)} for name in "ab"]
    answered = [{"level": "info", "out": answer_of(name)} for name in "ab"]
    assert pairs_in(read_lines(map(json.dumps, [*asked, *answered]), "app.jsonl")) == [("a", "a"), ("b", "b")]


def test_the_id_of_an_answer_itself_says_nothing_against_a_request_with_another_id() -> None:
    lines = [logged("request_id=7f3a9c2e asked", request_of("a")), logged("answered", answer_of("a"))]
    assert pairs_in(read_lines(lines)) == [("a", "a")]


def test_an_answer_may_have_more_ids_than_its_request() -> None:
    lines = [{"trace_id": "trace-of-a", "data": request_of("a")}]
    lines.append({"trace_id": "trace-of-a", "request_id": "request-of-a", "data": answer_of("a")})
    assert pairs_in(read_lines(map(json.dumps, lines), "app.jsonl")) == [("a", "a")]


def test_an_answer_with_the_id_of_its_request_may_be_of_another_model() -> None:
    lines = [
        logged("request_id=7f3a asked", request_of("a")),
        logged("request_id=7f3a answered", answer_of("a", "fallback")),
    ]
    assert pairs_in(read_lines(lines)) == [("a", "a")]


def test_two_models_that_are_asked_the_same_at_once_stay_apart() -> None:
    bodies = [
        request_of("a") | {"model": "m-1"},
        request_of("a") | {"model": "m-2"},
        answer_of("1", "m-1"),
        answer_of("2", "m-2"),
    ]
    parts = read_lines([json.dumps({"trace_id": "7f3a9c2e", "body": body}) for body in bodies])
    assert pairs_in(parts) == []


_OF_LLAMA_CPP = "{0}request: POST /v1/chat/completions 127.0.0.1 200\n{0}request:  {1}\n{0}response: {2}"


@pytest.mark.parametrize("begins", ["srv  log_server_r: ", "1.02.000.001 D srv  log_server_r: "])
@pytest.mark.parametrize("asked", [{"stream": True}, {}])
def test_a_request_that_was_logged_when_it_was_answered_is_no_request_of_a_later_answer(
    asked: dict[str, object], begins: str
) -> None:
    """A log may begin behind the first stream."""
    lines = []
    for name, following in pairwise("abcd"):
        answer = "" if asked else json.dumps(answer_of(name))
        lines += _OF_LLAMA_CPP.format(begins, json.dumps(request_of(name) | asked), answer).split("\n")
        lines += [f"data stream, to_send: data: {json.dumps(one)}" for one in chunks_of(following) if asked]
    assert pairs_in(read_lines(lines, "server.log")) == ([] if asked else [(name, name) for name in "abc"])


def test_an_answer_far_behind_its_request_is_not_waited_for() -> None:
    first, last = WITH_IDS["a request id in brackets"]("a")
    others = [logged("response", answer_of(f"n{number}")) for number in range(200)]
    parts = read_lines([first, *others, last])
    assert pairs_in(parts) == []
    assert [part.number for part in parts] == list(range(202))


def test_the_first_request_may_be_a_long_one() -> None:
    [request, answer] = WITHOUT_IDS["lines"]("a" * 300_000)
    assert len(pairs_in(read_lines([request, answer], "app.jsonl"))) == 1
    capture = Capture(io.BytesIO(f"{request}\n{answer}\n".encode()), "app.jsonl")
    assert divisible_format(capture, None) is None


@pytest.mark.parametrize("form", ["app.jsonl", "app.log", "app.json"])
def test_many_records_without_traffic_may_stand_before_the_first_request(form: str) -> None:
    records = [{"event": "started", "number": number} for number in range(500)]
    lines = [json.dumps(one) for one in [*records, request_of("a"), answer_of("a")]]
    if form == "app.json":
        parts = read_all("[" + ",\n".join(lines) + "]", form)
    else:
        parts = read_lines([f"12:00:00 INFO {line}" for line in lines] if form == "app.log" else lines, form)
    assert pairs_in(parts) == [("a", "a")]


@pytest.mark.parametrize(("answers", "is_pair"), [(0, True), (39, True), (40, False)])
def test_one_of_the_first_exchanges_must_be_a_request(answers: int, is_pair: bool) -> None:
    others = [logged("response", answer_of(f"n{number}")) for number in range(answers)]
    parts = read_lines([*others, *WITH_IDS["a request id in brackets"]("a")])
    assert pairs_in(parts) == [("a", "a")] * is_pair


def test_json_lines_with_halves_are_not_divided() -> None:
    """Check that no pair is lost where several processes check one file."""
    halves = "".join(f"{line}\n" for line in WITHOUT_IDS["lines"]("a")).encode()
    answers = f"{json.dumps(answer_of('a'))}\n".encode() * 2
    assert divisible_format(Capture(io.BytesIO(halves), "a.jsonl"), None) is None
    long_answers = f"{json.dumps(answer_of('a' * 100_000))}\n".encode() * 2
    for lines in (answers, long_answers, b'{"level": "info"}\n' + answers):
        assert divisible_format(Capture(io.BytesIO(lines), "a.jsonl"), None) == "jsonl"
    part = Capture(io.BytesIO(halves), "a.jsonl", line=17)
    assert pairs_in(list(read(part, "jsonl"))) == []


def test_an_id_under_several_names_keeps_the_name_that_says_whose_it_is() -> None:
    assert ids_in_record({"request_id": "7f3a9c0d1e2b", "entity_id": "7f3a9c0d1e2b"}) == {"7f3a9c0d1e2b": "requestid"}


@pytest.mark.parametrize("before", ["[app][model] ", "[1] [app] ", "10:00:00 INFO [app] "])
def test_objects_over_lines_are_a_pair_by_their_id_whatever_stands_between_them(before: str) -> None:
    def lines_of(record: dict[str, object]) -> list[str]:
        first, *others = json.dumps(record, indent=2).split("\n")
        prefix = "[1] " if before.startswith("[1] ") else ""
        return [f"{before}{first}", *(f"{prefix}{line}" for line in others)]

    lines = [
        line
        for record in (
            {"request_id": "1770988274295-b", "url": "https://h/v1/chat/completions", "body": request_of("b")},
            {"request_id": "1770988278346-a", "url": "https://h/v1/chat/completions", "body": request_of("a")},
            {"request_id": "1770988278346-a", "status": 200, "ok": True, "body_text": json.dumps(answer_of("a"))},
            {"request_id": "1770988274295-b", "status": 200, "ok": True, "body_text": json.dumps(answer_of("b"))},
            {"request_id": "1770988292689-c", "url": "https://h/v1/chat/completions", "body": request_of("c")},
        )
        for line in lines_of(record)
    ]
    assert pairs_in(read_lines(lines)) == [("b", "b"), ("a", "a")]


def test_an_answer_alone_in_an_object_over_lines_behind_a_word_in_brackets_is_read() -> None:
    record = json.dumps({"status": 200, "body_text": json.dumps(answer_of("a"))}, indent=2)
    (part,) = read_lines([f"[app][model] {record}"])
    assert isinstance(part, Exchange)
    assert said_in(part) == "a"
