"""Tests of the times at which the bytes of a response arrived, as records hold them. No value there raises."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from reading import read_all

from isogloss.validator.exchange import Exchange

SSE = 'data: {"choices":[]}\n\ndata: [DONE]\n\n'
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 99) | st.floats(allow_nan=False, allow_infinity=False) | st.text("a"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("a"), inner, max_size=2),
    max_leaves=8,
)


def read_arrivals(value: Any) -> tuple[tuple[int, float], ...]:
    record = {"path": "/v1/chat/completions", "status": 200, "arrivals": value, "sse": SSE}
    exchange = read_all(record, "a.json", "json")[0]
    assert isinstance(exchange, Exchange)
    return exchange.http.arrivals


@given(st.lists(st.tuples(st.integers(1, 50), st.floats(0, 5)), max_size=8))
def test_arrivals_are_read_as_they_were_written(steps: list[tuple[int, float]]) -> None:
    size, seconds, pairs = 0, 0.0, []
    for added_size, added_seconds in steps:
        size, seconds = size + added_size, seconds + added_seconds
        pairs.append([size, seconds])
    assert read_arrivals(pairs) == tuple(map(tuple, pairs))


@given(JSON_VALUES)
def test_only_a_list_of_increasing_pairs_gives_arrivals(value: Any) -> None:
    arrivals = read_arrivals(value)
    assert list(arrivals) == sorted(arrivals)
    assert arrivals == () or [list(pair) for pair in arrivals] == value
