"""Test rates, and when two of them differ significantly."""

from __future__ import annotations

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.validator.comparing.rates import Rate, differ_significantly

RATES = st.integers(0, 60).flatmap(lambda total: st.builds(Rate, st.integers(0, total), st.just(total)))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (Rate(1, 1), Rate(0, 1), False),
        (Rate(3, 3), Rate(0, 3), False),
        (Rate(5, 5), Rate(0, 5), True),
        (Rate(1, 50), Rate(0, 50), False),
        (Rate(50, 100), Rate(52, 100), False),
        (Rate(30, 100), Rate(60, 100), True),
    ],
)
def test_rates_differ_if_the_difference_is_hardly_chance(before: Rate, after: Rate, expected: bool) -> None:
    assert differ_significantly(before, after) is expected


@given(RATES, RATES)
def test_order_of_the_rates_does_not_matter(first: Rate, second: Rate) -> None:
    assert differ_significantly(first, second) == differ_significantly(second, first)


@given(RATES)
def test_a_rate_does_not_differ_from_itself(rate: Rate) -> None:
    assert not differ_significantly(rate, rate)


@pytest.mark.parametrize(("before", "after"), [(6, 6), (3, 14), (14, 3), (9, 11)])
def test_rates_differ_if_less_than_one_of_a_hundred_samples_of_one_rate_is_as_improbable(
    before: int, after: int
) -> None:
    for hits in range(before + after + 1):
        ways = {
            seen: comb(before, seen) * comb(after, hits - seen)
            for seen in range(max(0, hits - after), min(before, hits) + 1)
        }
        for seen, observed in ways.items():
            as_improbable = sum(count for count in ways.values() if count <= observed)
            expected = 100 * as_improbable < sum(ways.values())
            assert differ_significantly(Rate(seen, before), Rate(hits - seen, after)) is expected
