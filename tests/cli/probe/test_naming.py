"""Test which dialect `isogloss probe` says that the answers of a server speak."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from isogloss.cli.probe.naming import describe_dialect
from isogloss.validator.dialects.attribution import Candidate


@pytest.mark.parametrize(
    ("confidence", "stranger", "said"),
    [
        (0.4, 0.1, "speaks no dialect that differs from the reference"),
        (0.05, 0.6, "speaks no dialect that isogloss knows"),
        (0.12, 0.14, "speaks no dialect for certain; nearest: openai "),
    ],
)
def test_answers_speak_the_reference_only_if_that_is_more_probable_than_a_speaker_that_no_dialect_knows(
    confidence: float, stranger: float, said: str
) -> None:
    candidates = [Candidate("openai", confidence)] + [Candidate(f"other-{n}", 0.01) for n in range(50)]
    attribution = SimpleNamespace(candidates=candidates, stranger=stranger, tied=("openai",), speaks="", chain=())
    answer: Any = SimpleNamespace(judged=[SimpleNamespace(attribution=attribution, status=200)])
    assert describe_dialect([answer]).startswith(said)
