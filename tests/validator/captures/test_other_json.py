"""Test JSON that programs and people write in other ways: typed numbers, comments, and text sequences."""

from __future__ import annotations

import json
from typing import Any

import pytest
from payloads import CHUNKS, COMPLETION, REQUEST, with_finish_reason
from reading import (
    all_exchanges,
    exchange_in,
    exchanges_in,
    last_reason,
    place_in,
    read_all,
    rules_and_places,
    values_of,
)

from isogloss.validator.exchange import Payload, Stream

_RECORD = {"request": REQUEST, "response": COMPLETION}
_FAULTY = {"request": REQUEST, "response": with_finish_reason("bored")}


def _typed(value: Any, name: str = "$numberInt") -> Any:
    """Return a value with its numbers as MongoDB's Extended JSON has them in its canonical mode."""
    if isinstance(value, dict):
        return {key: _typed(inner, name) for key, inner in value.items()}
    if isinstance(value, list):
        return [_typed(inner, name) for inner in value]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return {name: f"{value:.1f}" if name == "$numberDouble" else str(value)} if is_number else value


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("name", ["$numberInt", "$numberLong", "$numberDouble"])
@pytest.mark.parametrize("as_records", [False, True])
def test_numbers_with_their_type_are_numbers(indent: int | None, name: str, as_records: bool) -> None:
    row = {"_id": {"$oid": "0" * 24}, "at": {"$date": {"$numberLong": "1760000000123"}}, **_typed(_FAULTY, name)}
    text = json.dumps([row] if as_records else row["response"], indent=indent)
    found = exchange_in(text, "export.json")
    assert isinstance(found.response, Payload)
    assert found.response.value == _FAULTY["response"]
    assert rules_and_places(found) == [("unknown-value", *place_in(text, '"bored"'))]


def test_numbers_with_their_type_are_numbers_on_lines() -> None:
    lines = json.dumps(_typed(_RECORD)) + "\n" + json.dumps(_typed(_FAULTY)) + "\n"
    first, second = exchanges_in(lines, "export.jsonl")
    assert values_of(first) == (REQUEST, COMPLETION)
    assert rules_and_places(second) == [("unknown-value", *place_in(lines, '"bored"'))]


@pytest.mark.parametrize(
    "value", [{"$numberInt": 1}, {"$numberInt": "1", "x": 1}, {"$number": "1"}, {"$numberLong": "x"}]
)
def test_other_objects_are_no_numbers(value: object) -> None:
    [found] = all_exchanges({"request": REQUEST, "response": COMPLETION | {"created": value}})
    assert [rule for rule, *_ in rules_and_places(found)] == ["wrong-type"]


def test_a_number_with_its_type_in_a_text_stays_there() -> None:
    text = '{"$numberInt": "1"}'
    request = {"model": "m", "messages": [{"role": "user", "content": text}]}
    found = exchange_in({"request": request, "response": _typed(COMPLETION)})
    assert values_of(found) == (request, COMPLETION)


_COMMENTED = {
    "a comment before it": "// by hand\n{}",
    "comments before and behind it": "/* by\n * hand */\n\n// and more\n{}\n// the end\n",
    "a comment in it": "{{\n  // a remark\n{}",
}


@pytest.mark.parametrize("comments", _COMMENTED.values(), ids=_COMMENTED)
@pytest.mark.parametrize("name", ["case.jsonc", "case.json5", "case"])
def test_json_may_have_comments(comments: str, name: str) -> None:
    written = json.dumps(_FAULTY, indent=1)
    text = comments.format(written.removeprefix("{") if "{{" in comments else written)
    found = exchange_in(text, name)
    assert values_of(found) == (REQUEST, _FAULTY["response"])
    assert rules_and_places(found) == [("unknown-value", *place_in(text, '"bored"'))]


def test_an_array_may_have_comments() -> None:
    text = "// both\n[\n" + json.dumps(_RECORD) + ",\n// the faulty one\n" + json.dumps(_FAULTY) + "\n]\n"
    first, second = exchanges_in(text, "cases.jsonc")
    assert rules_and_places(first) == []
    assert rules_and_places(second) == [("unknown-value", *place_in(text, '"bored"'))]


@pytest.mark.parametrize(
    "text", ["// {}\n", "/* {} */ const a = 1;\n", "// a\nfunction f() {{ return {}; }}\n", "// a\n{} as const;\n"]
)
def test_a_program_is_no_json_with_comments(text: str) -> None:
    assert all_exchanges(text.format(json.dumps(_RECORD)), "case.js") == []


@pytest.mark.parametrize("indent", [None, 1])
def test_a_sequence_of_json_texts_is_read_like_json_lines(indent: int | None) -> None:
    text = "".join(f"\x1e{json.dumps(one, indent=indent)}\n" for one in (_RECORD, _FAULTY))
    first, second = exchanges_in(text, "log.json-seq")
    assert rules_and_places(first) == []
    assert rules_and_places(second) == [("unknown-value", *place_in(text, '"bored"'))]


def test_chunks_in_a_sequence_of_json_texts_are_a_stream() -> None:
    found = exchange_in("".join(f"\x1e{json.dumps(one)}\n" for one in CHUNKS))
    assert isinstance(found.response, Stream)
    assert found.response.values == CHUNKS


@pytest.mark.parametrize("text", ["\x1e", "\x1e\n\x1e\n", "\x1e\x1f\x1e", '\x1e{"a": 1}\n'])
def test_other_sequences_are_skipped_with_a_reason(text: str) -> None:
    assert last_reason(read_all(text))
