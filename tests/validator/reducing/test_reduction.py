"""The smallest capture of a finding: it has the finding, is never larger, always the same, and says nothing private."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.validator import captures, engines, rules
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.findings import Finding, Severity
from isogloss.validator.judging.judge import Judge
from isogloss.validator.reducing.neutral import known_words, same_shape
from isogloss.validator.reducing.reduction import Reduction, reduce
from isogloss.validator.reducing.sketch import PROPERTIES, sketches

FIXTURES = Path(__file__).parents[3] / "fixtures"
JUDGE = Judge(engines.load())
NOT_OF_ONE_CAPTURE = {*rules.names("dialect"), *rules.names("twins")}
"""Rules with findings only where a dialect is asked for, or two answers are compared."""
REDUCED = [
    name if number % 6 == 2 else pytest.param(name, marks=pytest.mark.slow)
    for group in rules.GROUPS
    for number, name in enumerate(rules.names(group))
    if name not in NOT_OF_ONE_CAPTURE
]
"""All others; of each group, the ordinary tests reduce a sixth."""


def smallest_invalid(name: str) -> Path:
    """Return the smallest fixture that breaks a rule."""
    return min((FIXTURES / rules.group_of(name) / name).glob("invalid-*"), key=lambda path: (path.stat().st_size, path))


def found(path: Path, rule: str) -> tuple[Exchange, Finding]:
    with path.open("rb") as stream:
        for exchange in captures.read(captures.Capture(stream, str(path)), None):
            assert not isinstance(exchange, Skipped)
            for finding in JUDGE.judge(exchange).findings:
                if finding.rule == rule:
                    return exchange, finding
    raise AssertionError(f"{path} has no finding of {rule}")


def smallest(path: Path, rule: str) -> tuple[Finding, Reduction]:
    exchange, finding = found(path, rule)
    small = reduce(exchange, finding, JUDGE)
    assert small is not None
    return finding, small


def severe(path_or_data: Path | bytes, folder: Path) -> set[tuple[str, str]]:
    if isinstance(path_or_data, bytes):
        path = folder / "small"
        path.write_bytes(path_or_data)
    else:
        path = path_or_data
    with path.open("rb") as stream:
        return {
            (finding.rule, finding.path)
            for exchange in captures.read(captures.Capture(stream, "x"), None)
            if not isinstance(exchange, Skipped)
            for finding in JUDGE.judge(exchange).findings
            if finding.severity > Severity.NOTE
        }


@pytest.mark.thorough
@pytest.mark.parametrize("rule", REDUCED)
def test_of_every_rule_the_finding_stays_and_none_is_added(rule: str, tmp_path: Path) -> None:
    path = smallest_invalid(rule)
    finding, small = smallest(path, rule)
    kept = small.finding
    assert (kept.rule, kept.severity, kept.kind, kept.path) == (
        finding.rule,
        finding.severity,
        finding.kind,
        finding.path,
    )
    assert len(small.data) <= path.stat().st_size
    assert severe(small.data, tmp_path) <= severe(path, tmp_path)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "rule",
    [
        *("finish-reason-repeated", "calls-with-stop", "wrong-type", "tools-empty", "event-not-json"),
        pytest.param("json-syntax", marks=pytest.mark.slow),
    ],
)
def test_the_same_finding_always_gives_the_same_bytes(rule: str) -> None:
    path = smallest_invalid(rule)
    (_, first), (_, second) = smallest(path, rule), smallest(path, rule)
    assert first.data == second.data
    assert first.judged == second.judged


def test_a_small_stream_has_the_chunks_that_the_finding_needs_and_no_other(tmp_path: Path) -> None:
    event = '{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1760000000,"model":"big","choices":[%s]}'
    deltas = ['{"role":"assistant","content":""}', *['{"content":"Some words "}'] * 300]
    choices = [f'{{"index":0,"delta":{delta},"finish_reason":null}}' for delta in deltas]
    choices += ['{"index":0,"delta":{},"finish_reason":"stop"}'] * 2
    capture = tmp_path / "stream.sse"
    capture.write_text("".join(f"data: {event % one}\n\n" for one in choices) + "data: [DONE]\n\n")
    _, small = smallest(capture, "finish-reason-repeated")
    assert small.data.count(b"data: {") <= 3
    assert len(small.data) < 600
    assert small.judged < 1_000


PRIVATE = st.text("bcdfghjklmnpqrstvwxz", min_size=5, max_size=12)


@pytest.mark.thorough
@settings(max_examples=8)
@given(PRIVATE, PRIVATE, st.lists(PRIVATE, min_size=1, max_size=6))
def test_no_word_of_a_user_is_left(name: str, value: str, words: list[str]) -> None:
    arguments = json.dumps({name: value})
    call: dict[str, Any] = {
        "id": "call_" + name,
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }
    message = {"role": "assistant", "content": " ".join(words), "refusal": None, "tool_calls": [call]}
    answer = {
        "id": "chatcmpl-" + value,
        "object": "chat.completion",
        "created": "today",
        "model": name,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "tool_calls"}],
    }
    request = {"model": name, "messages": [{"role": "user", "content": value}], "stop": [*words] * 3}
    for record, rule in ((answer, "wrong-type"), ({"request": request, "response": answer}, "tool-undeclared")):
        exchange = next(_read(json.dumps(record).encode()))
        for finding in JUDGE.judge(exchange).findings:
            if finding.rule == rule:
                small = reduce(exchange, finding, JUDGE)
                assert small is not None
                for word in {name, value, *words} - known_words():
                    assert word.encode() not in small.data


def _read(data: bytes) -> Any:
    return captures.read(captures.Capture(io.BytesIO(data), "x"), None)


@given(st.text())
def test_other_words_have_the_same_shape(text: str) -> None:
    other = same_shape(text)
    assert len(other) == len(text)
    assert [one.isspace() for one in other] == [one.isspace() for one in text]
    assert same_shape(other) == other


def _small(payload: Any, rule: str) -> Reduction:
    exchange = next(_read(json.dumps(payload).encode()))
    finding = next(one for one in JUDGE.judge(exchange).findings if one.rule == rule)
    small = reduce(exchange, finding, JUDGE)
    assert small is not None
    return small


def test_a_value_of_a_thousand_levels_is_no_obstacle() -> None:
    deep: dict[str, Any] = {}
    for _ in range(900):
        deep = {"a": deep}
    message = {"role": "assistant", "content": "a"}
    choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
    payload = {"id": "a", "object": "chat.completion", "created": 1, "model": 5, "choices": choices, "x": deep}
    assert b'"x"' not in _small(payload, "wrong-type").data


def test_of_a_long_page_in_place_of_an_answer_hardly_anything_is_left() -> None:
    record = {"status": 502, "response_text": "<html>" + "<p>Some words</p> " * 5000}
    small = _small(record, "body-not-json")
    assert len(small.data) < 60
    assert small.judged < 100


def test_no_property_of_a_record_is_renamed() -> None:
    record = {
        "request": {"model": "m", "messages": []}, "response": {}, "status": 500, "content_type": "text/html",
        "broken": True, "arrivals": [[2, 0.5]], "host": "h.example", "path": "/v1/chat/completions",
        "expected_status": [200], "expected_code": "c", "status_alone": 200, "status_before": 500,
        "earlier_ids": ["a"], "excused_rules": ["id-empty"], "inconclusive": "busy",
    }  # fmt: skip
    (exchange,) = captures.read(captures.Capture(io.BytesIO(json.dumps(record).encode()), "x"), None)
    assert isinstance(exchange, Exchange)
    for sketch in sketches(exchange):
        assert sketch.properties.keys() <= PROPERTIES


def test_what_was_asked_goes_with_what_the_answer_has_therefore() -> None:
    event = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    delta = {"role": "assistant", "content": '{"a":1'}
    first = {"index": 0, "delta": delta, "finish_reason": None}
    choices = [[first], [{"index": 0, "delta": {}, "finish_reason": "stop"}]]
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    events = [event | {"choices": one, "usage": None} for one in choices] + [event | {"choices": [], "usage": usage}]
    request = {
        "model": "m", "messages": [{"role": "user", "content": "JSON, please"}], "stream": True,
        "response_format": {"type": "json_object"}, "stream_options": {"include_usage": True},
    }  # fmt: skip
    sse = "".join(f"data: {json.dumps(one)}\n\n" for one in events) + "data: [DONE]\n\n"
    small = _small({"request": request, "sse": sse}, "content-not-json")
    assert b"usage" not in small.data
    assert len(small.data) < 500
