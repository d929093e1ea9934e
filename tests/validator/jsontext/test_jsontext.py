"""Test the scanner of JSON text: the faults and values that it finds, duplicate keys, and the offsets of values."""

import json
import random
from collections.abc import Iterator
from itertools import chain, repeat

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from isogloss.validator.jsontext import (
    MISSING,
    Fault,
    Scan,
    Walk,
    duplicate_keys,
    duplicates,
    scan,
    texts_with_duplicate_keys,
)
from isogloss.validator.jsontext.scanner import places
from isogloss.validator.text import Text

characters = st.characters(exclude_categories=["Cs"])
keys = st.one_of(st.sampled_from(["a", "b", "a:", ":", "\\", 'a"', "a\\", " ", ""]), st.text(characters, max_size=5))
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(characters, max_size=8),
    keys,
)
json_values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=4)),
    max_leaves=12,
)
styles = st.fixed_dictionaries(
    {
        "ensure_ascii": st.booleans(),
        "indent": st.sampled_from([None, 0, 2]),
        "separators": st.sampled_from([(",", ":"), (", ", ": "), (" ,\t", "\r\n: ")]),
    }
)


@st.composite
def json_texts(draw: st.DrawFn) -> bytes:
    return json.dumps(draw(json_values), **draw(styles)).encode()


def _written_as_object(members: list[tuple[str, bytes]]) -> bytes:
    return b"{%b}" % b",".join(b"%b:%b" % (json.dumps(key).encode(), text) for key, text in members)


texts_with_repeated_keys = st.recursive(
    json_texts(), lambda inner: st.lists(st.tuples(st.sampled_from("ab"), inner), max_size=3).map(_written_as_object)
)
"""Texts in which an object may have a key twice."""


@st.composite
def damaged_texts(draw: st.DrawFn) -> bytes:
    text = draw(json_texts())
    for _ in range(draw(st.integers(1, 3))):
        offset = draw(st.integers(0, len(text)))
        inserted = draw(
            st.one_of(st.binary(max_size=1), st.sampled_from([bytes([byte]) for byte in b'[]{},:"\\ 0-.eutn']))
        )
        text = text[:offset] + inserted + text[offset + draw(st.integers(0, 1)) :]
    return text


def broken_rules(data: bytes) -> list[str]:
    return [fault.rule for fault in scan(data).faults]


def pointers_and_values(
    value: object, pointer: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], object]]:
    yield pointer, value
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from pointers_and_values(inner, (*pointer, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from pointers_and_values(inner, (*pointer, index))


def reject_duplicate_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    properties = dict(pairs)
    if len(properties) < len(pairs):
        raise KeyError
    return properties


def has_duplicates(data: bytes) -> bool:
    try:
        json.loads(data, object_pairs_hook=reject_duplicate_keys)
    except KeyError:
        return True
    return False


@given(json_values, styles)
def test_scan_of_valid_json_gives_its_value_and_no_fault(value: object, style: dict[str, object]) -> None:
    found = scan(json.dumps(value, **style).encode())  # type: ignore[arg-type]
    assert found.value == value
    assert found.faults == []


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
    existing = [pointer for pointer, _ in pointers_and_values(scanned.value)]
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


def test_nesting_beyond_the_limit_is_a_fault_and_no_depth_overflows_the_stack() -> None:
    assert broken_rules(b"[" * 1024 + b"]" * 1024) == []
    assert broken_rules(b'{"a":' * 1025 + b"1" + b"}" * 1025) == ["json-too-deep"]
    assert scan(b"[" * 1025).faults == [Fault("json-too-deep", 1024, "more than 1024 containers are open here")]
    found = scan(b"[" * 100_000 + b"]" * 100_000, max_depth=100_000)
    assert found.faults == []
    assert found.offset((0,) * 99_999) == 99_999


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


def test_many_places_in_one_array_are_found_in_one_pass() -> None:
    found = scan(b"[" + b"1," * 20_000 + b"1]")
    assert [found.offset((index,)) for index in range(20_001)] == list(range(1, 40_002, 2))


def test_numbers_keep_their_type_and_precision() -> None:
    found = scan(b"[18446744073709551617, 1.0, -0, 1e2]")
    assert found.value == [18446744073709551617, 1.0, 0, 100.0]
    assert [type(number) for number in found.value] == [int, float, int, float]  # type: ignore[attr-defined]


@st.composite
def texts_with_repeated_keys(draw: st.DrawFn) -> bytes:
    style = draw(styles)

    def write(value: object) -> str:
        if isinstance(value, list):
            return "[" + ",".join(map(write, value)) + "]"
        if not isinstance(value, dict):
            literal = json.dumps(value, ensure_ascii=style["ensure_ascii"])
            return literal.replace(":", "\\u003a") if draw(st.integers(0, 5)) == 0 else literal
        properties = [
            f"{write(key)}{draw(st.sampled_from([':', ' : ']))}{write(inner)}" for key, inner in value.items()
        ]
        if properties and draw(st.integers(0, 3)) == 0:
            properties.append(draw(st.sampled_from(properties)))
        return "{" + ", ".join(properties) + "}"

    return write(draw(json_values)).encode()


@given(st.one_of(texts_with_repeated_keys(), json_texts()))
def test_duplicate_keys_are_detected_as_by_counting_them(data: bytes) -> None:
    assert duplicate_keys(data, orjson.loads(data)) == has_duplicates(data)


@pytest.mark.parametrize(
    "data",
    [
        rb'{"a\\":1,"a\\":2}',
        rb'{"a":"\u003ax","a":":x"}',
        rb'{"a":"\u0020:x","a":1,"b":"\u0020:x"}',
        rb'{"a":["\u003Ax"],"a":":","b":"\u003a"}',
    ],
)
def test_no_escape_hides_a_duplicate_key(data: bytes) -> None:
    assert duplicate_keys(data, orjson.loads(data))


def test_duplicate_keys_are_detected_in_text_too_deep_for_the_standard_library() -> None:
    deep = b"[" * 1020 + b'{"a":1,"%b":2}' + b"]" * 1020
    for key, expected in ((b"a", True), (b"b", False)):
        data = deep % key
        assert duplicate_keys(data, orjson.loads(data)) is expected


@given(st.lists(st.one_of(texts_with_repeated_keys(), json_texts()), max_size=8), st.sampled_from([1, 3, 100]))
def test_checking_texts_together_finds_each_text_with_duplicate_keys(texts: list[bytes], group: int) -> None:
    decoded = [orjson.loads(text) for text in texts]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(duplicates, "_GROUP", group)
        found = texts_with_duplicate_keys(texts, decoded)
    assert found == [number for number, text in enumerate(texts) if has_duplicates(text)]


@pytest.mark.parametrize("other", [rb'"\u003a"', b"1e6"])
def test_a_text_that_is_written_longer_does_not_hide_a_key_twice_in_another_one(other: bytes) -> None:
    """The first one is written with a colon that its text does not have, the second one with six more bytes."""
    texts = [b'{"a":1,"a":2}', other]
    assert texts_with_duplicate_keys(texts, [orjson.loads(text) for text in texts]) == [0]


def test_texts_of_the_greatest_depth_are_checked_together() -> None:
    deep = b"[" * 1022 + b'{"a":[1],"%b":2}' + b"]" * 1022
    texts = [deep % b"b", b"1", deep % b"a"]
    assert texts_with_duplicate_keys(texts, [orjson.loads(text) for text in texts]) == [2]


def test_scan_of_empty_text_gives_offset_zero() -> None:
    found: Scan = scan(b"")
    assert found.offset(("a", 0)) == 0
    assert found.string_segments(("a",)) == [(0, 0)]


def test_invalid_number_becomes_null_and_its_pointer_is_recorded() -> None:
    found = scan(b'{"a": [1, NaN], "b": {"c": 1e999, "d": -Infinity}, "e": null}')
    assert found.value == {"a": [1, None], "b": {"c": None, "d": None}, "e": None}
    assert found.unread == {("a", 1), ("b", "c"), ("b", "d")}


def test_duplicate_key_is_reported_where_it_stands_again() -> None:
    (fault,) = scan(b'{"a": {"b": 1}, "b": 2, "a": 3}').faults
    assert (fault.message, fault.offset) == ("the object has `a` twice", 24)


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


def test_whole_rest_of_a_text_is_searched_for_few_properties_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that few searches go to the end of the text: otherwise, the time would be quadratic in the records."""
    searched: list[object] = []
    search = Walk._jump
    monkeypatch.setattr(Walk, "_jump", lambda walk, held, step: searched.append(step) or search(walk, held, step))
    data = json.dumps([{"same": 1, f"own{number}": number} for number in range(1000)]).encode()
    walk = Walk(data)
    for number in range(1000):
        name = b'"own%d": ' % number
        assert walk.offset((number, f"own{number}"), known_steps=2) == data.index(name) + len(name)
    assert 0 < len(searched) < 10
