"""Test under which dialect and endpoint answers are compared."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from isogloss.validator.comparing.answers import ComparedAnswer
from isogloss.validator.comparing.pairing import AnswerGroup
from isogloss.validator.comparing.strata import Stratum, strata


def group_of(host: str, speaks: str | None) -> AnswerGroup:
    answer: Any = SimpleNamespace(exchange=SimpleNamespace(host=host, path="/v1/chat/completions"))
    compared = ComparedAnswer(answer, None, speaks, ("", 0), False, False)  # type: ignore[arg-type]
    return AnswerGroup([compared], [compared], "capture")


def test_an_endpoint_speaks_what_most_of_its_answers_surely_speak() -> None:
    spoken = ["undetermined", "groq", "undetermined", "undetermined", "groq", "vllm", None]
    groups = [*(group_of("a.example", one) for one in spoken), group_of("b.example", "undetermined")]
    found = strata(groups)
    assert {stratum: len(members) for stratum, members in found.items()} == {
        Stratum("groq", "/v1/chat/completions"): 7,
        Stratum("undetermined", "/v1/chat/completions"): 1,
    }
