"""Test the scanner of JSON text: the value that it recovers, and the faults that it finds."""

import json

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from json_texts import damaged_texts, has_duplicates, json_texts, json_values, styles, texts_with_repeated_keys

from isogloss.validator.jsontext import (
    MISSING,
    Fault,
    scan,
)


def broken_rules(data: bytes) -> list[str]:
    return [fault.rule for fault in scan(data).faults]


@given(json_values, styles)
def test_scan_of_valid_json_gives_its_value_and_no_fault(value: object, style: dict[str, object]) -> None:
    found = scan(json.dumps(value, **style).encode())  # type: ignore[arg-type]
    assert found.value == value
    assert found.faults == []


@given(st.one_of(damaged_texts(), st.binary(max_size=30), json_texts(), texts_with_repeated_keys))
@example(b'{"a":1,"b":{"a":1,"a":2}}')
def test_a_text_has_faults_exactly_when_orjson_refuses_it_or_keys_are_duplicate(data: bytes) -> None:
    found = scan(data)
    try:
        value = orjson.loads(data)
    except ValueError:
        assert {fault.rule for fault in found.faults} - {"json-duplicate-key"}
    else:
        assert {fault.rule for fault in found.faults} <= {"json-duplicate-key"}
        assert bool(found.faults) == has_duplicates(data)
        assert orjson.dumps(json.loads(json.dumps(found.value), parse_int=_parse_int_as_orjson)) == orjson.dumps(value)
    assert [fault.offset for fault in found.faults] == sorted(fault.offset for fault in found.faults)
    assert all(0 <= fault.offset <= len(data) for fault in found.faults)


def _parse_int_as_orjson(digits: str) -> float:
    value = int(digits)
    return value if -(2**63) <= value < 2**64 else float(digits)


@pytest.mark.parametrize(
    ("data", "value", "faults"),
    [
        (b'{"a":[1,2 , ],}', {"a": [1, 2]}, [("json-trailing-comma", 10), ("json-trailing-comma", 13)]),
        (b'{"a":NaN}', {"a": None}, [("json-not-a-number", 5)]),
        (b"[-Infinity]", [None], [("json-not-a-number", 1)]),
        (b'{"a":1,"b":2,"a":3}', {"a": 3, "b": 2}, [("json-duplicate-key", 13)]),
        (b'["a\xffb"]', ["a\ufffdb"], [("json-bad-utf8", 3)]),
        (b'["a\xc3b"]', ["a\ufffdb"], [("json-bad-utf8", 3)]),
        (b'["a\xc3', ["a\ufffd"], [("json-truncated", 4)]),
        (b'["a\\ud83d"]', ["a\ufffd"], [("json-lone-surrogate", 3)]),
        (b'["\\ude00\\ud83d\\ude00"]', ["\ufffd😀"], [("json-lone-surrogate", 2)]),
        (b'{"a":[1,{"b":"te', {"a": [1, {"b": "te"}]}, [("json-truncated", 16)]),
        (b'{"a":tr', {}, [("json-truncated", 7)]),
        (b'{"a":1', {"a": 1}, [("json-truncated", 6)]),
        (b"[1.", [], [("json-truncated", 3)]),
        (b'["\\u00', [""], [("json-truncated", 6)]),
        (b" ", MISSING, [("json-truncated", 1)]),
        (b"\xef\xbb\xbf[]", [], [("json-byte-order-mark", 0)]),
        (b"[1e999]", [None], [("json-number-too-large", 1)]),
        (b'{"a":1}\n{"b":2}', {"a": 1}, [("json-extra-data", 8)]),
        (b'["a\tb"]', ["a\tb"], [("json-control-character", 3)]),
        (b'["\\x"]', ["x"], [("json-syntax", 2)]),
        (b'{"a":1 "b":2}', {"a": 1, "b": 2}, [("json-syntax", 7)]),
        (b'{"a" 1}', {"a": 1}, [("json-syntax", 5)]),
        (b'{"a":,"b":2}', {"b": 2}, [("json-syntax", 5)]),
        (b"[1,,2]", [1, 2], [("json-syntax", 3)]),
        (b"[01,.5]", [1, 0.5], [("json-syntax", 1), ("json-syntax", 4)]),
        (b"[1}", [1], [("json-syntax", 2)]),
        (b"[1,// no\n2]", [1], [("json-syntax", 3)]),
        (b"<html></html>", MISSING, [("json-syntax", 0)]),
        (b"{'a':1}", {}, [("json-syntax", 1)]),
    ],
)  # fmt: skip
def test_fault_has_its_rule_and_offset_and_the_rest_is_recovered(
    data: bytes, value: object, faults: list[tuple[str, int]]
) -> None:
    found = scan(data)
    assert found.value == value
    assert [(fault.rule, fault.offset) for fault in found.faults] == faults


@pytest.mark.thorough
def test_nesting_beyond_the_limit_is_a_fault_and_no_depth_overflows_the_stack() -> None:
    assert broken_rules(b"[" * 1024 + b"]" * 1024) == []
    assert broken_rules(b'{"a":' * 1025 + b"1" + b"}" * 1025) == ["json-too-deep"]
    assert scan(b"[" * 1025).faults == [Fault("json-too-deep", 1024, "more than 1024 containers are open here")]
    assert [fault.rule for fault in scan(b"[" * 100_000 + b"]" * 100_000).faults][:1] == ["json-too-deep"]


def test_one_rule_gives_at_most_twenty_faults() -> None:
    assert broken_rules(b"[" + b"NaN," * 1000 + b"1,]") == ["json-not-a-number"] * 20 + ["json-trailing-comma"]


@pytest.mark.parametrize(
    "data",
    [
        b'"' + b"\\n" * 50_000,
        b'"' + b"\xff" * 50_000,
        b"9" * 50_000,
        b"[0." + b"1" * 50_000,
        b" " * 50_000,
        b"[1," + b"," * 50_000,
        b"-" * 50_000,
        b'["' + b'","' * 50_000,
    ],
)
def test_scan_of_repeated_units_takes_linear_time(data: bytes) -> None:
    assert scan(data).faults  # a quadratic scan takes minutes here


def test_numbers_keep_their_type_and_precision() -> None:
    found = scan(b"[18446744073709551617, 1.0, -0, 1e2]")
    assert found.value == [18446744073709551617, 1.0, 0, 100.0]
    assert [type(number) for number in found.value] == [int, float, int, float]  # type: ignore[attr-defined]


def test_invalid_number_becomes_null_and_its_pointer_is_recorded() -> None:
    found = scan(b'{"a": [1, NaN], "b": {"c": 1e999, "d": -Infinity}, "e": null}')
    assert found.value == {"a": [1, None], "b": {"c": None, "d": None}, "e": None}
    assert found.unread == {("a", 1), ("b", "c"), ("b", "d")}


@pytest.mark.parametrize(
    ("data", "unread"),
    [(b'[{"a": 1,}, NaN]', (1,)), (b'[[1,], {"a": NaN}]', (1, "a")), (b'[{"a": 1 "b": 2}, NaN]', (1,))],
)
def test_pointer_of_a_number_behind_a_faulty_container_is_right(data: bytes, unread: tuple[str | int, ...]) -> None:
    assert scan(data).unread == {unread}


def test_of_several_commas_the_last_one_is_that_behind_which_nothing_follows() -> None:
    assert [(fault.rule, fault.offset) for fault in scan(b"[1,,,]").faults] == [
        ("json-syntax", 3),
        ("json-syntax", 4),
        ("json-trailing-comma", 4),
    ]


def test_duplicate_key_is_reported_where_it_stands_again() -> None:
    (fault,) = scan(b'{"a": {"b": 1}, "b": 2, "a": 3}').faults
    assert (fault.message, fault.offset) == ("the object has `a` twice", 24)
