"""Test how single values become smaller: texts that are written twice, texts that stay as they are, and numbers."""

from __future__ import annotations

import json
from typing import Any

from payloads import COMPLETION, REQUEST
from reading import exchange_in

from isogloss.validator.reducing.capture_values import capture_values
from isogloss.validator.reducing.replacing import neutralise
from isogloss.validator.reducing.shrinking import shrink
from isogloss.validator.reducing.trees import without_columns, without_request_options


def test_a_text_that_is_its_half_written_twice_becomes_smaller_in_both_halves() -> None:
    half = "one two three four five six seven eight nine"

    def is_doubled(text: str) -> bool:
        return len(text) > 1 and text == text[: len(text) // 2] * 2

    found = shrink(half + half, is_doubled)
    assert is_doubled(found)
    assert len(found) <= 2 * len("seven")


def test_json_in_a_text_that_is_kept_stays_text_if_the_finding_needs_the_text() -> None:
    found = shrink(b'data: {"a": 1, "b": 2}\n\n', lambda kept: isinstance(kept, bytes) and b'"a"' in kept)
    assert found == b'"a"'


def test_a_number_of_few_digits_is_not_replaced_inside_a_text_that_is_kept() -> None:
    value = {"created": 12, "request": b'{"id":"a-12","id":"a-2012"}'}
    assert neutralise(value, lambda _: True, frozenset(value)) == value | {"created": 1}


def test_a_number_is_replaced_only_by_a_shorter_one() -> None:
    value = {"temperature": 0.7, "top_p": 0.95, "seed": 7, "n": 12}
    assert neutralise(value, lambda _: True, frozenset(value)) == value | {"top_p": 0.0, "n": 1}


def test_a_property_is_left_out_of_all_items_at_once() -> None:
    value: dict[str, Any] = {"choices": [{"a": 1, "b": {"c": 2, "d": 3}}, {"a": 4, "b": {"d": 5}}], "x": 6}
    smaller = {"choices": [{"b": {"c": 2}}, {"b": {}}], "x": 6}
    steps = ({"choices": [{"b": one["b"]} for one in value["choices"]], "x": 6}, smaller)
    assert without_columns(value, lambda candidate: candidate in steps) == smaller


def test_an_option_is_left_out_together_with_what_it_causes_in_the_answer() -> None:
    value = {"request": {"model": "m", "logprobs": True}, "response": {"choices": [{"index": 0, "logprobs": {}}]}}
    smaller = {"request": {"model": "m"}, "response": {"choices": [{"index": 0}]}}
    assert without_request_options(value, lambda candidate: candidate == smaller) == smaller


def test_a_request_with_a_fault_is_kept_as_its_text_and_nothing_behind_it() -> None:
    request = json.dumps(REQUEST).replace('"model"', '"model": "a", "model"')
    exchange = exchange_in(f'{{"request": {request}, "response": {json.dumps(COMPLETION)}, "status": 200}}')
    first = next(iter(capture_values(exchange)))
    assert first.properties == {"request": request.encode()}
