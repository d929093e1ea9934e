"""Test that a reference is resolved to its value, or raises ``LookupError``."""

from __future__ import annotations

import pytest

from isogloss.schemas.references import resolve, steps

DOCUMENT = {"$defs": {"a/b": 1, "a~b": 2, "a b": 3, "": 4, "list": [5, {"x": 6}]}}


@pytest.mark.parametrize(
    ("reference", "value"),
    [
        ("#", DOCUMENT),
        ("#/$defs/a~1b", 1),
        ("#/$defs/a~0b", 2),
        ("#/$defs/a%20b", 3),
        ("#/$defs/", 4),
        ("#/$defs/list/1/x", 6),
    ],
)
def test_a_reference_is_resolved_to_its_value(reference: str, value: object) -> None:
    assert resolve(DOCUMENT, reference) == value


@pytest.mark.parametrize(
    "reference", ["#/no", "#/$defs/list/2", "#/$defs/list/-1", "#/$defs/list/x", "#/$defs/list/0/x"]
)
def test_a_reference_to_nothing_raises(reference: str) -> None:
    with pytest.raises(LookupError):
        resolve(DOCUMENT, reference)


def test_the_steps_of_a_reference_are_those_of_its_pointer() -> None:
    assert steps("#/$defs/a~1b/items") == ("$defs", "a/b", "items")
    assert steps("#") == ()
