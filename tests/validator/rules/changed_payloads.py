"""Change values in payloads, for tests that try rules with any JSON."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters(), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def replace_value(payload: Any, pointer: tuple[str | int, ...], value: Any) -> Any:
    """Return a copy of the payload with another value at the pointer. The copy shares all unchanged parts."""
    if not pointer:
        return value
    changed = payload.copy()
    changed[pointer[0]] = replace_value(payload[pointer[0]], pointer[1:], value)
    return changed
