"""Test which known name is suggested in place of an unknown one."""

from __future__ import annotations

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.validator.suggesting import closest, hint, misspelt

KNOWN = ["temperature", "top_p", "finish_reason", "tool_calls", "content", "prompt_tokens", "reasoning_effort"]


@pytest.mark.parametrize(
    ("name", "intended"),
    [
        ("temprature", "temperature"),
        ("temperautre", "temperature"),
        ("finish_reson", "finish_reason"),
        ("toolCalls", "tool_calls"),
        ("prompt-tokens", "prompt_tokens"),
    ],
)
def test_misspelt_name_in_a_payload_is_recognised(name: str, intended: str) -> None:
    assert misspelt(name, KNOWN) == intended


@pytest.mark.parametrize(
    "name", ["reasoning_content", "reasoning_format", "top_k", "prompt_cache_hit_tokens", "x_groq", "", "n"]
)
def test_another_word_is_not_misspelt(name: str) -> None:
    assert misspelt(name, KNOWN) is None


def test_closest_name_is_found_for_a_typing_error() -> None:
    assert closest("contet", KNOWN) == "content"
    assert closest("xyz", KNOWN) is None


@pytest.mark.parametrize(
    ("name", "meant"),
    [("olama", "ollama"), ("gork", "grok"), ("Together-AI", "together"), ("openai", "openai-node"), ("lambda", None),
     ("nim", None), ("cohere", None), ("bard", None), ("x", None)],
)  # fmt: skip
def test_a_hint_names_a_slip_or_a_longer_name_and_no_other_vendor(name: str, meant: str | None) -> None:
    known = ("ollama", "grok", "together", "openai-node", "ibm", "cortex", "baidu", "xai", "mistral")
    assert hint(name, known, see="the list") == (f"did you mean {meant!r}?" if meant else "see: the list")


@given(
    st.text("abcde_", max_size=12),
    st.lists(st.text("abcde-", max_size=12), max_size=6),
    st.sampled_from([0.5, 0.65, 0.75, 0.85]),
)
def test_the_closest_name_is_the_one_that_difflib_finds_among_all(name: str, known: list[str], likeness: float) -> None:
    by_letters = {one.replace("-", ""): one for one in known}
    near = difflib.get_close_matches(name.replace("_", ""), list(by_letters), n=1, cutoff=likeness)
    assert closest(name, known, likeness) == (by_letters[near[0]] if near else None)
