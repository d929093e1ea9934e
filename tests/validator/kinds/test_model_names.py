"""Test which names of models are those of one model."""

from __future__ import annotations

import pytest

from isogloss.validator.kinds.model_names import are_of_one_model


@pytest.mark.parametrize(
    ("requested", "answering", "are_of_one"),
    [
        ("gpt-4o-latest", "gpt-4o-2024-08-06", True),
        ("gpt-4o-latest", "claude-3-opus", False),
        ("GPT_4o", "openai/gpt-4o", True),
        ("llama-3-8b", "llama-3-8b-instruct-q4", True),
        ("gpt-4o", "gpt-4o-mini", False),
        ("", "gpt-4o", False),
    ],
)
def test_names_are_of_one_model_if_only_its_build_differs(requested: str, answering: str, are_of_one: bool) -> None:
    assert are_of_one_model(requested, answering) is are_of_one
