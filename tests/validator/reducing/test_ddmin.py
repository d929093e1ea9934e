"""Delta debugging of sequences: what is left holds, in order, and none of it can be left out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from isogloss.validator.reducing.ddmin import minimise


@given(st.lists(st.integers(0, 50), max_size=40), st.sets(st.integers(0, 50), max_size=4))
def test_exactly_the_items_that_are_needed_are_left_in_their_order(items: list[int], needed: set[int]) -> None:
    needed &= set(items)
    left = minimise(items, lambda some: needed <= set(some))
    assert sorted(left) == sorted(needed)
    rest = iter(items)
    assert all(one in rest for one in left)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30))
def test_nothing_is_left_out_where_everything_is_needed(items: list[int]) -> None:
    assert minimise(items, lambda some: len(some) == len(items)) == items


def test_few_of_many_items_take_few_tries() -> None:
    tries = []

    def holds(some: list[int]) -> bool:
        tries.append(len(some))
        return 777 in some

    assert minimise(range(4096), holds) == [777]
    assert len(tries) < 100
