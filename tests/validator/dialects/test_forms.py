"""Test that the forms of a value are those of all fingerprints that accept it, though not all of them are asked."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_values import values

from isogloss.validator.dialects.model import Fingerprint, dialects
from isogloss.validator.dialects.payload_features import PayloadFeatures

DIALECTS = tuple(dialects())
FINGERPRINTS = [one for dialect in DIALECTS for one in dialect.fingerprints if "completion" in one.kinds]
SAMPLES = [value for one in FINGERPRINTS for value in values(one.schema)]
AT_ID = [one for one in FINGERPRINTS if one.at == "id" and one.decides]


def _fingerprint(schema: dict[str, Any]) -> Fingerprint:
    return Fingerprint(at="id", confidence="recorded", schema=schema, kinds=frozenset({"completion"}))


def _forms(value: object) -> frozenset[int]:
    """Return the numbers of the fingerprints that an id satisfies."""
    features = PayloadFeatures(DIALECTS)
    satisfied = dict(features.of([("completion", {"id": value})]).forms)["completion", "id"]
    assert satisfied == {features.numbers[one] for one in AT_ID if one.accepts(value)}
    return satisfied


@pytest.mark.parametrize("value", [None, True, 7, [], {}, "", "c", "chatcmpl", "chatcmpl-", "gen-1"], ids=repr)
def test_any_value_has_the_forms_that_accept_it(value: object) -> None:
    _forms(value)


def test_the_samples_of_each_form_have_it() -> None:
    assert all(map(_forms, {value for one in AT_ID for value in values(one.schema)}))


@given(st.sampled_from(SAMPLES), st.sampled_from(["", "x", "chatcmpl-"]), st.integers(0, 40))
def test_a_value_that_is_nearly_a_sample_has_the_forms_that_accept_it(sample: Any, before: str, length: int) -> None:
    _forms(before + sample[:length] if isinstance(sample, str) else sample)


@given(st.sampled_from(FINGERPRINTS), st.sampled_from(SAMPLES))
def test_a_form_accepts_only_values_with_its_beginning(fingerprint: Fingerprint, sample: Any) -> None:
    has_beginning = isinstance(sample, str) and sample.startswith(fingerprint.beginning)
    assert has_beginning or not fingerprint.beginning or not fingerprint.accepts(sample)


@pytest.mark.parametrize(
    ("schema", "beginning"),
    [
        ({"type": "string", "pattern": "^gen-[0-9]{10}$"}, "gen-"),
        ({"type": "string", "pattern": "^chatcmpl-A1$"}, "chatcmpl-A1"),
        ({"type": "string", "pattern": "^functions\\.[a-z]+$"}, "functions"),
        ({"type": "string", "pattern": "^call_-?[0-9]+$"}, "call_"),
        ({"type": "string", "pattern": "^ab*$"}, "a"),
        ({"type": "string", "pattern": "^ab{0,1}$"}, "a"),
        ({"type": "string", "pattern": "^ab+$"}, "ab"),
        ({"type": "string", "pattern": "^(a|b)c"}, ""),
        ({"type": "string", "pattern": "^ab|cd"}, ""),
        ({"type": "string", "pattern": "ab$"}, ""),
        ({"type": "string", "pattern": "^$"}, ""),
        ({"type": "string", "pattern": "^"}, ""),
        ({"type": "string"}, ""),
        ({"pattern": "^ab"}, ""),
        ({"type": ["string", "null"], "pattern": "^ab"}, ""),
        ({"const": "cmpl"}, "cmpl"),
        ({"const": 1}, ""),
        ({"enum": ["a", "b"]}, ""),
    ],
)
def test_the_beginning_of_a_form_is_the_text_before_the_first_special_character(
    schema: dict[str, Any], beginning: str
) -> None:
    assert _fingerprint(schema).beginning == beginning
