"""Test how single values become smaller: texts that are written twice, texts that stay as they are, and numbers."""

from __future__ import annotations

import json

from payloads import COMPLETION, REQUEST
from reading import exchange_in

from isogloss.validator.reducing.replacing import neutralise
from isogloss.validator.reducing.shrinking import shrink
from isogloss.validator.reducing.sketch import sketches


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


def test_a_request_with_a_fault_is_sketched_as_its_text_and_nothing_behind_it() -> None:
    request = json.dumps(REQUEST).replace('"model"', '"model": "a", "model"')
    exchange = exchange_in(f'{{"request": {request}, "response": {json.dumps(COMPLETION)}, "status": 200}}')
    first = next(iter(sketches(exchange)))
    assert first.properties == {"request": request.encode()}
