"""Test that a fault planted in a conforming exchange is found by the rules about it, and by no other rule."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from faults import FAULTS
from finding_in_parts import find_rules
from good_exchanges import GOOD_EXCHANGES, Parts, good_exchange


@pytest.mark.parametrize("name", GOOD_EXCHANGES)
def test_good_exchange_has_no_finding(name: str) -> None:
    assert find_rules(good_exchange(name)) == set()


@pytest.mark.parametrize(
    ("exchange", "plant", "expected"), [fault[1:] for fault in FAULTS], ids=[fault[0] for fault in FAULTS]
)
def test_planted_fault_is_found_and_no_other(exchange: str, plant: Callable[[Parts], None], expected: set[str]) -> None:
    parts = good_exchange(exchange)
    plant(parts)
    assert find_rules(parts) == expected


def test_faults_have_unique_names() -> None:
    assert len({name for name, *_ in FAULTS}) == len(FAULTS)
