"""Test the judge on streams: conforming ones break nothing, faults are found, and no stream makes a rule raise."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from json_texts import pointers
from payloads import as_events

from isogloss.validator import captures, decode, engines, rules
from isogloss.validator import check as check_capture
from isogloss.validator.engines import walk
from isogloss.validator.examining.schema_findings import violations
from isogloss.validator.exchange import Exchange, HttpFacts, Payload, Stream
from isogloss.validator.findings import Finding, Severity
from isogloss.validator.judging.judge import Judge
from isogloss.validator.streams.fold import fold
from isogloss.validator.streams.trace import Trace
from isogloss.validator.text import Text

STREAMS = sorted((Path(__file__).parents[3] / "fixtures" / "conforming" / "stream").glob("*.sse"))
REQUEST = {
    "model": "gpt-4.1-mini",
    "messages": [{"role": "user", "content": "Hi"}],
    "stream": True,
    "stream_options": {"include_usage": True},
    "n": 2,
    "stop": ["a"],
    "tools": [{"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object"}}}],
}
ENVELOPE = {
    "id": "chatcmpl-1",
    "object": "chat.completion.chunk",
    "created": 1760000000,
    "model": "gpt-4.1-mini",
    "system_fingerprint": None,
}
JUDGE = Judge(engines.load())


def chunks_of(path: Path) -> list[Any]:
    events = path.read_text().split("\n\n")
    return [json.loads(event.removeprefix("data: ")) for event in events if event.startswith("data: {")]


def judge_stream(chunks: list[Any], request: Any = None) -> list[Finding]:
    """Return the findings in a stream of these chunks, closed by [DONE]."""
    events = [*(json.dumps(chunk) for chunk in chunks), "[DONE]"]
    text = Text("".join(f"data: {event}\n\n" for event in events).encode())
    request_payload = (
        Payload(kind="request", value=request, text=Text(json.dumps(request).encode())) if request else None
    )
    exchange = Exchange("stream", 0, text, (), request_payload, decode.stream(text), HttpFacts(status=200))
    return JUDGE.judge(exchange).findings


@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.stem)
def test_a_conforming_stream_has_no_error_and_no_warning(
    path: Path, findings_of: Callable[[Path], list[Finding]]
) -> None:
    assert [finding for finding in findings_of(path) if finding.severity > Severity.NOTE] == []


def test_stream_with_many_faults_has_a_finding_for_each() -> None:
    def chunk(number: int, choice: dict[str, Any], **properties: Any) -> dict[str, Any]:
        usage = {"prompt_tokens": 9, "completion_tokens": number, "total_tokens": 9 + number}
        return {**ENVELOPE, "id": f"chatcmpl-{number}", "choices": [choice], "usage": usage, **properties}

    findings = judge_stream(
        [
            chunk(0, {"index": 0, "delta": {"role": "", "content": "a"}, "finish_reason": ""}, object=""),
            chunk(1, {"index": 0, "delta": {"content": "b"}, "finish_reason": None}, created=1760000000.5),
            chunk(2, {"delta": {"content": "c"}, "finish_reason": None}, created="1760000000"),
            chunk(3, {"index": 0, "delta": {}, "finish_reason": "STOP"}, model=None),
            chunk(4, {"index": 0, "delta": {"content": "d"}, "finish_reason": None}, object="chat.completion"),
        ]
    )
    assert {(finding.rule, finding.path) for finding in findings} >= {
        ("stream-id-changed", "id"),
        ("envelope-empty", "object"),
        ("unknown-value", "object"),
        ("wrong-type", "created"),
        ("null-value", "model"),
        ("role-empty", "choices[].delta.role"),
        ("finish-reason-empty", "choices[].finish_reason"),
        ("unknown-value", "choices[].finish_reason"),
        ("missing-property", "choices[].index"),
        ("content-after-finish", "choices[].delta.content"),
        ("usage-repeated", "usage"),
    }


@pytest.mark.parametrize("word", ["null", "None"])
def test_a_word_for_null_is_no_end_of_a_choice(word: str) -> None:
    """KoboldCpp and Friendli sent one on each chunk before the last."""
    parts = [({"role": "assistant", "content": "a"}, word), ({"content": "b"}, word), ({}, "stop")]
    chunks = [
        {**ENVELOPE, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]} for delta, reason in parts
    ]
    (finding,) = [one for one in judge_stream(chunks) if one.severity > Severity.NOTE]
    assert (finding.rule, finding.path, finding.count) == ("unknown-value", "choices[].finish_reason", 2)


def test_the_same_fault_on_many_chunks_is_one_finding_with_a_count() -> None:
    chunks = [
        {**ENVELOPE, "id": f"chatcmpl-{number}", "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        for number, delta in enumerate([{"role": "assistant"}, {"content": "a"}, {"content": "b"}, {"content": "c"}])
    ]
    (changed,) = [finding for finding in judge_stream(chunks) if finding.rule == "stream-id-changed"]
    assert changed.count == 3
    assert changed.source.event == 1


def test_a_count_has_the_chunks_of_each_choice_with_the_same_fault() -> None:
    choices = [{"index": index, "delta": {"content": "a", "mood": "b"}, "finish_reason": None} for index in (0, 1)]
    (unknown,) = [
        finding
        for finding in judge_stream([{**ENVELOPE, "choices": choices}] * 3)
        if finding.rule == "unknown-property"
    ]
    assert unknown.count == 6


def test_missing_finish_reason_is_not_reported_after_an_error() -> None:
    first = {**ENVELOPE, "choices": [{"index": 0, "delta": {"role": "assistant"}, "finish_reason": None}]}
    error = {"error": {"message": "overloaded", "type": "server_error", "param": None, "code": None}}
    assert "finish-reason-missing" in {finding.rule for finding in judge_stream([first])}
    assert "finish-reason-missing" not in {finding.rule for finding in judge_stream([first, error])}


@pytest.mark.parametrize("tail", ['data: {"id":"chatcmpl-1","cho', 'data: {"id":"chatcmpl-1","cho\n\n'])
def test_missing_finish_reason_is_not_reported_if_the_capture_is_visibly_cut(tail: str) -> None:
    first = {**ENVELOPE, "choices": [{"index": 0, "delta": {"role": "assistant"}, "finish_reason": None}]}
    text = Text(f"data: {json.dumps(first)}\n\n{tail}".encode())
    found = JUDGE.judge(Exchange(file="stream", number=0, text=text, response=decode.stream(text)))
    assert "finish-reason-missing" not in {finding.rule for finding in found.findings}


def test_an_answer_behind_the_end_of_another_under_another_index_is_a_choice_of_its_own() -> None:
    deltas = [(0, {"role": "assistant", "content": ""}, None), (0, {"content": "a"}, None), (0, {}, "stop")]
    chunks = [
        {**ENVELOPE, "choices": [{"index": index, "delta": delta, "finish_reason": reason}]}
        for index, delta, reason in [*deltas, (1, {"content": "b"}, None)]
    ]
    found = {finding.rule for finding in judge_stream(chunks) if finding.severity > Severity.NOTE}
    assert found == {"finish-reason-missing", "role-missing"}


def test_index_that_grows_with_each_chunk_is_one_finding() -> None:
    deltas: list[Any] = [{"role": "assistant", "content": ""}, *({"content": "a"} for _ in range(50))]
    chunks = [
        {**ENVELOPE, "choices": [{"index": 197 + number, "delta": delta, "finish_reason": None}]}
        for number, delta in enumerate(deltas)
    ]
    found = {finding.rule: finding.count for finding in judge_stream(chunks) if finding.severity > Severity.NOTE}
    assert found == {"choice-index-changed": 1, "finish-reason-missing": 1}


# Streams with any content: no rule may raise.

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
json_values = st.recursive(
    scalars | st.sampled_from(["", "assistant", "stop", 0, -1, 2**64]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


def damage(chunks: list[Any], random: Random, values: list[Any]) -> list[Any]:
    """Return a damaged copy of the chunks.

    For each of the values, a random part is deleted or replaced with the value. Then, a chunk may be repeated, and the
    chunks may be shuffled.
    """
    chunks = copy.deepcopy(chunks)
    for value in values:
        *steps, last = random.choice(pointers(chunks)[1:])
        parent = chunks
        for step in steps:
            parent = parent[step]
        if random.random() < 0.2:
            del parent[last]
        else:
            parent[last] = copy.deepcopy(value)
        if not chunks:
            return chunks
    if random.random() < 0.3:
        chunks.insert(random.randrange(len(chunks)), copy.deepcopy(random.choice(chunks)))
    if random.random() < 0.2:
        random.shuffle(chunks)
    return chunks


@settings(max_examples=3 * settings().max_examples)
@given(st.sampled_from(STREAMS), st.randoms(use_true_random=False), st.lists(json_values, min_size=1, max_size=6))
def test_no_rule_raises_on_a_damaged_stream(path: Path, random: Random, values: list[Any]) -> None:
    judge_stream(damage(chunks_of(path), random, values), REQUEST)


@settings(max_examples=settings().max_examples)
@given(st.lists(json_values, max_size=4))
def test_no_rule_raises_on_a_stream_of_any_json(values: list[Any]) -> None:
    judge_stream(values, REQUEST)


@pytest.mark.thorough
@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.stem)
def test_no_rule_raises_on_a_value_of_another_type_anywhere(path: Path) -> None:
    chunks = chunks_of(path)
    for pointer in {pointer[1:]: pointer for pointer in pointers(chunks)[1:]}.values():
        for value in (None, "", 0, True, [], [None], [[]], {}, {"": None}, [{}], "x"):
            changed = copy.deepcopy(chunks)
            parent: Any = changed
            for step in pointer[:-1]:
                parent = parent[step]
            parent[pointer[-1]] = value
            body = decode.stream_of_chunks(changed, Text(b"[]"))
            fold(trace := Trace(body))
            for _, check in rules.checks("stream"):
                list(check(trace))


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_no_rule_raises_on_a_value_that_is_nested_too_deeply_to_compare(opening: str) -> None:
    closing = {"[": "]", '{"a":': "}"}[opening]
    deep = opening * 500 + "0" + closing * 500
    names = ("role", "content", "reasoning", "tool_calls", "function_call", "audio", "name")
    delta = ",".join(f'"{name}":{deep}' for name in names)
    fragment = f'{{"index":0,"id":{deep},"function":{{"name":{deep},"arguments":{deep}}}}}'
    choice = f'{{"index":0,"delta":{{{delta}}},"finish_reason":{deep},"logprobs":{deep}}}'
    calls = f'{{"index":0,"delta":{{"tool_calls":[{fragment}]}},"finish_reason":null}}'
    chunk = f'{{"id":{deep},"model":{deep},"service_tier":{deep},"usage":{deep},"choices":[{choice},{calls}]}}'
    text = Text(f"data: {chunk}\n\n".encode() * 3)
    exchange = Exchange(file="stream", number=0, text=text, response=decode.stream(text))
    assert JUDGE.judge(exchange).findings


# Recorded traffic, if it is available.


def _recorded_streams(shared: Path) -> Iterator[tuple[dict[str, Any], Exchange, Stream]]:
    for path in sorted((shared / "corpus").glob("*.jsonl")):
        lines = path.read_bytes().splitlines()
        with path.open("rb") as file:
            for exchange in captures.read(captures.Capture(file, path.name)):
                if isinstance(exchange, Exchange) and exchange.response is not None:
                    body = exchange.response
                    if isinstance(body, Stream):
                        yield json.loads(lines[exchange.number]), exchange, body


@pytest.mark.slow
def test_recorded_stream_folds_into_a_conforming_completion_unless_its_events_have_errors(shared: Path) -> None:
    counts, unexplained = Counter[str](), []
    for record, exchange, body in _recorded_streams(shared):
        whole = fold(Trace(body))
        if whole is None:
            continue
        counts["folded"] += 1
        broken = [
            (name, hit.pointer)
            for name, hit in violations("completion", whole.value, walk.iter_errors("completion", whole.value))
            if (hit.severity or rules.rule(name).severity) is Severity.ERROR
        ]
        if not broken:
            counts["conforming"] += 1
        elif not any(
            finding.severity is Severity.ERROR and finding.kind != "completion"
            for finding in JUDGE.judge(exchange).findings
        ):
            unexplained.append((record["source"]["path"], broken))
    assert unexplained == []
    assert counts["folded"] > 800
    assert counts["conforming"] / counts["folded"] > 0.95


@pytest.mark.slow
def test_no_stream_rule_finds_an_error_or_a_warning_in_recorded_openai_streams(shared: Path) -> None:
    judge, streams, wrong = Judge(engines.load(), active=rules.names("stream")), 0, []
    for record, exchange, _ in _recorded_streams(shared):
        if record["vendor"] == "openai" and record["provenance"] != "handwritten":
            streams += 1
            wrong += [
                (record["source"]["path"], finding)
                for finding in judge.judge(exchange).findings
                if finding.severity > Severity.NOTE
            ]
    assert wrong == []
    assert streams > 300


def _stream_with_call(**call: Any) -> list[Any]:
    """Return the chunks of a stream with one call and its end."""
    deltas = [{"role": "assistant", "content": None, "tool_calls": [{"index": 0, "id": "call_1", **call}]}, {}]
    return [
        ENVELOPE | {"choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}]}
        for delta, reason in zip(deltas, [None, "tool_calls"], strict=True)
    ]


def test_value_of_a_chunk_is_reported_there_alone_and_not_again_in_what_the_stream_folds_into() -> None:
    found = judge_stream(_stream_with_call(type="tool", function={"name": "now", "arguments": "{}"}))
    [finding] = [one for one in found if one.rule == "unknown-value"]
    assert (finding.kind, finding.severity) == ("chunk", Severity.WARNING)


def test_call_that_says_it_is_custom_lacks_the_name_of_a_custom_tool() -> None:
    [finding] = [one for one in judge_stream(_stream_with_call(type="custom")) if one.rule == "tool-call-name-missing"]
    assert finding.path == "choices[].delta.tool_calls[].custom.name"


def test_calls_of_an_audio_model_end_with_a_chunk_without_choices() -> None:
    """Check a stream in the shape of those of gpt-audio that maruel/genai recorded in 2026-10."""
    envelope = {**ENVELOPE, "id": "chatcmpl-1", "usage": None, "obfuscation": "k"}
    call = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "get_time", "arguments": ""}}
    deltas = [
        {"role": "assistant", "content": None, "tool_calls": [call], "refusal": None},
        {"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]},
    ]
    usage = {"prompt_tokens": 61, "completion_tokens": 10, "total_tokens": 71}
    chunks = [
        *({**envelope, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas),
        envelope,
        {**envelope, "choices": [], "usage": usage},
    ]
    for model, expected in (
        ("gpt-audio-2025-08-28", set()),
        ("gpt-5.4-2026-03-05", {"missing-property"}),
    ):
        text = as_events(*({**chunk, "model": model} for chunk in chunks), "[DONE]")
        assert {
            finding.rule for finding in check_capture(text).findings if finding.severity > Severity.NOTE
        } == expected
