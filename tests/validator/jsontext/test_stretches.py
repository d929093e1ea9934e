"""What is decoded at once is what is read one by one: the same value, faults and places."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.validator.jsontext import Scan, regular, scan, stretches

WAIT, SIZE = "PATIENCE", "SMALLEST"
_NEVER = 1 << 60


def one_by_one(data: bytes) -> Scan:
    with patch.object(regular, WAIT, _NEVER):
        return scan.__wrapped__(data)


def at_once(data: bytes, *, size: int) -> Scan:
    """Return the scan of the data that tries a stretch of that size after every comma."""
    with (
        patch.object(regular, WAIT, 0),
        patch.object(regular, SIZE, size),
        patch.object(regular, "LEAST", 1),
        patch.object(stretches, "LEAST", 1),
    ):
        return scan.__wrapped__(data)


def pointers(value: object, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield at
    yield (*at, "none")
    yield (*at, 99, 0)
    if isinstance(value, dict):
        for key, member in value.items():
            yield from pointers(member, (*at, key))
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from pointers(member, (*at, index))


def described(read: Scan) -> object:
    places = [
        (
            at, read.offset(at), read.offset(at, key=True), [*read.string_segments(at)], read.cut(at),
        )
        for at in pointers(read.value)
    ]  # fmt: skip
    return repr(read.value), read.faults, sorted(read.unread, key=repr), places


keys = st.sampled_from(["a", "b", "c", "", ":", ",", 'a"', "\\", "日本", "]"]) | st.text(max_size=3)
scalars = st.sampled_from([
    "1", "-0", "-0.0", "1.5e3", "18446744073709551616", "-9223372036854775809", "9223372036854775807", "null", "true",
    '"a"', '""', '"\\u003a"', '"\\ud83d\\ude00"', '"日本"', '"\\\\"', '"a\\"b,["', "[]", "{}", " [ ] ",
    "0.12345678901234567890123", "1E25",
])  # fmt: skip
damaged = st.sampled_from([
    "NaN", "-Infinity", "1e999", "01", '"\\ud800"', '"\x01"', '"\\q"', "nul", "", "1 2", "[1,]", '{"a":1,}', '{"a"}',
    "]", "}", "[", "{", '"', '{"a":}', "[1:2]", ":",
])  # fmt: skip


def _object(members: list[tuple[str, str]]) -> str:
    return "{" + ",".join(f"{json.dumps(key)}: {value}" for key, value in members) + "}"


def _values(leaves: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.recursive(
        leaves,
        lambda inner: (
            st.lists(inner, max_size=8).map(lambda items: f"[{','.join(items)}]")
            | st.lists(st.tuples(keys, inner), max_size=6).map(_object)
        ),
        max_leaves=40,
    )


texts = _values(st.integers(0, 5).flatmap(lambda number: scalars if number else damaged))


@given(texts, st.sampled_from([8, 20, 60, 1 << 12]), st.integers(0, 400))
def test_a_damaged_text_is_read_as_it_is_read_one_by_one(text: str, size: int, cut: int) -> None:
    data = text.encode()[:-cut] if cut else text.encode()
    assert described(at_once(data, size=size)) == described(one_by_one(data))


@given(texts, st.binary(max_size=2), st.integers(0, 400), st.sampled_from([8, 60, 1 << 12]))
def test_a_text_with_any_bytes_in_it_is_read_as_it_is_read_one_by_one(
    text: str, new: bytes, at: int, size: int
) -> None:
    data = text.encode()
    data = data[:at] + new + data[at:]
    assert described(at_once(data, size=size)) == described(one_by_one(data))


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
"""All combinations; the ordinary tests try a third."""


@pytest.mark.thorough
@pytest.mark.parametrize(("item", "opening", "fault"), LARGE)
def test_a_large_text_with_one_fault_is_read_as_it_is_read_one_by_one(
    item: bytes, opening: bytes, fault: bytes
) -> None:
    many = item * (16_000 // len(item))
    data = opening + many + fault + many
    read, slow = scan.__wrapped__(data), one_by_one(data)
    assert (repr(read.value), read.faults, read.unread) == (repr(slow.value), slow.faults, slow.unread)
    value, at = read.value, ()
    while isinstance(value, list | dict) and value:
        step = max(value) if isinstance(value, dict) else len(value) - 1
        for pointer in [at, (*at, step), *[(*at, number, "a") for number in (0, 1000, 2000, 3000)]]:
            assert read.offset(pointer) == slow.offset(pointer)
            assert read.cut(pointer) == slow.cut(pointer)
        at, value = (*at, step), value[step]


def test_properties_are_found_in_an_object_of_which_most_was_read_at_once() -> None:
    data = b"{" + b"".join(b'"k%d": %d,' % (n, n) for n in range(5000)) + b'"k7": 1, "k8": 2, "x": '
    read, slow = scan.__wrapped__(data), one_by_one(data)
    assert read.faults == slow.faults
    assert [fault.rule for fault in read.faults] == ["json-duplicate-key", "json-duplicate-key", "json-truncated"]
    for name in ("k0", "k7", "k8", "k900", "k4999", "none", "x"):
        assert read.offset((name,), key=True) == slow.offset((name,), key=True)
        assert read.offset((name,)) == slow.offset((name,))
