"""Test what is remembered of the names of an object's properties."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from isogloss.validator.captures.names import by_names


@given(st.lists(st.dictionaries(st.text(max_size=3), st.none(), max_size=4), max_size=20))
def test_what_the_names_of_an_object_say_is_found_out_once(objects: list[dict[str, None]]) -> None:
    asked: list[tuple[str, ...]] = []

    @by_names
    def first(names: tuple[str, ...]) -> str | None:
        asked.append(names)
        return min(names, default=None)

    assert [first(tuple(one)) for one in objects] == [min(one, default=None) for one in objects]
    assert sorted(asked) == sorted({tuple(one) for one in objects})


def test_what_very_many_or_long_names_say_is_not_kept() -> None:
    asked: list[int] = []

    @by_names
    def count(names: tuple[str, ...]) -> int:
        asked.append(len(names))
        return len(names)

    for one in (dict.fromkeys(map(str, range(1000))), {"x" * 10_000: None}):
        assert count(tuple(one)) == count(tuple(one)) == len(one)
    assert asked == [1000, 1000, 1, 1]


def test_very_many_objects_with_names_of_their_own_are_read() -> None:
    @by_names
    def only(names: tuple[str, ...]) -> str:
        return names[0]

    assert [only((str(number),)) for number in range(5000)] == list(map(str, range(5000)))
