"""When the bytes of an answer came, as records tell it: whatever stands there, nothing raises."""

from __future__ import annotations

import io
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from isogloss.validator import captures
from isogloss.validator.exchange import Exchange

SSE = 'data: {"choices":[]}\n\ndata: [DONE]\n\n'
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 99) | st.floats(allow_nan=False, allow_infinity=False) | st.text("a"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("a"), inner, max_size=2),
    max_leaves=8,
)


def arrivals(value: Any) -> tuple[tuple[int, float], ...]:
    record = {"path": "/v1/chat/completions", "status": 200, "arrivals": value, "sse": SSE}
    found = next(iter(captures.read(captures.Capture(io.BytesIO(json.dumps(record).encode()), "a.json"), "json")))
    assert isinstance(found, Exchange)
    assert found.response is not None
    return found.response.arrivals


@given(st.lists(st.tuples(st.integers(1, 50), st.floats(0, 5)), max_size=8))
def test_arrivals_are_read_as_they_were_written(steps: list[tuple[int, float]]) -> None:
    size, seconds, pairs = 0, 0.0, []
    for more, later in steps:
        size, seconds = size + more, seconds + later
        pairs.append([size, seconds])
    assert arrivals(pairs) == tuple(map(tuple, pairs))


@given(ANYTHING)
def test_what_is_no_list_of_increasing_pairs_tells_nothing(value: Any) -> None:
    found = arrivals(value)
    assert list(found) == sorted(found)
    assert found == () or [list(one) for one in found] == value
