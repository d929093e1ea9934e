"""Test the findings for violations of the schema: their pointers and messages."""

from __future__ import annotations

import json
from typing import Any

import pytest

from isogloss.validator import check


def test_name_that_is_too_long_is_reported_with_its_pointer_and_length() -> None:
    metadata = {"short": "v", "k" * 70: "v"}
    request: dict[str, Any] = {
        "model": "gpt-4o", "messages": [{"role": "user", "content": "hi"}], "metadata": metadata,
    }  # fmt: skip
    result = check(json.dumps(request), kind="request")
    (finding,) = [finding for finding in result.findings if finding.rule == "wrong-length"]
    assert finding.message == "a name of 70 characters where the reference allows at most 64"
    assert finding.pointer == f"/metadata/{'k' * 70}"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"temperature": 3}, "3 where the reference allows at most 2"),
        ({"n": 0}, "0 where the reference allows at least 1"),
        ({"stop": ["a"] * 5}, "5 items where the reference allows at most 4"),
        ({"temperature": "hot"}, "a string where the reference has a number or null"),
        ({"model": None}, "null where the reference has a string"),
        ({"modalities": ["video"]}, '"video" is not one of "text" or "audio"'),
        ({"prediction": {"type": "text", "content": "a"}}, '"text" is not "content"'),
    ],
)
def test_message_says_what_the_reference_allows_in_place_of_the_value(changes: dict[str, Any], message: str) -> None:
    request = {"model": "gpt-4o", "messages": [{"role": "user", "content": "hi"}]} | changes
    assert [finding.message for finding in check(json.dumps(request), kind="request").findings] == [message]
