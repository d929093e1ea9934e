"""Test reduction: the smallest capture keeps the finding, never grows, is always the same, and has no private text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from payloads import as_events
from reading import exchange_in, exchanges_in, findings_in, read_all

from isogloss.validator import engines, rules
from isogloss.validator.exchange import Exchange
from isogloss.validator.findings import Finding, Severity
from isogloss.validator.judging.judge import Judge
from isogloss.validator.reducing import reduction as reduction_module
from isogloss.validator.reducing.capture_values import PROPERTIES, capture_values, to_bytes
from isogloss.validator.reducing.merging import with_fewer_chunks
from isogloss.validator.reducing.neutral import known_words, same_shape
from isogloss.validator.reducing.reduction import Reduction, reduce, verdicts

FIXTURES = Path(__file__).parents[3] / "fixtures"
JUDGE = Judge(engines.load())
NOT_IN_ONE_CAPTURE = {*rules.names("dialect"), *rules.names("twins")}
"""Rules that find something only if a dialect is given, or if two answers are compared."""
REDUCED = [
    name if number % 6 == 2 else pytest.param(name, marks=pytest.mark.slow)
    for group in rules.GROUPS
    for number, name in enumerate(rules.names(group))
    if name not in NOT_IN_ONE_CAPTURE
]
"""All other rules. The ordinary tests run with a sixth of each group."""


def smallest_invalid(name: str) -> Path:
    """Return the smallest fixture that breaks a rule."""
    return min((FIXTURES / rules.group_of(name) / name).glob("invalid-*"), key=lambda path: (path.stat().st_size, path))


def find_first(path: Path, rule: str) -> tuple[Exchange, Finding]:
    for exchange in exchanges_in(path):
        for finding in JUDGE.judge(exchange).findings:
            if finding.rule == rule:
                return exchange, finding
    raise AssertionError(f"{path} has no finding of {rule}")


def reduce_fixture(path: Path, rule: str) -> tuple[Finding, Reduction]:
    exchange, finding = find_first(path, rule)
    reduction = reduce(JUDGE.judge(exchange), finding, JUDGE)
    assert reduction is not None
    return finding, reduction


def rules_and_paths(data: bytes) -> set[tuple[str, str]]:
    """Return rule and path of each error and warning in a capture."""
    return {(one.rule, one.path) for one in findings_in(data) if one.severity > Severity.NOTE}


@pytest.mark.thorough
@pytest.mark.parametrize("rule", REDUCED)
def test_reduction_keeps_the_finding_of_every_rule_and_adds_no_error_or_warning(rule: str) -> None:
    path = smallest_invalid(rule)
    finding, reduction = reduce_fixture(path, rule)
    kept = reduction.finding
    assert (kept.rule, kept.severity, kept.kind, kept.path) == (
        finding.rule,
        finding.severity,
        finding.kind,
        finding.path,
    )
    assert len(reduction.data) <= path.stat().st_size
    assert rules_and_paths(reduction.data) <= rules_and_paths(path.read_bytes())


@pytest.mark.thorough
@pytest.mark.parametrize(
    "rule",
    [
        *("finish-reason-repeated", "calls-with-stop", "wrong-type", "tools-empty", "event-not-json"),
        pytest.param("json-syntax", marks=pytest.mark.slow),
    ],
)
def test_reduction_of_the_same_finding_always_gives_the_same_bytes(rule: str) -> None:
    path = smallest_invalid(rule)
    (_, first), (_, second) = reduce_fixture(path, rule), reduce_fixture(path, rule)
    assert first.data == second.data
    assert first.judged == second.judged


def test_chunks_are_merged_behind_some_that_must_stay_apart() -> None:
    chunks = [{"choices": [{"delta": {"content": text}}]} for text in "abcd"]

    def holds(properties: Any) -> bool:
        texts = [one["choices"][0]["delta"]["content"] for one in properties["chunks"]]
        return "".join(texts) == "abcd" and texts[0] == "a"

    texts = [one["choices"][0]["delta"]["content"] for one in with_fewer_chunks({"chunks": chunks}, holds)["chunks"]]
    assert texts == ["a", "bcd"]


def test_a_stream_that_is_an_array_of_chunks_is_reduced_to_chunks(tmp_path: Path) -> None:
    choice = {"index": 0, "delta": {"content": "Hi"}, "finish_reason": None}
    chunk = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1760000000, "model": "m"}
    chunks = [chunk | {"choices": [choice]}, chunk | {"choices": [choice | {"mood": "b"}]}, chunk | {"choices": []}]
    (tmp_path / "chunks.json").write_text(json.dumps(chunks), "utf-8")
    _, reduction = reduce_fixture(tmp_path / "chunks.json", "unknown-property")
    reduced = json.loads(reduction.data)
    assert [set(one["choices"][0]) & {"mood"} for one in reduced] == [{"mood"}]


@pytest.mark.parametrize("rule", ["finish-reason-empty", "role-missing", "unknown-property"])
def test_chunks_that_a_program_printed_with_its_nulls_are_reduced(tmp_path: Path, rule: str) -> None:
    delta = {"role": None, "content": "Hi", "tool_calls": None}
    choice = {"index": 0, "delta": delta, "finish_reason": "", "mood": None}
    chunk = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1760000000, "model": "m", "usage": None}
    (tmp_path / "printed.txt").write_text(repr([chunk | {"choices": [choice]}] * 2), "utf-8")
    finding, reduction = reduce_fixture(tmp_path / "printed.txt", rule)
    assert (reduction.finding.rule, reduction.finding.path) == (finding.rule, finding.path)


def test_a_fault_of_the_framing_is_reduced_to_the_events_of_its_stream() -> None:
    events = [(FIXTURES / "conforming" / "stream" / "text.sse").read_text("utf-8")] * 2
    events[1] = events[1].replace("\n\ndata: [DONE]\n\n", "\n\ndata: [DONE]\r\n\r\n")
    request = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "stream": True}
    records = [{"request": request, "status": 200, "sse": sse} for sse in events]
    _, exchange = read_all("\n".join(map(json.dumps, records)))
    [finding] = [one for one in JUDGE.judge(exchange).findings if one.rule == "sse-line-endings"]
    reduction = reduce(JUDGE.judge(exchange), finding, JUDGE)
    assert reduction is not None
    assert reduction.data.startswith(b"data:")
    assert reduction.data.endswith(b"[DONE]\r\n")


def test_reduced_stream_has_only_chunks_that_the_finding_needs(tmp_path: Path) -> None:
    event = '{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1760000000,"model":"big","choices":[%s]}'
    deltas = ['{"role":"assistant","content":""}', *['{"content":"Some words "}'] * 300]
    choices = [f'{{"index":0,"delta":{delta},"finish_reason":null}}' for delta in deltas]
    choices += ['{"index":0,"delta":{},"finish_reason":"stop"}'] * 2
    capture = tmp_path / "stream.sse"
    capture.write_text("".join(f"data: {event % choice}\n\n" for choice in choices) + "data: [DONE]\n\n")
    _, reduction = reduce_fixture(capture, "finish-reason-repeated")
    assert reduction.data.count(b"data: {") <= 3
    assert len(reduction.data) < 600
    assert reduction.judged < 1_000


PRIVATE_WORDS = st.text("bcdfghjklmnpqrstvwxz", min_size=5, max_size=12)


@pytest.mark.thorough
@settings(max_examples=4)
@given(PRIVATE_WORDS, PRIVATE_WORDS, st.lists(PRIVATE_WORDS, min_size=1, max_size=6))
def test_reduced_capture_has_no_word_of_the_user(name: str, value: str, words: list[str]) -> None:
    arguments = json.dumps({name: value})
    tool_call: dict[str, Any] = {
        "id": "call_" + name,
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }
    message = {"role": "assistant", "content": " ".join(words), "refusal": None, "tool_calls": [tool_call]}
    answer = {
        "id": "chatcmpl-" + value,
        "object": "chat.completion",
        "created": "today",
        "model": name,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "tool_calls"}],
    }
    request = {"model": name, "messages": [{"role": "user", "content": value}], "stop": [*words] * 3}
    for record, rule in ((answer, "wrong-type"), ({"request": request, "response": answer}, "tool-undeclared")):
        [exchange] = read_all(record)
        for finding in JUDGE.judge(exchange).findings:
            if finding.rule == rule:
                reduction = reduce(JUDGE.judge(exchange), finding, JUDGE)
                assert reduction is not None
                for word in {name, value, *words} - known_words():
                    assert word.encode() not in reduction.data


@given(st.text())
def test_neutral_text_has_the_same_shape(text: str) -> None:
    other = same_shape(text)
    assert len(other) == len(text)
    assert [character.isspace() for character in other] == [character.isspace() for character in text]
    assert same_shape(other) == other


def test_words_of_the_reference_are_known_wherever_its_schemas_have_them() -> None:
    assert {"finish_reason", "tool_calls", "chat.completion", "alloy"} <= known_words()


@given(st.from_regex("[A-Z]+|[a-z]+|[A-Z][a-z]+", fullmatch=True))
def test_neutral_word_has_the_same_case(word: str) -> None:
    other = same_shape(word)
    assert (other.isupper(), other.islower(), other.istitle()) == (word.isupper(), word.islower(), word.istitle())


def _reduce_record(record: Any, rule: str) -> Reduction:
    [exchange] = read_all(record)
    finding = next(finding for finding in JUDGE.judge(exchange).findings if finding.rule == rule)
    reduction = reduce(JUDGE.judge(exchange), finding, JUDGE)
    assert reduction is not None
    return reduction


@pytest.mark.parametrize(
    ("rule", "kept"),
    [
        ("error-with-success-status", {"response", "status"}),
        ("json-content-type", {"response", "status", "content_type"}),
        ("connection-broken", {"chunks", "broken", "path"}),
        ("stream-buffered", {"sse", "arrivals"}),
    ],
)
def test_reduced_record_keeps_the_facts_about_http_that_the_finding_needs(rule: str, kept: set[str]) -> None:
    _, reduction = reduce_fixture(smallest_invalid(rule), rule)
    assert json.loads(reduction.data).keys() == kept


def test_value_of_many_levels_is_removed() -> None:
    deep: dict[str, Any] = {}
    for _ in range(900):
        deep = {"a": deep}
    message = {"role": "assistant", "content": "a"}
    choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
    payload = {"id": "a", "object": "chat.completion", "created": 1, "model": 5, "choices": choices, "x": deep}
    assert b'"x"' not in _reduce_record(payload, "wrong-type").data


@pytest.mark.parametrize("text", ["busy", '{"choices": []}'])
def test_answer_that_is_a_json_string_keeps_its_finding(text: str) -> None:
    record = {"status": 200, "path": "/v1/chat/completions", "response_text": json.dumps(text)}
    data = _reduce_record(record, "wrong-type").data
    assert "wrong-type" in {one.rule for one in JUDGE.judge(read_all(data)[0]).findings}


def test_long_page_in_place_of_an_answer_is_reduced_to_few_bytes() -> None:
    record = {"status": 502, "response_text": "<html>" + "<p>Some words</p> " * 5000}
    reduction = _reduce_record(record, "body-not-json")
    assert len(reduction.data) < 60
    assert reduction.judged < 100


def test_all_properties_of_a_record_are_protected_from_renaming() -> None:
    record = {
        "request": {"model": "m", "messages": []}, "response": {}, "status": 500, "content_type": "text/html",
        "broken": True, "arrivals": [[2, 0.5]], "host": "h.example", "path": "/v1/chat/completions",
        "expected_status": [200], "expected_code": "c", "status_alone": 200, "status_before": 500,
        "earlier_ids": ["a"], "excused_rules": ["id-empty"], "inconclusive": "busy",
    }  # fmt: skip
    exchange = exchange_in(record)
    for values in capture_values(exchange):
        assert values.properties.keys() <= PROPERTIES


def test_requested_usage_is_removed_from_request_and_answer() -> None:
    event = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    delta = {"role": "assistant", "content": '{"a":1'}
    first = {"index": 0, "delta": delta, "finish_reason": None}
    choices = [[first], [{"index": 0, "delta": {}, "finish_reason": "stop"}]]
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    events = [event | {"choices": event_choices, "usage": None} for event_choices in choices] + [
        event | {"choices": [], "usage": usage}
    ]
    request = {
        "model": "m", "messages": [{"role": "user", "content": "JSON, please"}], "stream": True,
        "response_format": {"type": "json_object"}, "stream_options": {"include_usage": True},
    }  # fmt: skip
    sse = as_events(*events, "[DONE]")
    reduction = _reduce_record({"request": request, "sse": sse}, "content-not-json")
    assert b"usage" not in reduction.data
    assert len(reduction.data) < 500


def numbered_chunks(count: int, change: int) -> list[dict[str, Any]]:
    """Return a chunk for each choice. The finish reason of one of them is a word that the reference does not have."""
    chunk = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return [
        chunk
        | {
            "choices": [
                {
                    "index": index,
                    "delta": {"role": "assistant"},
                    "finish_reason": "enough" if index == change else "stop",
                }
            ]
        }
        for index in range(count)
    ]


def called_chunks(count: int, change: int) -> list[dict[str, Any]]:
    """Return a chunk for each call. The id of one of them is empty."""
    chunk = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}

    def with_delta(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        return chunk | {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

    calls = [
        {
            "index": index,
            "id": "" if index == change else f"call_{index}",
            "type": "function",
            "function": {"name": "f", "arguments": "{}"},
        }
        for index in range(count)
    ]
    return [
        with_delta({"role": "assistant", "content": None}),
        *(with_delta({"tool_calls": [call]}) for call in calls),
        with_delta({}, "tool_calls"),
    ]


@pytest.mark.thorough
@pytest.mark.parametrize("chunks", [numbered_chunks, called_chunks])
@pytest.mark.parametrize("part", [0.0, 0.5, 1.0])
def test_one_of_many_choices_or_calls_is_found_in_linear_time(chunks: Any, part: float) -> None:
    judged = []
    for count in (25, 100):
        stream = as_events(*chunks(count, round(part * (count - 1))))
        data = f"{stream}data: [DONE]\n\n".encode()
        exchange = exchange_in(data)
        finding = next(one for one in JUDGE.judge(exchange).findings if one.severity is Severity.ERROR)
        reduction = reduce(JUDGE.judge(exchange), finding, JUDGE)
        assert reduction is not None
        assert reduction.data.count(b"data:") < 6
        judged.append(reduction.judged)
    assert judged[1] < 4 * judged[0] + 40


def _large_captures(count: int) -> dict[str, bytes]:
    """Return captures with a finding, in which nearly everything can go. Each key says what there is much of."""
    choice = {"index": 0, "message": {"role": "assistant", "content": "a"}, "finish_reason": "stop"}
    answer = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    numbered = [choice | {"index": index} for index in range(count)]
    numbered[-1]["finish_reason"] = "enough"
    values = {
        "empty choices": answer | {"choices": [{}] * count},
        "numbered choices": answer | {"choices": numbered},
        "properties": answer | {"choices": [{}]} | {f"k{number}": 1 for number in range(count)},
        "words": answer | {"choices": [choice | {"message": {"content": "word " * count}}]},
    }
    empty = b"{}," * count
    return {name: json.dumps(value).encode() for name, value in values.items()} | {
        "text around a key twice": b'{"object":"chat.completion","choices":[%s{"a":1,"a":2},%s{}]}' % (empty, empty),
    }


def _reduce_first(data: bytes) -> Reduction:
    exchange = exchange_in(data)
    finding = max((one for one in JUDGE.judge(exchange).findings if one.pointer), key=lambda one: one.severity)
    reduction = reduce(JUDGE.judge(exchange), finding, JUDGE)
    assert reduction is not None
    return reduction


@pytest.mark.thorough
@pytest.mark.parametrize("name", _large_captures(1))
def test_a_large_capture_is_reduced_by_work_in_proportion_to_its_size(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoded = []
    monkeypatch.setattr(reduction_module, "to_bytes", lambda values: encoded.append(to_bytes(values)) or encoded[-1])
    data = _large_captures(1000)[name]
    reduction = _reduce_first(data)
    assert len(reduction.data) < 200
    assert not reduction.ended
    assert sum(map(len, encoded)) < 24 * len(data) + 33_000


@pytest.mark.parametrize("rule", ["missing-property", "usage-total-mismatch"])
def test_a_large_document_is_not_judged_as_a_whole_if_a_small_part_has_the_finding(
    monkeypatch: pytest.MonkeyPatch, rule: str
) -> None:
    sizes = []
    monkeypatch.setattr(
        reduction_module, "verdicts", lambda judge, data: sizes.append(len(data)) or verdicts(judge, data)
    )
    usage = {"usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 3}}
    answer = json.loads(_large_captures(1000)["empty choices"]) | usage
    exchange = exchange_in(json.dumps(answer).encode())
    finding = next(one for one in JUDGE.judge(exchange).findings if one.rule == rule and one.pointer)
    assert reduce(JUDGE.judge(exchange), finding, JUDGE) is not None
    assert max(sizes) < 300


@pytest.mark.thorough
def test_candidates_with_many_findings_count_as_more_work(monkeypatch: pytest.MonkeyPatch) -> None:
    data = _large_captures(450)["text around a key twice"]
    monkeypatch.setattr(reduction_module, "_MOST_WORK", 20 * len(data))
    monkeypatch.setattr(reduction_module, "_LEAST_WHOLES", 0)
    assert _reduce_first(data).ended
    monkeypatch.setattr(reduction_module, "_WORK_OF_FINDING", 0)
    assert not _reduce_first(data).ended


def test_a_finding_that_only_a_live_exchange_has_is_reduced() -> None:
    response = json.loads((FIXTURES / "conforming" / "completion" / "text.json").read_text("utf-8"))
    record = {"live": True, "status": 200, "response": response | {"created": "[created]"}}
    assert json.loads(_reduce_record(record, "wrong-type").data)["created"] == "a"


def test_a_search_that_reaches_its_limit_says_so_and_returns_the_smallest_so_far(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = _large_captures(3000)["empty choices"]
    monkeypatch.setattr(reduction_module, "_MOST_WORK", 1000)
    monkeypatch.setattr(reduction_module, "_LEAST_WHOLES", 0)
    reduction = _reduce_first(data)
    assert reduction.ended
    assert len(reduction.data) < len(data)
    assert reduction.finding.rule == "missing-property"
