"""Test that what rules find in the options of a request is found in the next request with the same options, too."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from reading import all_exchanges

from isogloss.validator import engines, rules
from isogloss.validator.examining.options import OptionsCache
from isogloss.validator.exchange import Exchange
from isogloss.validator.judging.judge import Judge

_OF_OPTIONS = [name for name in rules.names("request") if rules.rule(name).of_options]


def _request(text: str, **options: Any) -> dict[str, Any]:
    return {"model": "gpt-4o", "messages": [{"role": "user", "content": text}], **options}


def _exchanges(*requests: dict[str, Any]) -> list[Exchange]:
    return all_exchanges(b"\n".join(map(orjson.dumps, requests)), "requests.jsonl")


def _rules_and_pointers(judge: Judge, exchange: Exchange) -> list[tuple[str, str]]:
    return [(one.rule, one.pointer) for one in judge.judge(exchange).findings]


def test_only_rules_about_requests_are_of_options() -> None:
    assert _OF_OPTIONS
    assert {rules.group_of(name) for name in rules.names() if rules.rule(name).of_options} == {"request"}


def test_what_is_wrong_with_options_is_found_in_each_request_that_has_them() -> None:
    judge = Judge(engines.load())
    options = {"tools": [], "max_tokens": 5, "max_completion_tokens": 5}
    found = [_rules_and_pointers(judge, one) for one in _exchanges(*(_request(text, **options) for text in "abc"))]
    assert {rule for rule, _ in found[0]} >= {"tools-empty", "token-limits-both"}
    assert found[0] == found[1] == found[2]


def test_what_rules_find_in_options_stands_among_what_the_others_find_in_the_order_of_their_names() -> None:
    options = {"tools": [], "max_tokens": 5, "max_completion_tokens": 5, "stream": True}
    request = _request("a", **options) | {"messages": [{"role": "tool", "content": "x", "tool_call_id": "call_1"}]}
    for exchange in _exchanges(request, request):
        found = [one.rule for one in Judge(engines.load()).judge(exchange).unplaced]
        of_rules = [name for name in found if rules.group_of(name) == "request"]
        assert of_rules == sorted(of_rules)
        assert 0 < len([name for name in of_rules if name in _OF_OPTIONS]) < len(of_rules)
        assert of_rules != sorted(of_rules, key=lambda name: name not in _OF_OPTIONS)


@pytest.mark.parametrize(
    ("first", "second"),
    [({"n": 1}, {"n": 1.0}), ({"n": 1}, {"n": True}), ({}, {"stop": None}), ({"stop": "a"}, {"stop": ["a"]})],
)
def test_requests_with_other_options_share_nothing(first: dict[str, Any], second: dict[str, Any]) -> None:
    cache = OptionsCache()
    requests = [_request("a", **first), _request("a", **second), _request("b", **first)]
    options = [cache.options_of(value, sound=True) for value in requests]
    assert options[0] is options[2]
    assert options[0] is not options[1]


def test_options_of_a_request_with_faults_are_not_remembered() -> None:
    cache = OptionsCache()
    first, second = (cache.options_of(_request("a", temperature=one), sound=False) for one in (float("inf"), None))
    assert first is not second
    assert cache.options_of(_request("a", temperature=None), sound=True) is not first


def _nested(depth: int) -> object:
    value: object = 0
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("value", [_nested(300), 2**64, "\ud800", "a" * 100_000, [1] * 2000])
def test_options_that_cannot_be_written_or_are_long_are_read_each_time(value: object) -> None:
    cache = OptionsCache()
    first, second = (cache.options_of(_request("a", stop=value, tools=[]), sound=True) for _ in range(2))
    assert first is not second
    assert first.features == second.features >= {"tools", "stop"}


def test_a_rule_of_options_gets_no_messages() -> None:
    assert not OptionsCache().options_of(_request("a"), sound=True).request.messages


def test_rules_find_the_same_in_options_whatever_the_messages_are() -> None:
    """The messages give a request other features, by which other rules run."""
    call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    with_calls = [{"role": "user", "content": "a"}, {"role": "assistant", "content": None, "tool_calls": [call]}]
    tools = [{"type": "function", "function": {"name": "f", "parameters": {"type": "array"}}}] * 2
    requests = [_request("a", tools=tools), _request("a", tools=tools) | {"messages": with_calls}]
    judge, without = Judge(engines.load()), Judge(engines.load(), shortcuts=False)
    for exchange in _exchanges(*requests, *reversed(requests)):
        found = _rules_and_pointers(judge, exchange)
        assert {rule for rule, _ in found} >= {"tool-name-duplicate", "tool-schema-refused"}
        assert found == _rules_and_pointers(without, exchange)


def test_options_that_are_too_deep_to_be_written_again_are_read() -> None:
    deep = b'{"a":' * 400 + b"{}" + b"}" * 400
    requests = b'{"model":"gpt-4o","messages":[{"role":"user","content":"Hi"}],"tools":[],"metadata":%b}\n' % deep
    judge = Judge(engines.load())
    found = [_rules_and_pointers(judge, one) for one in all_exchanges(2 * requests, "requests.jsonl")]
    assert ("tools-empty", "/tools") in found[0]
    assert found[0] == found[1]
