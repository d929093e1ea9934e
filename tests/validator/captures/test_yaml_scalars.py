"""Tests of the segments of quoted YAML scalars: the fast way by escapes gives the same ones as the general way."""

from __future__ import annotations

from unittest.mock import patch

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from isogloss.validator.captures.yaml import scalars as yaml_scalars
from isogloss.validator.captures.yaml.scalars import scalar_segments
from isogloss.validator.text import Text

_PARTS = (
    "a", "ä", "\U0001f600", "word", " ", "  ", "\t", "\n", "\n  ", " \n", "\n\n", "\\\n", "\\\n  ", "\\\n\n  ", "\\n",
    "\\t", '\\"', "\\\\", "\\x41", "\\u00e4", "\\U0001F600", "\\L", "\\_", "\\ ", "''", "{", "\\e", "\\0",
    "\r\n", "\\\r\n ",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(_PARTS), max_size=14).map("".join)


@given(TEXTS, st.sampled_from("'\""))
@example("\\\r\n ", '"')
def test_the_fast_and_the_general_way_give_the_same_segments(text: str, quote: str) -> None:
    source = f"{quote}{text}{quote}"
    try:
        value = yaml.load(source, Loader=yaml.CSafeLoader)
    except yaml.YAMLError:
        return
    if not isinstance(value, str):
        return
    fast = scalar_segments(source.encode(), value.encode())
    with patch.object(yaml_scalars, "_quoted", lambda *_: None):
        general = scalar_segments(source.encode(), value.encode())
    assert (fast and [*fast]) == (general and [*general])


@pytest.mark.parametrize("value", [b"ab c", b"abx", b"abcd", b"Abc"])
def test_a_scalar_with_another_value_has_no_segments(value: bytes) -> None:
    assert scalar_segments(b'"ab\\x63"', value) is None


def test_an_apostrophe_in_a_plain_scalar_is_a_character_as_others() -> None:
    written = b"it's what 'a\n  server' said"
    value = b"it's what 'a server' said"
    segments = scalar_segments(written, value)
    assert segments is not None
    place = Text.derived(value, Text(written), segments).place
    assert [place(value.index(part)) for part in (b"'s", b"'a", b"server", b"' said")] == [
        (1, 3),
        (1, 11),
        (2, 3),
        (2, 9),
    ]
