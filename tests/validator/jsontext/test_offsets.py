"""Test the offsets of values and keys in a JSON text: as the scan finds them, and as a walk to one pointer does."""

import json
import random
from itertools import chain, repeat

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from json_texts import damaged_texts, json_texts, pointers, pointers_and_values

from isogloss.validator.jsontext import (
    MISSING,
    Scan,
    Walk,
    scan,
)
from isogloss.validator.jsontext import walk as walk_module
from isogloss.validator.jsontext.scanner import places
from isogloss.validator.jsontext.spelling import Spelling
from isogloss.validator.searching import holds_any
from isogloss.validator.text import Text


@given(json_texts())
def test_offset_of_every_value_and_key_is_that_of_its_text(data: bytes) -> None:
    text, found = data.decode(), scan(data)
    decoder = json.JSONDecoder()
    for pointer, value in pointers_and_values(found.value):
        at = len(data[: found.offset(pointer)].decode())
        assert decoder.raw_decode(text, at)[0] == value
        if pointer and isinstance(pointer[-1], str):
            at = len(data[: found.offset(pointer, key=True)].decode())
            assert decoder.raw_decode(text, at)[0] == pointer[-1]
        elif pointer:
            assert found.offset(pointer, key=True) == found.offset(pointer)


@given(json_texts() | damaged_texts())
def test_places_gives_the_same_offsets_as_the_scan(data: bytes) -> None:
    scanned = scan(data)
    located = places(data, sound=not scanned.faults)
    for pointer, value in pointers_and_values(scanned.value if scanned.value is not MISSING else None):
        assert located.offset(pointer) == scanned.offset(pointer)
        assert located.offset(pointer, key=True) == scanned.offset(pointer, key=True)
        assert located.offset((*pointer, "absent")) == scanned.offset((*pointer, "absent"))
        assert located.string_segments(pointer) == scanned.string_segments(pointer)
        if isinstance(value, str):
            decoded = value.encode("utf-8", "surrogatepass")
            parent = Text(data)
            by_segments = Text.derived(decoded, parent, scanned.string_segments(pointer))
            spelled = Text.spelled(decoded, parent, lambda: located.spelling(pointer, decoded).offset)  # noqa: B023
            offsets = [len(value[:end].encode("utf-8", "surrogatepass")) for end in range(len(value) + 1)]
            for offset in (*offsets, *reversed(offsets)):
                assert spelled.place(offset) == by_segments.place(offset)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "data",
    [
        b'["' + b"\\n" * 50_000 + b'"]',
        b'["' + b"\\\\" * 50_000 + b'"]',
        b"[" + b'"",' * 50_000 + b"1]",
        b"[" + b'{"a" :[]},' * 50_000 + b"1]",
        b"[" + b" " * 100_000 + b"1]",
        b"[" * 1024 + b"]" * 1024,
    ],
)
def test_places_of_valid_json_are_found_in_linear_time(data: bytes) -> None:
    assert not scan(data).faults
    assert places(data, sound=True).offset((0,)) == scan(data).offset((0,))


few_names = st.recursive(
    st.sampled_from(["a", "b", '"a', 1, []]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2), st.dictionaries(st.sampled_from(["a", "b", '"a']), inner, min_size=1)
    ),
    max_leaves=6,
)


@given(st.one_of(few_names.map(lambda value: json.dumps(value).encode()), json_texts()),
       st.lists(st.booleans(), max_size=6), st.randoms())  # fmt: skip
@example(b'{"b": {"a": 1}, "a": 2}', [], random.Random(0))
@example(b'{"b": {"a": 1}, "a": 2}', [False, True], random.Random(0))
@example(rb'{"\"a": 1, "b": {"a": 2}}', [], random.Random(0))
@example(rb'{"b": {"a": 2}, "\"a": "\"a"}', [], random.Random(0))
def test_existing_value_is_found_even_if_its_key_is_escaped(
    text: bytes, escaped: list[bool], rng: random.Random
) -> None:
    first, *rest = text.split(b'"a"')
    data = first + b"".join(
        (rb'"\u0061"' if escape else b'"a"') + part
        for part, escape in zip(rest, chain(escaped, repeat(False)))  # noqa: B905
    )
    scanned = scan(data)
    existing = pointers(scanned.value)
    rng.shuffle(existing)
    shared = places(data, sound=True)
    for pointer in existing:
        for located in (shared, places(data, sound=True)):
            assert located.offset(pointer, known_steps=len(pointer)) == scanned.offset(pointer)
            assert located.offset(pointer, key=True) == scanned.offset(pointer, key=True)


@given(json_texts())
def test_the_span_of_a_container_is_its_text(data: bytes) -> None:
    located = Walk(data)
    for pointer, value in pointers_and_values(scan(data).value):
        if isinstance(value, dict | list):
            start, end = located.span(pointer)
            assert json.loads(data[start:end]) == value


@given(st.lists(st.tuples(st.integers(0, 60), st.sampled_from(['"]"', '"\\\\"', "1", '"[{"'])), min_size=1, max_size=5))
def test_item_after_deeply_nested_containers_is_found(levels: list[tuple[int, str]]) -> None:
    deep = [b"[" * depth + b'{"a":' * depth + leaf.encode() + b"}" * depth + b"]" * depth for depth, leaf in levels]
    data = b"[" + b", ".join(deep * 40) + b"]"
    located, scanned = places(data, sound=True), scan(data)
    for index in (0, len(deep), 40 * len(deep) - 1):
        assert located.offset((index,)) == scanned.offset((index,))


@given(json_texts())
def test_every_character_of_a_string_is_mapped_to_its_place_in_the_text(data: bytes) -> None:
    found = scan(data)
    for pointer, value in pointers_and_values(found.value):
        if not isinstance(value, str):
            continue
        segments = found.string_segments(pointer)
        decoded = value.encode()
        place = Text.derived(decoded, Text(data), segments).place
        source, at = data.decode(), len(data[: found.offset(pointer)].decode()) + 1
        offset = 0
        for character in value:
            # The character is written as the shortest piece of the source that decodes to it.
            size = next(n for n in range(1, 13) if _decode_piece(source[at : at + n]) == character)
            assert place(offset) == Text(data).place(len(source[:at].encode()))
            at += size
            offset += len(character.encode())


def _decode_piece(piece: str) -> object:
    try:
        return orjson.loads(f'"{piece}"')
    except ValueError:
        return None


@given(st.one_of(damaged_texts(), st.binary(max_size=30)))
def test_offsets_in_damaged_text_are_those_of_the_recovered_values(data: bytes) -> None:
    found = scan(data)
    first_bytes = {
        dict: b"{",
        list: b"[",
        str: b'"',
        bool: b"tf",
        type(None): b"nNI-+.0123456789",
    }  # also in place of a number that is not valid JSON
    if found.value is MISSING:
        assert 0 <= found.offset(()) <= len(data)
        return
    for pointer, value in pointers_and_values(found.value):
        offset = found.offset(pointer)
        assert data[offset] in first_bytes.get(type(value), b"-+.0123456789NI")
        assert all(0 <= source_offset <= len(data) for _, source_offset in found.string_segments(pointer))


def test_offset_of_a_duplicate_key_is_that_of_its_last_occurrence() -> None:
    found = scan(b'{"a":[1],"a":[2,3]}')
    assert found.offset(("a",), key=True) == 9
    assert found.offset(("a", 1)) == 16


def test_missing_value_has_the_offset_of_the_deepest_container_that_exists() -> None:
    found = scan(b'{"a":[{"b":1}]}')
    assert found.offset(("a", 0, "c"), key=True) == 6
    assert found.offset(("a", 7, "c")) == 5
    assert found.offset(("a", "0")) == 5
    assert found.offset(("x", 1)) == 0
    assert found.string_segments(("a", 0, "c")) == [(0, 6)]


def test_value_that_was_not_recovered_does_not_shift_the_offsets_of_others() -> None:
    found = scan(b'[1,,{"a":,"b":2}]')
    assert found.offset((1,)) == 4
    assert found.offset((1, "b")) == 14


def test_empty_string_is_mapped_to_the_place_between_its_quotes() -> None:
    assert scan(b'["a", ""]').string_segments((1,)) == [(0, 7)]


def test_many_places_in_one_array_are_found_in_one_pass() -> None:
    found = scan(b"[" + b"1," * 20_000 + b"1]")
    assert [found.offset((index,)) for index in range(20_001)] == list(range(1, 40_002, 2))


def test_scan_of_empty_text_gives_offset_zero() -> None:
    found: Scan = scan(b"")
    assert found.offset(("a", 0)) == 0
    assert found.string_segments(("a",)) == [(0, 0)]


def test_looking_up_a_missing_property_of_a_large_object_does_not_disturb_later_lookups() -> None:
    data = b'{"first": {%s, "last": 7}}' % b", ".join(b'"k%d": %d' % (number, number) for number in range(3000))
    walk = Walk(data)
    assert walk.offset(("first", "missing")) == data.index(b'{"k0')
    assert walk.offset(("first", "last")) == data.index(b"7}}")
    assert walk.offset(("first", "k2999")) == data.index(b"2999,")
    escaped = Walk(data.replace(b'"last"', b'"la\\u0073t"'))
    assert escaped.offset(("first", "last")) == data.index(b"7}}") + 5


def test_deep_container_is_skipped_in_a_text_with_escaped_quotes() -> None:
    deep = b"[" * 20 + b"]" * 20
    data = rb'{"quoted": "\"", "known": {"deep": %b, "quoted": "\"", "last": 7}}' % deep
    assert Walk(data).offset(("known", "last"), known_steps=1) == data.index(b"7}}")


def test_whole_text_is_searched_for_few_names_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that few searches go to the end of the text: otherwise, the time would be quadratic in the records."""
    to_the_end: list[bytes] = []

    def counted(data: bytes, *needles: bytes, start: int = 0) -> bool:
        found = holds_any(data, *needles, start=start)
        to_the_end.extend(() if found else needles)
        return found

    monkeypatch.setattr(walk_module, "holds_any", counted)
    data = json.dumps([{"same": 1, f"own{number}": number} for number in range(1000)]).encode()
    walk = Walk(data)
    for number in range(1000):
        name = b'"own%d": ' % number
        assert walk.offset((number, f"own{number}"), known_steps=2) == data.index(name) + len(name)
    assert 0 < len(to_the_end) < 10


def test_name_that_is_an_escaped_key_elsewhere_is_not_searched_for() -> None:
    ascii_key = rb'{"\u0062": 1, "last": {"b": 2}}'
    other_key = rb'{"\u4eac": 1, "last": {"%b": 2}}' % "京".encode()
    for data, name in ((ascii_key, "b"), (other_key, "京")):
        assert Walk(data).offset((name,), known_steps=1) == data.index(b"1,")
        assert Walk(data).offset(("last", name), known_steps=2) == data.index(b"2}")


@pytest.mark.parametrize("sound", [True, False])
@pytest.mark.parametrize("written", [r"a\/b c", r"\u0061/b c", r"a/\u0062\u0020c", "a/b c"])
def test_offset_in_a_string_is_found_however_its_characters_are_escaped(written: str, *, sound: bool) -> None:
    text = f'"{written}"'.encode()
    spelling = Spelling(text, 1, b"a/b c", sound=sound)
    for decoded, part in ((4, "c"), (5, '"')):
        assert spelling.offset(decoded) == text.rindex(part.encode())
    assert spelling.offset(0) == 1
