"""Test excerpts: they show structure and keys, mark the place, and never show the content of strings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.validator.excerpts import Excerpt, Names, excerpt_of_text, excerpt_of_value

ANSWER: dict[str, Any] = {
    "id": "chatcmpl-1",
    "created": "17",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Secret"}, "finish_reason": "eos"}],
}


def marked(excerpt: Excerpt | None) -> str:
    assert excerpt is not None
    return excerpt.text[excerpt.start : excerpt.end]


@pytest.mark.parametrize(
    ("pointer", "text", "marked_text"),
    [
        (("created",), '{"id": "…", "created": "…", "choices": […]}', '"created": "…"'),
        (("choices", 0, "finish_reason"), '"choices"[0]: {"index": 0, "message": {…}, "finish_reason": "eos"}',
         '"finish_reason": "eos"'),
        (("choices", 0, "message", "refusal"), '"message": {"role": "assistant", "content": "…"}',
         '{"role": "assistant", "content": "…"}'),
        (("choices", 0), '"choices"[0]: {"index": 0, "message": {…}, "finish_reason": "eos"}',
         '{"index": 0, "message": {…}, "finish_reason": "eos"}'),
        ((), '{"id": "…", "created": "…", "choices": […]}', '{"id": "…", "created": "…", "choices": […]}'),
    ],
)  # fmt: skip
def test_excerpt_is_the_object_around_the_place(pointer: tuple[str | int, ...], text: str, marked_text: str) -> None:
    excerpt = excerpt_of_value(ANSWER, pointer)
    assert excerpt.text == text
    assert marked(excerpt) == marked_text


def test_excerpt_can_mark_only_the_name_of_a_property() -> None:
    assert marked(excerpt_of_value(ANSWER, ("created",), key=True)) == '"created"'


def test_excerpt_of_many_properties_shows_those_near_the_place() -> None:
    excerpt = excerpt_of_value({f"p{number}": number for number in range(50)}, ("p25",))
    assert excerpt.text.startswith('{…, "p21": 21, ')
    assert excerpt.text.endswith('"p29": 29, …}')


def test_excerpt_of_a_text_that_is_no_json_shows_its_structure() -> None:
    text = b'first\ndata: {"a": "Secret", "b": [1, 2,], "c": oops}'
    excerpt = excerpt_of_text(text, text.index(b",]"))
    assert excerpt is not None
    assert excerpt.text == 'data: {"a": "…", "b": [1, 2,], "c": …}'
    assert marked(excerpt) == ","
    truncated = excerpt_of_text(b'{"a": "Sec', 10)
    assert truncated is not None
    assert (truncated.text, marked(truncated)) == ('{"a": "… ', " ")
    assert excerpt_of_text(b"<html>Secret</html>", 3) is None


_SECRET = "Zq9Secret"
_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.just(_SECRET), st.text(max_size=5).map(_SECRET.__add__)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["role", "type", "content", "object", "a b", "\x1b[2J"]), inner, max_size=4),
    ),
    max_leaves=12,
)


@given(_JSON, st.lists(st.sampled_from(["role", "type", "content", "a b", 0, 1]), max_size=4).map(tuple), st.booleans())
def test_no_excerpt_shows_the_content_of_a_string(value: Any, pointer: tuple[str | int, ...], key: bool) -> None:
    excerpt = excerpt_of_value(value, pointer, key=key)
    assert _SECRET not in excerpt.text
    assert excerpt.text.isprintable()
    assert 0 <= excerpt.start < excerpt.end <= len(excerpt.text)


@given(_JSON, st.integers(0, 200), st.integers(0, 200))
def test_no_excerpt_of_a_truncated_text_shows_the_content_of_a_string(value: Any, end: int, offset: int) -> None:
    data = ("data: " + json.dumps({"x": value}, ensure_ascii=False)).encode()[: max(end, 8)]
    excerpt = excerpt_of_text(data, min(offset, len(data)))
    if excerpt is not None:
        assert "Zq9" not in excerpt.text.replace('"Zq9', "")
        assert _SECRET not in excerpt.text
        assert excerpt.text.isprintable()
        assert 0 <= excerpt.start < excerpt.end <= len(excerpt.text)


class _CountedObject(dict[str, object]):
    """An object that counts how often its names are looked through."""

    passes = 0

    def __iter__(self) -> Iterator[str]:
        self.passes += 1
        return super().__iter__()


@pytest.mark.thorough
def test_the_names_of_a_large_object_are_looked_through_once_for_all_its_excerpts() -> None:
    large, names = _CountedObject((f"p{number}", number) for number in range(1000)), Names()
    for number in range(1000):
        excerpt = excerpt_of_value(large, (f"p{number}",), names=names)
        assert excerpt == excerpt_of_value(dict(large), (f"p{number}",))
        assert marked(excerpt) == f'"p{number}": {number}'
    assert large.passes < 10
