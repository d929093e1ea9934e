"""Test that the chunks of two answers in one stream are one finding, and hide no fault of one of the answers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from faults import FAULTS
from finding_in_parts import find, find_rules
from good_exchanges import GOOD_EXCHANGES, Parts, good_exchange
from plant_faults import MIXTURES, put, second_answer

from isogloss.validator.findings import Severity

STREAMS = [name for name in GOOD_EXCHANGES if "chunks" in good_exchange(name)]


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("mixture", MIXTURES)
def test_two_answers_in_one_stream_are_one_finding(name: str, mixture: str) -> None:
    parts = good_exchange(name)
    parts["chunks"] = MIXTURES[mixture](parts["chunks"], second_answer(parts))
    (finding,) = find(parts)
    assert (finding.rule, finding.severity) == ("stream-id-changed", Severity.ERROR)
    assert "The chunks of 2 answers stand in one stream. From this follows " in finding.message


IN_ONE_ANSWER: list[tuple[tuple[str | int, ...], object, str]] = [
    ((1, "created"), "1760000000", "wrong-type"),
    ((1, "choices", 0, "delta", "role"), "assistant", "role-repeated"),
    ((3, "choices", 0, "finish_reason"), "eos", "unknown-value"),
]
"""Where a fault is planted in one of two answers, with which value, and what is found."""


@pytest.mark.parametrize(("at", "value", "rule"), IN_ONE_ANSWER)
@pytest.mark.parametrize("mixture", MIXTURES)
def test_two_answers_in_one_stream_hide_no_fault_that_one_of_them_has(
    mixture: str, at: tuple[str | int, ...], value: object, rule: str
) -> None:
    parts = good_exchange("stream")
    other = second_answer(parts)
    put("chunks", *at, value=value)(parts)
    assert rule in find_rules(parts)
    parts["chunks"] = MIXTURES[mixture](parts["chunks"], other)
    assert find_rules(parts) == {"stream-id-changed", rule}


def test_part_of_another_answer_in_a_stream_leaves_all_findings() -> None:
    parts = good_exchange("stream")
    parts["chunks"][2:2] = second_answer(parts)[:2]
    assert {"stream-id-changed", "stream-created-changed", "role-repeated"} <= find_rules(parts)


IN_STREAMS = [(label, name, plant) for label, name, plant, _ in FAULTS if "chunks" in good_exchange(name)]


@pytest.mark.parametrize("mixture", MIXTURES)
@pytest.mark.parametrize(("label", "name", "plant"), IN_STREAMS)
def test_fault_in_one_of_two_answers_in_a_stream_is_not_hidden_by_the_other(
    label: str, name: str, plant: Callable[[Parts], None], mixture: str
) -> None:
    parts = good_exchange(name)
    other = second_answer(parts)
    plant(parts)
    if len(parts.get("chunks", ())) > 1:  # it is still an answer in chunks
        parts["chunks"] = MIXTURES[mixture](other, parts["chunks"])
        assert len(find(parts)) > 1, label
