"""Tests of requests and answers on lines of their own: which are joined, and that no others are."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading import read_all

from isogloss.validator.captures import Capture, divisible_format, read
from isogloss.validator.captures.document import Document
from isogloss.validator.captures.texts.ids import ids_in_text
from isogloss.validator.captures.texts.log_arrays import log_in
from isogloss.validator.exchange import Exchange, NotJson, Payload, Skipped, Stream
from isogloss.validator.text import Text

_MODEL = "gpt-4o-mini"


def _request(name: str, **properties: object) -> dict[str, object]:
    return {"model": _MODEL, "messages": [{"role": "user", "content": name}], **properties}


def _answer(name: str, model: str = f"{_MODEL}-2024-07-18") -> dict[str, object]:
    choice = {"index": 0, "message": {"role": "assistant", "content": name}, "finish_reason": "stop"}
    return {"id": f"chatcmpl-of-{name}", "object": "chat.completion", "created": 1, "model": model, "choices": [choice]}


def _chunks(name: str) -> list[dict[str, object]]:
    deltas = [{"role": "assistant", "content": name}, {}]
    return [
        {
            "id": f"chatcmpl-of-{name}",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": _MODEL,
            "choices": [{"index": 0, "delta": delta, "finish_reason": "stop" if not delta else None}],
        }
        for delta in deltas
    ]


def _read(lines: Iterable[str], name: str = "app.log") -> list[Exchange | Skipped]:
    return read_all("".join(f"{line}\n" for line in lines), name)


def _pairs(parts: list[Exchange | Skipped]) -> list[tuple[str, str]]:
    """Return of each pair what is asked and what is answered."""
    found = []
    for part in parts:
        if isinstance(part, Exchange) and part.request is not None and part.response is not None:
            assert isinstance(part.request.value, dict)
            found.append((part.request.value["messages"][0]["content"], _said(part)))
    return found


def _said(exchange: Exchange) -> str:
    body = exchange.response
    value = body.values[0] if isinstance(body, Stream) else body.value if isinstance(body, Payload) else None
    assert isinstance(value, dict)
    if "error" in value:
        return str(value["error"]["message"])
    choice = value["choices"][0]
    return str((choice.get("message") or choice["delta"])["content"])


def _log(label: str, body: object) -> str:
    return f"2026-11-26 05:00:00,123 DEBUG {label}: {json.dumps(body)}"


_RECORDERS: dict[str, Callable[[str], list[str]]] = {
    "a request id in brackets": lambda name: [
        _log(f"[req_{ord(name)}f3a] request", _request(name)),
        _log(f"[req_{ord(name)}f3a] response", _answer(name)),
    ],
    "a request id with its name": lambda name: [
        _log(f"request_id={ord(name)} asked", _request(name)),
        _log(f"request_id={ord(name)} answered", _answer(name)),
    ],
    "a UUID behind the body": lambda name: [
        f"{_log('request', _request(name))} 123e4567-e89b-12d3-a456-4266141740{ord(name):x}",
        f"{_log('response', _answer(name))} 123e4567-e89b-12d3-a456-4266141740{ord(name):x}",
    ],
    "the id of the answer": lambda name: [
        _log(f"Received request chatcmpl-of-{name}-0", _request(name)),
        _log("Generated response", _answer(f"{name}-0") | {"choices": _answer(name)["choices"]}),
    ],
    "records": lambda name: [
        json.dumps({"ts": 1, "type": "request", "request_id": ord(name), "body": _request(name)}),
        json.dumps({"ts": 2, "type": "response", "request_id": ord(name), "status": 200, "body": _answer(name)}),
    ],
    "records with bodies as text": lambda name: [
        json.dumps({"msg": "HTTP request", "context": {"traceId": name * 32}, "body": json.dumps(_request(name))}),
        json.dumps({"msg": "HTTP response", "context": {"traceId": name * 32}, "body": json.dumps(_answer(name))}),
    ],
    "records of Logbook": lambda name: [
        json.dumps({"type": "request", "correlation": name * 16, "method": "POST", "path": "/v1/chat/completions",
                    "headers": {}, "body": _request(name)}),
        json.dumps({"type": "response", "correlation": name * 16, "status": 200, "headers": {}, "body": _answer(name)}),
    ],
}  # fmt: skip
_WITHOUT_IDS: dict[str, Callable[[str], list[str]]] = {
    "labels": lambda name: [_log("request", _request(name)), _log("response", _answer(name))],
    "lines": lambda name: [json.dumps(_request(name)), json.dumps(_answer(name))],
    "streams": lambda name: [
        _log("request", _request(name, stream=True)),
        *(_log("chunk", chunk) for chunk in _chunks(name)),
    ],
    "llama.cpp": lambda name: [
        "srv  log_server_r: done request: POST /v1/chat/completions 127.0.0.1 200",
        f"DEBUG srv  log_server_r: request:  {json.dumps(_request(name))}",
        f"DEBUG srv  log_server_r: response: {json.dumps(_answer(name))}",
    ],
    "LangChain4j": lambda name: [
        "2026-11-26T05:00:00.123+08:00  INFO 17 --- [app] [exec-2] LoggingHttpClient : HTTP request:",
        "- method: POST",
        f"- body: {json.dumps(_request(name), indent=2)[:-1]}  }}",
        "",
        "2026-11-26T05:00:01.123+08:00  INFO 17 --- [app] [exec-2] LoggingHttpClient : HTTP response:",
        "- status code: 200",
        f"- body: {json.dumps(_answer(name))}",
    ],
    "records of Crush": lambda name: [
        json.dumps({"time": "t", "msg": "HTTP Request", "method": "POST", "body": json.dumps(_request(name))}),
        json.dumps({"time": "t", "msg": "HTTP Response", "status_code": 200, "body": json.dumps(_answer(name))}),
    ],
    "records of chunks": lambda name: [
        json.dumps({"input": _request(name, stream=True), "no": 1}),
        *(json.dumps({"data": chunk, "usage": None}) for chunk in _chunks(name)),
    ],
    "documents of gptel": lambda name: [
        json.dumps({"gptel": "request body", "timestamp": "t"}),
        json.dumps(_request(name), indent=2),
        json.dumps({"gptel": "response body", "timestamp": "t"}),
        json.dumps(_answer(name), indent=2),
    ],
}  # fmt: skip


@pytest.mark.parametrize("recorder", _RECORDERS.values(), ids=_RECORDERS)
def test_halves_with_the_same_id_are_a_pair_whatever_stands_between_them(
    recorder: Callable[[str], list[str]],
) -> None:
    halves = [recorder(name) for name in "abc"]
    lines = [halves[0][0], halves[1][0], halves[1][1], halves[2][0], halves[0][1], halves[2][1]]
    parts = _read(lines, "app.jsonl" if lines[0].startswith("{") else "app.log")
    assert _pairs(parts) == [("a", "a"), ("b", "b"), ("c", "c")]
    assert [part.number for part in parts] == list(range(len(parts)))


@pytest.mark.parametrize("recorder", _WITHOUT_IDS.values(), ids=_WITHOUT_IDS)
def test_halves_that_take_turns_are_pairs(recorder: Callable[[str], list[str]]) -> None:
    lines = [line for name in "abc" for line in recorder(name)]
    parts = _read(lines, "app.jsonl" if lines[0].startswith("{") else "app.log")
    assert _pairs(parts) == [("a", "a"), ("b", "b"), ("c", "c")]
    exchanges = [part for part in parts if isinstance(part, Exchange)]
    assert len(exchanges) == 3
    numbers = [part.number for part in parts if part.number is not None]
    assert numbers == sorted(set(numbers))


@given(st.permutations([name for name in "abcdef" for _ in range(2)]), st.sampled_from(list(_RECORDERS)))
def test_whatever_the_order_of_lines_with_ids_just_the_true_pairs_are_joined(order: list[str], recorder: str) -> None:
    halves = {name: iter(_RECORDERS[recorder](name)) for name in order}
    lines = [next(halves[name]) for name in order]
    parts = _read(lines, "app.jsonl" if lines[0].startswith("{") else "app.log")
    assert sorted(_pairs(parts)) == [(name, name) for name in "abcdef"]


@given(st.permutations([name for name in "abcdef" for _ in range(2)]), st.sampled_from(["labels", "lines"]))
def test_without_ids_no_pair_is_joined_that_is_none(order: list[str], recorder: str) -> None:
    halves = {name: iter(_WITHOUT_IDS[recorder](name)) for name in order}
    parts = _read(next(halves[name]) for name in order)
    takes_turns = all(order[position] == order[position + 1] for position in range(0, len(order), 2))
    assert _pairs(parts) == ([(name, name) for name in order[::2]] if takes_turns else [])


@given(st.permutations([name for name in "abcdef" for _ in range(2)]), st.sets(st.integers(0, 11), max_size=8))
def test_of_a_log_with_ids_that_misses_lines_just_the_true_pairs_are_joined(
    order: list[str], missing: set[int]
) -> None:
    halves = {name: iter(_RECORDERS["a request id in brackets"](name)) for name in order}
    lines = [next(halves[name]) for name in order]
    kept = [position for position in range(len(order)) if position not in missing]
    parts = _read(lines[position] for position in kept)
    whole = sorted({name for name in order if [order[position] for position in kept].count(name) == 2})
    assert sorted(_pairs(parts)) == [(name, name) for name in whole]


@pytest.mark.parametrize(
    "lines",
    [
        [_log("request", _request("a")), _log("request", _request("b")), _log("response", _answer("b"))],
        [_log("request", _request("a")), _log("response", _answer("b")), _log("response", _answer("a"))],
        [_log("response", _answer("b")), _log("request", _request("a")), _log("response", _answer("a"))],
        [_log("request", _request("a")), _log("response", _answer("a", "another-model"))],
        [_log("request", _request("a", stream=True)), _log("response", _answer("a"))],
        [_log("request", _request("a")), *(_log("chunk", chunk) for chunk in _chunks("a"))],
        [_log("[req_7f3a] request", _request("a")), _log("[req_9b1c] response", _answer("a"))],
        [_log("request_id=1 request", _request("a")), _log("request_id=2 response", _answer("a"))],
        [
            _log("trace_id=77 request_id=1 request", _request("a")),
            _log("trace_id=77 request_id=2 response", _answer("a")),
        ],
        [_log("request", _request("a"))[:-20], _log("response", _answer("a"))],
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
    parts = _read(lines)
    assert _pairs(parts) == []
    assert len(parts) >= len(lines) - 1


@pytest.mark.parametrize("logs_calls", [True, False])
def test_the_last_answer_of_a_loop_of_calls_is_not_joined_with_its_first_request(logs_calls: bool) -> None:
    """Check that the history in the next request tells whether the answer in the log is the one to the request."""
    call = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    called = {"role": "assistant", "content": None, "tool_calls": [call]}
    first = [{"role": "user", "content": "a"}]
    looped = [*first, called, {"role": "tool", "tool_call_id": "call_1", "content": "b"}]
    second = [*looped, {"role": "assistant", "content": "a"}, {"role": "user", "content": "b"}]
    answered = _answer("a")
    answered_by_call = answered | {
        "id": "chatcmpl-call",
        "choices": [{"index": 0, "message": called, "finish_reason": "tool_calls"}],
    }
    loop = [_request("a", messages=first), answered_by_call, _request("a", messages=looped), answered]
    logged = loop if logs_calls else [loop[0], loop[-1]]
    parts = _read(_log("body", body) for body in (*logged, _request("b", messages=second), _answer("b")))
    pairs = [part for part in parts if isinstance(part, Exchange) and part.request and part.response]
    assert len(pairs) == (3 if logs_calls else 0)


def test_a_request_that_was_sent_again_is_answered_once() -> None:
    request = _log("request", _request("a"))
    again, parsed = request.replace("05:00:00", "05:00:09"), dict(sorted(_answer("a").items()))
    parts = _read([request, again, _log("response", _answer("a")), _log("parsed", parsed)])
    assert _pairs(parts) == [("a", "a")]
    assert [part.number for part in parts] == [0, 1, 2]


def test_a_refusal_answers_the_request_before_it() -> None:
    error = {"error": {"message": "no", "type": "invalid_request_error", "param": None, "code": None}}
    assert _pairs(_read([_log("request", _request("a")), _log("response", error)])) == [("a", "no")]


def test_an_id_that_all_lines_share_is_no_evidence_against_the_order() -> None:
    lines = [line for name in "ab" for line in (_log("[pod-7d9f8b6c5d] request", _request(name)),
                                                _log("[pod-7d9f8b6c5d] response", _answer(name)))]  # fmt: skip
    assert _pairs(_read(lines)) == [("a", "a"), ("b", "b")]


def test_an_id_that_only_the_answers_have_is_no_evidence_against_the_order() -> None:
    lines = [line for name in "ab" for line in (_log("request", _request(name)),
                                                _log(f"[req_{ord(name)}f3a] response", _answer(name)))]  # fmt: skip
    assert _pairs(_read(lines)) == [("a", "a"), ("b", "b")]


@pytest.mark.parametrize("names", ["request", "response", "both"])
def test_a_pair_has_the_url_of_the_half_that_names_one(names: str) -> None:
    url = {"url": "https://api.groq.com/openai/v1/chat/completions"}
    asked, answered = (url if names in (half, "both") else {} for half in ("request", "response"))
    (pair,) = _read([
        json.dumps({"type": "request", "request_id": 1, **asked, "body": _request("a")}),
        json.dumps({"type": "response", "request_id": 1, **answered, "status": 200, "body": _answer("a")}),
    ])  # fmt: skip
    assert isinstance(pair, Exchange)
    assert (pair.host, pair.path) == ("api.groq.com", "/openai/v1/chat/completions")


def test_calls_in_one_trace_that_are_made_at_once_stay_apart() -> None:
    trace = "trace_id=4bf92f3577b34da6a3ce929d0e0e4736"
    lines = [_log(f"{trace} request", _request("a")), _log(f"{trace} request", _request("b"))]
    lines += [_log(f"{trace} response", _answer("b")), _log(f"{trace} response", _answer("a"))]
    assert _pairs(_read(lines)) == []


_SIDES = [
    ("client_request", _request("a") | {"model": "fast"}),
    ("upstream_request", _request("a")),
    ("upstream_response", _answer("up")),
    ("client_response", _answer("down", "fast")),
]
"""What a gateway logs of one request that it got, in this order."""


def _models(parts: list[Exchange | Skipped]) -> list[tuple[str | None, str | None]]:
    """Return the model that each exchange asks for, and what is answered."""
    found = []
    for part in parts:
        if not isinstance(part, Exchange):
            continue
        asked = part.request.value["model"] if part.request and isinstance(part.request.value, dict) else None
        found.append((asked, _said(part) if part.response else None))
    return found


@pytest.mark.parametrize(
    "line",
    [
        lambda phase, body: json.dumps({"correlation_id": "7f3a9c2e", "phase": phase, "body": body}),
        lambda phase, body: f"2026-11-26 10:00:00 DEBUG {phase} req_id=7f3a9c2e body={json.dumps(body)}",
    ],
)
def test_a_gateway_that_logs_both_its_sides_has_two_pairs(line: Callable[[str, object], str]) -> None:
    parts = _read([line(phase, body) for phase, body in _SIDES])
    assert _models(parts) == [("fast", "down"), (_MODEL, "up")]
    parts = _read([line(phase, body) for phase, body in _SIDES[:3]])
    assert _models(parts)[-1] == (_MODEL, "up")


@pytest.mark.parametrize("in_events", [True, False])
def test_a_gateway_that_passes_on_what_it_got_has_one_pair(in_events: bool) -> None:
    """Check the execution log of an API Gateway of AWS: each body as it came, and as it was passed on."""
    parts = {
        "Method request body before transformations": _request("a"),
        "Endpoint request body after transformations": _request("a"),
        "Endpoint response body before transformations": _answer("a"),
        "Method response body after transformations": _answer("a"),
    }
    messages = [
        f"({number}6ab9c1e-3a83-11e9-8dc8-db3cf4c83204) {name}: {json.dumps(body)}"
        for number in (1, 2)
        for name, body in parts.items()
    ]
    lines = [f"2026-11-26T10:00:00.123Z {message}" for message in messages]
    events = [{"timestamp": 1760000000000 + time, "message": message} for time, message in enumerate(messages)]
    found = read_all({"events": events}) if in_events else _read(lines)
    assert [(type(one), one.number) for one in found] == [(Exchange, 0), (Exchange, 1)]
    assert _pairs(found) == [("a", "a")] * 2


@pytest.mark.parametrize("line", ["req_7f3a {}", "{} req_7f3a", "a {} req_7f3a", "{req_7f3b} req_7f3a", "req_7f3a"])
def test_an_id_may_stand_before_an_object_and_behind_it(line: str) -> None:
    assert ids_in_text(line.encode()) == {"req_7f3a": ""}


@pytest.mark.parametrize(
    ("lines", "is_dumped"),
    [
        ([_request("a"), _answer("a")], False),
        ([{"in": _request("a")}, _answer("a")], True),
        ([_request("a"), {"ts": 1, "out": _answer("a")}], True),
        ([{"in": _request("a", stream=True), "trace_id": "t"}, {"ts": 1, "out": _answer("a"), "trace_id": "t"}], True),
    ],
)
def test_a_pair_is_not_as_it_was_sent_if_one_of_its_halves_is_not(lines: list[object], is_dumped: bool) -> None:
    (pair,) = _read(map(json.dumps, lines), "app.jsonl")
    assert isinstance(pair, Exchange)
    assert pair.request is not None
    assert pair.dumped == is_dumped


def test_a_line_with_a_request_may_have_the_id_that_the_answer_itself_has() -> None:
    asked = [{"completion_id": f"chatcmpl-of-{name}", "in": _request(name)} for name in "ab"]
    answered = [{"level": "info", "out": _answer(name)} for name in "ab"]
    assert _pairs(_read(map(json.dumps, [*asked, *answered]), "app.jsonl")) == [("a", "a"), ("b", "b")]


def test_the_id_of_an_answer_itself_says_nothing_against_a_request_with_another_id() -> None:
    lines = [_log("request_id=7f3a9c2e asked", _request("a")), _log("answered", _answer("a"))]
    assert _pairs(_read(lines)) == [("a", "a")]


def test_an_answer_may_have_more_ids_than_its_request() -> None:
    lines = [{"trace_id": "trace-of-a", "data": _request("a")}]
    lines.append({"trace_id": "trace-of-a", "request_id": "request-of-a", "data": _answer("a")})
    assert _pairs(_read(map(json.dumps, lines), "app.jsonl")) == [("a", "a")]


def test_an_answer_with_the_id_of_its_request_may_be_of_another_model() -> None:
    lines = [_log("request_id=7f3a asked", _request("a")), _log("request_id=7f3a answered", _answer("a", "fallback"))]
    assert _pairs(_read(lines)) == [("a", "a")]


def test_two_models_that_are_asked_the_same_at_once_stay_apart() -> None:
    bodies = [
        _request("a") | {"model": "m-1"},
        _request("a") | {"model": "m-2"},
        _answer("1", "m-1"),
        _answer("2", "m-2"),
    ]
    parts = _read([json.dumps({"trace_id": "7f3a9c2e", "body": body}) for body in bodies])
    assert _pairs(parts) == []


def test_an_answer_far_behind_its_request_is_not_waited_for() -> None:
    first, last = _RECORDERS["a request id in brackets"]("a")
    others = [_log("response", _answer(f"n{number}")) for number in range(200)]
    parts = _read([first, *others, last])
    assert _pairs(parts) == []
    assert [part.number for part in parts] == list(range(202))


def test_the_first_request_may_be_a_long_one() -> None:
    [request, answer] = _WITHOUT_IDS["lines"]("a" * 300_000)
    assert len(_pairs(_read([request, answer], "app.jsonl"))) == 1
    capture = Capture(io.BytesIO(f"{request}\n{answer}\n".encode()), "app.jsonl")
    assert divisible_format(capture, None) is None


@pytest.mark.parametrize("form", ["app.jsonl", "app.log", "app.json"])
def test_many_records_without_traffic_may_stand_before_the_first_request(form: str) -> None:
    records = [{"event": "started", "number": number} for number in range(500)]
    lines = [json.dumps(one) for one in [*records, _request("a"), _answer("a")]]
    if form == "app.json":
        parts = read_all("[" + ",\n".join(lines) + "]", form)
    else:
        parts = _read([f"12:00:00 INFO {line}" for line in lines] if form == "app.log" else lines, form)
    assert _pairs(parts) == [("a", "a")]


@pytest.mark.parametrize(("answers", "is_pair"), [(0, True), (39, True), (40, False)])
def test_one_of_the_first_exchanges_must_be_a_request(answers: int, is_pair: bool) -> None:
    others = [_log("response", _answer(f"n{number}")) for number in range(answers)]
    parts = _read([*others, *_RECORDERS["a request id in brackets"]("a")])
    assert _pairs(parts) == [("a", "a")] * is_pair


def test_json_lines_with_halves_are_not_divided() -> None:
    """Check that no pair is lost where several processes check one file."""
    halves = "".join(f"{line}\n" for line in _WITHOUT_IDS["lines"]("a")).encode()
    answers = f"{json.dumps(_answer('a'))}\n".encode() * 2
    assert divisible_format(Capture(io.BytesIO(halves), "a.jsonl"), None) is None
    long_answers = f"{json.dumps(_answer('a' * 100_000))}\n".encode() * 2
    for lines in (answers, long_answers, b'{"level": "info"}\n' + answers):
        assert divisible_format(Capture(io.BytesIO(lines), "a.jsonl"), None) == "jsonl"
    part = Capture(io.BytesIO(halves), "a.jsonl", line=17)
    assert _pairs(list(read(part, "jsonl"))) == []


@given(st.permutations([name for name in "abcd" for _ in range(3)]), st.sampled_from(["log", "lines", "records"]))
def test_streams_that_a_server_sent_at_once_are_told_apart_by_their_ids(order: list[str], form: str) -> None:
    """Check it for any order of the lines; each stream has a request before it, and its end behind its last chunk."""
    halves = {name: [_request(name, stream=True), *_chunks(name)] for name in "abcd"}
    lines = []
    for name in order:
        half = halves[name].pop(0)
        for body in (half,) if halves[name] else (half, "[DONE]"):
            if form == "log":
                lines.append(_log(f"[req_{ord(name)}f3a] got", body))
            elif form == "records":
                lines.append(json.dumps({"ts": 1, "trace_id": f"trace-{name}", "data": body}))
            else:
                lines.append(body if isinstance(body, str) else json.dumps(body))
    parts = _read(lines, "app.jsonl" if form != "log" else "app.log")
    end = [NotJson.DONE] if form != "log" else []
    assert _streams(parts) == {name: [*_chunks(name), *end] for name in "abcd"}
    if form != "lines":
        assert sorted(_pairs(parts)) == [(name, name) for name in "abcd"]
    assert [part.number for part in parts] == list(range(len(parts)))


def _streams(parts: list[Exchange | Skipped]) -> dict[str, list[object]]:
    """Return the events of each stream, by what it says first."""
    return {
        _said(part): part.response.values
        for part in parts
        if isinstance(part, Exchange) and isinstance(part.response, Stream)
    }


@pytest.mark.parametrize("order", ["abababa", "abaabba"])
def test_an_end_is_that_of_a_stream_with_no_more_chunks(order: str) -> None:
    """Test it where each of two choices has a finish reason on a chunk of its own, and where the usage follows it."""
    usage = _chunks("a")[0] | {"choices": [], "usage": {}}
    sent = {"a": [*_chunks("a"), _chunks("a")[1], usage], "b": [*_chunks("b"), _chunks("b")[1]]}
    left = {name: list(chunks) for name, chunks in sent.items()}
    lines = []
    for name in order:
        lines.append(json.dumps(left[name].pop(0)))
        lines += ["[DONE]"] if not left[name] else []
    assert _streams(_read(lines, "app.jsonl")) == {name: [*chunks, NotJson.DONE] for name, chunks in sent.items()}


@given(st.permutations(range(3)), st.permutations([name for name in "abc" for _ in range(5)]))
def test_a_stream_ends_with_the_last_of_its_choices(ends: list[int], order: list[str]) -> None:
    """Check it for three choices that end in any order, on lines between requests and chunks of other streams."""
    left = {}
    for name in "abc":
        first, last = _chunks(name)
        begun = [
            first | {"choices": [{"index": index, "delta": {"role": "assistant", "content": name}} for index in ends]}
        ]
        left[name] = [_request(name), *begun, *(_with_index(last, index) for index in ends)]
    sent = {name: bodies[1:] for name, bodies in left.items()}
    parts = _read([json.dumps(left[name].pop(0)) for name in order], "app.jsonl")
    assert _streams(parts) == sent
    assert len(parts) <= 6  # a request and a stream of each, or pairs


def _with_index(chunk: dict[str, object], index: int) -> dict[str, object]:
    """Return a chunk that ends the choice with this index."""
    return chunk | {"choices": [{"index": index, "delta": {}, "finish_reason": "stop"}]}


def test_a_stream_goes_on_behind_the_first_chunk_of_another_one_that_follows_an_end() -> None:
    a, b, c = map(_chunks, "abc")
    lines = map(json.dumps, [a[0], b[0], a[1], c[0], b[1], c[1]])
    assert _streams(_read(lines, "app.jsonl")) == {"a": a, "b": b, "c": c}


def test_an_end_too_many_stays_in_the_stream_before_it() -> None:
    a, b = _chunks("a"), _chunks("b")
    lines = [*map(json.dumps, [a[0], b[0], a[1]]), "[DONE]", json.dumps(b[1]), "[DONE]", "[DONE]"]
    assert _streams(_read(lines, "app.jsonl")) == {"a": [*a, NotJson.DONE], "b": [*b, NotJson.DONE, NotJson.DONE]}


def test_an_end_is_not_that_of_a_stream_that_was_cut_off() -> None:
    a, b = _chunks("a"), _chunks("b")
    lines = [*map(json.dumps, [a[0], b[0], a[0], b[1]]), "[DONE]"]
    assert _streams(_read(lines, "app.jsonl")) == {"a": [a[0]] * 2, "b": [*b, NotJson.DONE]}


def test_a_server_that_gives_each_chunk_another_id_sends_one_stream() -> None:
    chunks = [chunk | {"id": f"chatcmpl-{number}"} for number, chunk in enumerate(_chunks("a"))]
    chunks.insert(1, chunks[0] | {"id": "chatcmpl-between"})
    [part] = _read(map(json.dumps, chunks), "app.jsonl")
    assert isinstance(part, Exchange)
    assert isinstance(part.response, Stream)
    assert part.response.values == chunks


def test_a_stream_that_never_ends_is_not_waited_for_forever() -> None:
    open_stream = json.dumps(_chunks("a")[0])
    others = [json.dumps(chunk) for number in range(200) for chunk in _chunks(f"n{number}")]
    parts = _read([open_stream, *others], "app.jsonl")
    assert [_said(part) for part in parts if isinstance(part, Exchange)][-1] == "n199"
    assert [part.number for part in parts] == list(range(len(parts)))
    assert len(parts) >= 200


_OF_RECORDS = {
    name: recorder for name, recorder in (_RECORDERS | _WITHOUT_IDS).items() if name.startswith(("records", "lines"))
} | {"lines in records": lambda name: [json.dumps({"timestamp": 1, "textPayload": line}) for line in _halves(name)]}
_ARRAYS = {
    "array": "[\n%s\n]",
    "events": '{"session": "a", "tags": ["b"], "events": [\n%s\n]}',
    "hits": '{"took": 1, "hits": {"total": {}, "hits": [\n%s\n]}}',
}


def _halves(name: str) -> list[str]:
    return _RECORDERS["a request id in brackets"](name)


def _shown(parts: list[Exchange | Skipped], lines_before: int = 0) -> list[object]:
    """Return all that is read: the values, and the lines where they stand."""
    return [
        (part.number, part.reason)
        if isinstance(part, Skipped)
        else (
            part.number,
            part.request and part.request.value,
            part.response.values if isinstance(part.response, Stream) else part.response and part.response.value,
            part.http.status,
            part.dumped,
            part.text.data,
            part.text.place(0).line - lines_before,
        )
        for part in parts
    ]


@given(
    st.permutations([name for name in "abcd" for _ in range(3)]),
    st.integers(2, 12),
    st.sampled_from(list(_OF_RECORDS)),
    st.sampled_from(list(_ARRAYS)),
)
def test_an_array_of_the_records_of_a_log_is_read_like_its_lines(
    order: list[str], size: int, recorder: str, form: str
) -> None:
    halves = {name: iter(_OF_RECORDS[recorder](name)) for name in order}
    lines = [line for name in order if (line := next(halves[name], None)) is not None][:size]
    lines = lines if len(lines) > 1 else [*lines, *_OF_RECORDS[recorder]("e")]
    as_lines = _read(lines, "app.jsonl")
    data = (_ARRAYS[form] % ",\n".join(lines)).encode()
    as_array = read_all(data, "app.json")
    if any(isinstance(part, Exchange) and part.request is not None for part in as_lines):
        assert _shown(as_array, 1) == _shown(as_lines)


def test_an_array_of_the_records_of_a_log_may_begin_with_a_byte_order_mark() -> None:
    array = _ARRAYS["array"] % ",".join(_WITHOUT_IDS["lines"]("a"))
    assert _pairs(read_all(f"\ufeff{array}".encode(), "app.json")) == [("a", "a")]


@pytest.mark.parametrize(
    "records",
    [
        [_answer("a"), _answer("b")],
        [{"request": _request(name), "response": _answer(name)} for name in "ab"],
        [{"in": _request("a"), "out": _answer("a")}, {"in": _request("b")}],
        [_request("a"), "a"],
        [{"role": "user", "content": "choices"}, {"role": "user", "content": "messages"}],
        [{"messages": "choices"}, {}],
    ],
    ids=["answers", "pairs", "a pair first", "a text", "messages", "an empty object"],
)
def test_an_array_without_a_request_alone_is_no_log(records: list[object]) -> None:
    for form in _ARRAYS.values():
        text = Text((form % ",".join(map(json.dumps, records))).encode())
        assert log_in(Capture(io.BytesIO(b""), "app.json"), Document(text)) == []
