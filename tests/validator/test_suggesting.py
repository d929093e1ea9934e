"""What may have been meant by a name that is not known."""

from __future__ import annotations

import pytest

from isogloss.validator.suggesting import closest, misspelt

KNOWN = ["temperature", "top_p", "finish_reason", "tool_calls", "content", "prompt_tokens", "reasoning_effort"]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("temprature", "temperature"),
        ("temperautre", "temperature"),
        ("finish_reson", "finish_reason"),
        ("toolCalls", "tool_calls"),
        ("prompt-tokens", "prompt_tokens"),
    ],
)
def test_a_slip_in_a_payload_is_told_from_another_word(name: str, meant: str) -> None:
    assert misspelt(name, KNOWN) == meant


@pytest.mark.parametrize(
    "name", ["reasoning_content", "reasoning_format", "top_k", "prompt_cache_hit_tokens", "x_groq", "", "n"]
)
def test_another_word_is_no_slip(name: str) -> None:
    assert misspelt(name, KNOWN) is None


def test_the_closest_name_is_found_for_people_who_type() -> None:
    assert closest("contet", KNOWN) == "content"
    assert closest("xyz", KNOWN) is None
