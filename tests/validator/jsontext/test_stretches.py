"""Test that decoding whole stretches of a JSON text gives the same value, faults and places as reading each token."""

from __future__ import annotations

import itertools
import json
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_texts import pointers

from isogloss.validator.jsontext import Scan, regular, scan, stretches

WAIT, SIZE = "PATIENCE", "SMALLEST"
_NEVER = 1 << 60


def scan_each_token(data: bytes) -> Scan:
    with patch.object(regular, WAIT, _NEVER):
        return scan.__wrapped__(data)


def scan_in_stretches(data: bytes, *, size: int) -> Scan:
    """Return a scan of the data that tries to decode a stretch of this size after every comma."""
    with (
        patch.object(regular, WAIT, 0),
        patch.object(regular, SIZE, size),
        patch.object(regular, "LEAST", 1),
        patch.object(stretches, "LEAST", 1),
    ):
        return scan.__wrapped__(data)


def describe(result: Scan) -> object:
    """Describe a scan, with the place of each value and of two pointers in it that do not exist."""
    places = [
        (
            pointer, result.offset(pointer), result.offset(pointer, key=True), [*result.string_segments(pointer)],
            result.cut(pointer),
        )
        for existing in pointers(result.value)
        for pointer in (existing, (*existing, "none"), (*existing, 99, 0))
    ]  # fmt: skip
    return repr(result.value), result.faults, sorted(result.unread, key=repr), places


keys = st.sampled_from(["a", "b", "c", "", ":", ",", 'a"', "\\", "日本", "]"]) | st.text(max_size=3)
scalars = st.sampled_from([
    "1", "-0", "-0.0", "1.5e3", "18446744073709551616", "-9223372036854775809", "9223372036854775807", "null", "true",
    '"a"', '""', '"\\u003a"', '"\\ud83d\\ude00"', '"日本"', '"\\\\"', '"a\\"b,["', "[]", "{}", " [ ] ",
    "0.12345678901234567890123", "1E25",
])  # fmt: skip
damaged_values = st.sampled_from([
    "NaN", "-Infinity", "1e999", "01", '"\\ud800"', '"\x01"', '"\\q"', "nul", "", "1 2", "[1,]", '{"a":1,}', '{"a"}',
    "]", "}", "[", "{", '"', '{"a":}', "[1:2]", ":",
])  # fmt: skip


def _write_object(properties: list[tuple[str, str]]) -> str:
    return "{" + ",".join(f"{json.dumps(key)}: {value}" for key, value in properties) + "}"


def _texts_of(leaves: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.recursive(
        leaves,
        lambda inner: (
            st.lists(inner, max_size=8).map(lambda items: f"[{','.join(items)}]")
            | st.lists(st.tuples(keys, inner), max_size=6).map(_write_object)
        ),
        max_leaves=40,
    )


texts = _texts_of(st.integers(0, 5).flatmap(lambda number: scalars if number else damaged_values))


@given(texts, st.sampled_from([8, 20, 60, 1 << 12]), st.integers(0, 400))
def test_stretches_of_a_damaged_text_give_the_same_scan_as_its_tokens(text: str, size: int, cut: int) -> None:
    data = text.encode()[:-cut] if cut else text.encode()
    assert describe(scan_in_stretches(data, size=size)) == describe(scan_each_token(data))


@given(texts, st.binary(max_size=2), st.integers(0, 400), st.sampled_from([8, 60, 1 << 12]))
def test_stretches_of_a_text_with_inserted_bytes_give_the_same_scan_as_its_tokens(
    text: str, inserted: bytes, offset: int, size: int
) -> None:
    data = text.encode()
    data = data[:offset] + inserted + data[offset:]
    assert describe(scan_in_stretches(data, size=size)) == describe(scan_each_token(data))


ITEMS = {
    "arrays": b"[],", "numbers": b"1,", "strings": b'"a",', "objects": b'{"a":1,"b":[2]},', "letters": b"\"\xc3\xa4\",",
    "nested": b'{"a":{"b":[1,{"c":"]"}]}},', "floats": b"-0.25,", "spaces": b" 1 ,\n",
}  # fmt: skip


OPENINGS = {"list": b"[", "deep": b'{"a":[[],{"b":1,"c":['}
FAULTS = (b"", b"NaN,", b"[1,],", b'"\xff",', b'"\\ud800",', b'{"a":1,"a":2},', b"]]]")
LARGE = [
    pytest.param(
        ITEMS[item],
        OPENINGS[opening],
        fault,
        marks=pytest.mark.slow if number % 3 else (),
        id=f"{fault!r}-{opening}-{item}",
    )
    for number, (fault, opening, item) in enumerate(itertools.product(FAULTS, OPENINGS, ITEMS))
]
"""All combinations. The ordinary tests run with a third of them."""


@pytest.mark.thorough
@pytest.mark.parametrize(("item", "opening", "fault"), LARGE)
def test_stretches_of_a_large_text_with_one_fault_give_the_same_scan_as_its_tokens(
    item: bytes, opening: bytes, fault: bytes
) -> None:
    many = item * (16_000 // len(item))
    data = opening + many + fault + many
    fast, slow = scan.__wrapped__(data), scan_each_token(data)
    assert (repr(fast.value), fast.faults, fast.unread) == (repr(slow.value), slow.faults, slow.unread)
    value, prefix = fast.value, ()
    while isinstance(value, list | dict) and value:
        step = max(value) if isinstance(value, dict) else len(value) - 1
        for pointer in [prefix, (*prefix, step), *[(*prefix, number, "a") for number in (0, 1000, 2000, 3000)]]:
            assert fast.offset(pointer) == slow.offset(pointer)
            assert fast.cut(pointer) == slow.cut(pointer)
        prefix, value = (*prefix, step), value[step]


def test_properties_are_found_in_an_object_that_is_mostly_read_in_stretches() -> None:
    data = b"{" + b"".join(b'"k%d": %d,' % (n, n) for n in range(5000)) + b'"k7": 1, "k8": 2, "x": '
    fast, slow = scan.__wrapped__(data), scan_each_token(data)
    assert fast.faults == slow.faults
    assert [fault.rule for fault in fast.faults] == ["json-duplicate-key", "json-duplicate-key", "json-truncated"]
    for name in ("k0", "k7", "k8", "k900", "k4999", "none", "x"):
        assert fast.offset((name,), key=True) == slow.offset((name,), key=True)
        assert fast.offset((name,)) == slow.offset((name,))
