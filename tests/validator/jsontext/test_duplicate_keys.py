"""Test that duplicate keys are detected: in one text, and in several that are searched together."""

import json

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_texts import has_duplicates, json_texts, json_values, styles

from isogloss.validator.jsontext import (
    duplicate_keys,
    duplicates,
    repeats,
    texts_with_duplicate_keys,
)


@st.composite
def texts_that_may_repeat_a_key(draw: st.DrawFn) -> bytes:
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


@given(st.one_of(texts_that_may_repeat_a_key(), json_texts()))
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


@given(
    st.lists(st.one_of(texts_that_may_repeat_a_key(), json_texts()), max_size=8),
    st.sampled_from([1, 3, 100]),
    st.sampled_from([0, 2, 4096]),
)
def test_checking_texts_together_finds_each_text_with_duplicate_keys(texts: list[bytes], group: int, long: int) -> None:
    decoded = [orjson.loads(text) for text in texts]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(duplicates, "_GROUP", group)
        patch.setattr(repeats, "_LONG", long)
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


def test_a_key_beside_a_long_text_of_colons_is_found_twice() -> None:
    stream = json.dumps(10_000 * 'data: {"a":{"b":":"}}\n\n')
    texts = [f'{{"sse": {stream}, "a": 1, "{name}": 2}}'.encode() for name in ("a", "b", "sse")]
    assert texts_with_duplicate_keys(texts, [orjson.loads(text) for text in texts]) == [0, 2]
