"""Test which values of a request break the restrictions of a dialect, and what is said about each."""

from __future__ import annotations

from typing import Any

import pytest
from dialect_examples import invented_dialect

from isogloss.validator.dialects.restrictions import hits

STREAMED = {"properties": {"stream": {"const": True}}, "required": ["stream"]}


@pytest.mark.parametrize(
    ("restriction", "request_", "messages"),
    [
        ({"schema": {"const": 1}}, {"n": 2}, ["Mu does not accept this value of `n`"]),
        ({"schema": {"const": 1}}, {"n": 1}, []),
        ({}, {"n": None}, []),
        ({"effect": "ignored"}, {"n": 2}, ["Mu ignores `n`"]),
        (
            {"when": STREAMED, "note": "of a stream."},
            {"n": 2, "stream": True},
            ["Mu does not accept `n` (of a stream)"],
        ),
        ({"when": STREAMED}, {"n": 2, "stream": True}, ["Mu does not accept `n`"]),
        ({"when": STREAMED}, {"n": 2}, []),
    ],
)
def test_a_value_breaks_a_restriction_that_concerns_the_request(
    restriction: dict[str, Any], request_: dict[str, Any], messages: list[str]
) -> None:
    mu = invented_dialect("mu", restrictions=[{"at": "n", "effect": "rejected", "source": "known", **restriction}])
    assert [hit.message for hit in hits(mu, request_)] == messages
