"""Test the form of a value, which decides whether a case is evidence on a finding."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.validator.impact.evidence import WHOLE, form_of
from isogloss.validator.pointer import ABSENT

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)
TYPES = {"null", "boolean", "integer", "number", "string", "array", "object"}


@pytest.mark.parametrize(
    ("value", "form"),
    [
        (ABSENT, "absent"),
        (None, "null"),
        ("", "empty string"),
        ("stop", "string"),
        ([], "empty array"),
        ([""], "array"),
        ({}, "empty object"),
        ({"a": None}, "object"),
        (0, "integer"),
        (0.0, "number"),
        (False, "boolean"),
    ],
)
def test_absent_null_empty_and_each_type_are_different_forms(value: object, form: str) -> None:
    assert form_of(value, "choices[].message.content") == form


@given(JSON)
def test_form_depends_only_on_the_type_and_on_emptiness(value: object) -> None:
    form = form_of(value, "id")
    assert form.removeprefix("empty ") in TYPES
    assert form.startswith("empty ") == (value in ("", [], {}) and isinstance(value, str | list | dict))


@given(JSON | st.just(ABSENT))
def test_value_without_a_path_has_the_form_whole(value: object) -> None:
    assert form_of(value, "") == WHOLE
