"""Test the features that rules name in ``needs``, and rules that run only where a feature is."""

from __future__ import annotations

import itertools
import re
import tracemalloc
from typing import Any

import orjson
import pytest
from reading import all_exchanges

from isogloss.validator import check, engines, rules
from isogloss.validator.examining import examiner, features
from isogloss.validator.exchange import Exchange
from isogloss.validator.judging.judge import Judge

_NAMED = re.compile(r"``([^`]+)``")


def _described() -> set[str]:
    pages = (
        features.of_exchange, features.of_options, features.of_messages, features.of_completion, features.of_stream,
        features.of_pair,
    )  # fmt: skip
    return {" ".join(name.split()) for page in pages for name in _NAMED.findall(page.__doc__ or "")}


def test_every_feature_that_a_rule_needs_is_described() -> None:
    groups = ("wire", "request", "completion", "stream", "pair")
    needed = {feature for group in groups for name in rules.names(group) for feature in rules.rule(name).needs}
    assert needed - _described() == set()
    assert features.SIGNS - _described() == set()


_COMPLETION = {
    "id": "chatcmpl-1", "object": "chat.completion", "created": 1750000000, "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "a", "refusal": None},
                 "finish_reason": "stop", "logprobs": None}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}  # fmt: skip
_ERROR = {"error": {"message": "prompt is too long", "type": "t", "param": None, "code": None}}
_PARTS: dict[str, list[dict[str, Any]]] = {
    "request": [
        {"request": {"model": "m", "messages": [{"role": "user", "content": "a"}], "stream": stream}}
        for stream in (False, True)
    ],
    "status": [{"status": 200}, {"status": 400}],
    "content type": [{"content_type": "application/json"}, {"content_type": "text/html"}],
    "expectation": [{"expected_status": [400], "expected_code": "c"}, {"expected_status": [200]}],
    "earlier ids": [{"earlier_ids": ["chatcmpl-1"]}],
    "connection": [{"broken": True}],
    "times": [{"arrivals": [[1, 0.1], [2, 0.2]]}],
}


def _read(*records: dict[str, Any]) -> list[Exchange]:
    return all_exchanges(b"\n".join(map(orjson.dumps, records)), "records.jsonl")


@pytest.mark.parametrize(
    ("properties", "feature"),
    [
        ({"expected_status": [400]}, "expected status"),
        ({"expected_code": "c"}, "expected code"),
        ({"earlier_ids": ["chatcmpl-1"]}, "ids of earlier answers"),
        ({"status": 200}, "status"),
        ({"content_type": "text/html"}, "unusual content type"),
        ({"broken": True}, "broken connection"),
        ({"arrivals": [[1, 0.1], [2, 0.2]]}, "times of arrival"),
    ],
)
def test_a_record_without_a_request_has_each_feature_by_itself(properties: dict[str, Any], feature: str) -> None:
    (exchange,) = _read({"response": _COMPLETION} | properties)
    assert feature in features.of_exchange(exchange, None)


_MOST_NEEDED = 3
"""No rule needs more features. More parts, but not all of them, are left to the slow tests."""


def test_no_rule_needs_more_than_three_features() -> None:
    assert max(len(rules.rule(name).needs) for name in rules.names()) == _MOST_NEEDED


@pytest.mark.parametrize(
    "count",
    [
        pytest.param(count, marks=pytest.mark.slow if _MOST_NEEDED < count < len(_PARTS) else ())
        for count in range(len(_PARTS) + 1)
    ],
)
def test_a_rule_finds_the_same_in_a_record_with_and_without_its_gate(count: int) -> None:
    gated, ungated = (Judge(engines.load(), shortcuts=shortcuts) for shortcuts in (True, False))
    bodies: list[dict[str, Any]] = [
        {"response": _COMPLETION}, {"response": _ERROR}, {"response": {"error": "no"}}, {"response_text": " {}"},
        {"response_text": "<html>"}, {"sse": "data: {}\n\n"},
    ]  # fmt: skip
    for names in itertools.combinations(_PARTS, count):
        records = [
            body | {name: value for part in parts for name, value in part.items()}
            for body in bodies
            for parts in itertools.product(*(_PARTS[name] for name in names))
        ]
        exchanges = _read(*records)
        assert len(exchanges) >= len(records) // 3
        for exchange in exchanges:
            assert gated.judge(exchange).findings == ungated.judge(exchange).findings, names


@pytest.mark.parametrize(
    "message", ["prompt is too long", "PROMPT IS TOO LONG", "Too many tokens", "it exceeds the Context", "no", "", None]
)
def test_a_message_about_length_is_found_however_it_is_written(message: str | None) -> None:
    (exchange,) = _read({"response": {"error": {"message": message, "type": "t", "param": None, "code": None}}})
    gated, ungated = (
        [finding.rule for finding in Judge(engines.load(), shortcuts=shortcuts).judge(exchange).findings]
        for shortcuts in (True, False)
    )
    assert gated == ungated
    assert ("context-overflow-unmarked" in gated) == (message not in ("no", "", None))


def test_a_word_for_null_is_found_in_an_error_by_itself() -> None:
    (exchange,) = _read({"error": {"message": "m", "type": "None", "param": None, "code": None}})
    for shortcuts in (True, False):
        findings = Judge(engines.load(), shortcuts=shortcuts).judge(exchange).findings
        assert [(one.rule, one.pointer) for one in findings] == [("null-as-text", "/error/type")]


@pytest.mark.parametrize("count", [2, 7, 1000, 1001, 1500])
def test_role_on_every_chunk_is_one_finding_with_a_count(count: int) -> None:
    first = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1750000000, "model": "m"}
    deltas = [{"role": "assistant", "content": "a"} for _ in range(count)]
    chunks = [first | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    chunks.append(first | {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    stream = b"".join(b"data: %s\n\n" % orjson.dumps(chunk) for chunk in chunks) + b"data: [DONE]\n\n"
    findings_by_message = {
        finding.message: finding for finding in check(stream).findings if finding.rule == "role-repeated"
    }
    repeated = findings_by_message.pop("role is repeated; only the first delta of a choice has it")
    assert (repeated.count, repeated.source.line) == (min(count - 1, 1000), 3)
    assert list(findings_by_message) == [
        f"{further} more findings of this rule in this payload" for further in [count - 1001] if further > 0
    ]


@pytest.mark.parametrize(
    ("arguments", "unusual"),
    [('{"a": 1}', False), (" {} ", False), ("", True), ("null", True), ("[]", True), ('{"a": 1}{"b": 2}', True),
     ('"{}"', True), ('{"a": "\ud800"}', True), ('{"a": ' * 2000, True)],
)  # fmt: skip
def test_arguments_are_unusual_if_they_are_not_a_json_object(arguments: str, *, unusual: bool) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": arguments}}
    value = {"choices": [{"index": 0, "message": {"tool_calls": [call]}, "finish_reason": "tool_calls"}]}
    assert ("unusual arguments" in features.of_completion(value)) is unusual


@pytest.mark.parametrize(
    ("numbers", "integers"),
    [([0, 0], True), ([1, 2], True), ([0.0, 0], False), ([1, 2.5], False), ([None], False), ([1.5, 10**400], False),
     ([{}], False), (["1"], False)],
)  # fmt: skip
def test_usage_has_the_feature_float_unless_all_details_are_integers(numbers: list[object], *, integers: bool) -> None:
    details = {f"n{position}": number for position, number in enumerate(numbers)}
    found_features = features.of_completion({"usage": {"completion_tokens_details": details}})
    assert ("float" not in found_features) is integers


@pytest.mark.parametrize(
    ("message", "is_low"),
    [
        ({"content": "a" * 64}, False),
        ({"content": "a" * 65}, True),
        ({"content": "a" * 60, "tool_calls": [{"function": {"arguments": "{  }"}}]}, False),
        ({"content": "a" * 60, "tool_calls": [{"function": {"arguments": "{   }"}}]}, True),
    ],
)
def test_usage_is_low_for_more_characters_than_its_tokens_may_have(message: dict[str, Any], *, is_low: bool) -> None:
    value = _COMPLETION | {"choices": [{"index": 0, "message": message}]}
    assert ("low usage" in features.of_completion(value)) is is_low


def test_nothing_is_kept_of_the_features_of_very_many_choices() -> None:
    features.of_completion({"choices": [{}] * 10_000})
    tracemalloc.start()
    for count in range(10_001, 10_009):
        features.of_completion({"choices": [{}] * count})
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 8_000


@pytest.mark.parametrize("group", ["wire", "request", "completion", "stream", "pair"])
def test_all_rules_of_a_group_run_in_order_if_none_is_left_out_for_what_it_needs(group: str) -> None:
    every = {feature for name in rules.names(group) for feature in rules.rule(name).needs}
    for gated, available in ((False, frozenset[str]()), (True, frozenset(every))):
        of_all, of_options = (
            [name for name, _ in examiner._ChecksByFeatures(group, rules.names(), **which)[available]]
            for which in ({"gated": gated}, {"gated": gated, "of_options": True})
        )
        assert (sorted(of_all), sorted(of_options)) == (of_all, of_options)
        assert tuple(sorted(of_all + of_options)) == rules.names(group)
