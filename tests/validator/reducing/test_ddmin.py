"""Test delta debugging of sequences: the result still holds, keeps its order, and no item of it can be left out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from isogloss.validator.reducing.ddmin import minimise


@given(st.lists(st.integers(0, 50), max_size=40), st.sets(st.integers(0, 50), max_size=4))
def test_exactly_the_needed_items_are_kept_in_their_order(items: list[int], needed: set[int]) -> None:
    needed &= set(items)
    kept = minimise(items, lambda candidate: needed <= set(candidate))
    assert sorted(kept) == sorted(needed)
    rest = iter(items)
    assert all(item in rest for item in kept)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30))
def test_nothing_is_left_out_if_everything_is_needed(items: list[int]) -> None:
    assert minimise(items, lambda candidate: len(candidate) == len(items)) == items


def test_finding_one_of_many_items_takes_few_tries() -> None:
    tries = []

    def holds(candidate: list[int]) -> bool:
        tries.append(len(candidate))
        return 777 in candidate

    assert minimise(range(4096), holds) == [777]
    assert len(tries) < 100


@given(st.integers(256, 400), st.integers(0, 3))
def test_leaving_out_what_can_only_go_from_behind_takes_few_steps(count: int, end: int) -> None:
    seen: list[int] = []

    def holds(candidate: list[int]) -> bool:
        """Accept what begins with the first items without a gap, and has the last ones."""
        seen.append(len(candidate))
        body = candidate[: len(candidate) - end]
        return bool(body) and body == list(range(len(body))) and candidate[len(body) :] == last

    last = list(range(count, count + end))
    assert minimise([*range(count), *last], holds) == [0, *last]
    assert sum(seen) < 30 * count  # one after the other, it would be 128 or more
