"""Generated JSON texts: sound ones in several styles, and damaged ones; and what stands in them."""

import json
from collections.abc import Iterator

from hypothesis import strategies as st

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


def pointers_and_values(
    value: object, pointer: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], object]]:
    """Yield the pointer of a value and of each value in it, in their order, with these values."""
    yield pointer, value
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in parts:
        yield from pointers_and_values(inner, (*pointer, step))


def pointers(value: object) -> list[tuple[str | int, ...]]:
    return [pointer for pointer, _ in pointers_and_values(value)]


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
