"""Features that rules name in ``needs``, and what runs by them."""

from __future__ import annotations

import re

import orjson
import pytest

from isogloss.validator import check, rules
from isogloss.validator.examining import features

_NAMED = re.compile(r"``([^`]+)``")


def _described() -> set[str]:
    pages = (
        features.of_exchange, features.of_request, features.of_completion, features.of_stream, features.of_pair,
    )  # fmt: skip
    return {" ".join(name.split()) for page in pages for name in _NAMED.findall(page.__doc__ or "")}


def test_every_feature_that_a_rule_needs_is_described() -> None:
    groups = ("wire", "request", "completion", "stream", "pair")
    needed = {feature for group in groups for name in rules.names(group) for feature in rules.rule(name).needs}
    assert needed - _described() == set()
    assert features.SIGNS - _described() == set()


@pytest.mark.parametrize("count", [2, 7, 1000, 1001, 1500])
def test_a_role_on_every_chunk_is_one_finding_with_the_number_of_chunks(count: int) -> None:
    first = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1750000000, "model": "m"}
    deltas = [{"role": "assistant", "content": "a"} for _ in range(count)]
    chunks = [first | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    chunks.append(first | {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    stream = b"".join(b"data: %s\n\n" % orjson.dumps(chunk) for chunk in chunks) + b"data: [DONE]\n\n"
    found = {one.message: one for one in check(stream).findings if one.rule == "role-repeated"}
    repeated = found.pop("role is repeated; only the first delta of a choice has it")
    assert (repeated.count, repeated.source.line) == (min(count - 1, 1000), 3)
    assert list(found) == [f"{more} more findings of this rule in this payload" for more in [count - 1001] if more > 0]


@pytest.mark.parametrize(
    ("arguments", "odd"),
    [('{"a": 1}', False), (" {} ", False), ("", True), ("null", True), ("[]", True), ('{"a": 1}{"b": 2}', True),
     ('"{}"', True), ('{"a": "\ud800"}', True), ('{"a": ' * 2000, True)],
)  # fmt: skip
def test_arguments_are_odd_where_they_are_no_json_object(arguments: str, *, odd: bool) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": arguments}}
    value = {"choices": [{"index": 0, "message": {"tool_calls": [call]}, "finish_reason": "tool_calls"}]}
    assert ("odd arguments" in features.of_completion(value)) is odd


@pytest.mark.parametrize(
    ("numbers", "integers"),
    [([0, 0], True), ([1, 2], True), ([0.0, 0], False), ([1, 2.5], False), ([None], False), ([1.5, 10**400], False),
     ([{}], False), (["1"], False)],
)  # fmt: skip
def test_details_of_usage_may_hold_a_float_unless_all_are_integers(numbers: list[object], *, integers: bool) -> None:
    details = {f"n{position}": one for position, one in enumerate(numbers)}
    has = features.of_completion({"usage": {"completion_tokens_details": details}})
    assert ("float" not in has) is integers
