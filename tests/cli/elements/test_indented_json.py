"""Test that indented JSON documents with long arrays are written in batches of items."""

from __future__ import annotations

import io
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.cli.elements import indented_json
from isogloss.cli.elements.indented_json import write_indented

_TEXTS = st.text(max_size=5)
_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | _TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=6,
)
_ITEMS = st.lists(_VALUES, max_size=6)  # larger ones fail a health check of Hypothesis now and then


@given(before=st.text(), after=st.text(), items=_ITEMS, other_items=_ITEMS)
def test_a_document_in_batches_equals_the_document_written_at_once(
    before: str, after: str, items: list[Any], other_items: list[Any]
) -> None:
    def document(first: list[Any], second: list[Any]) -> dict[str, Any]:
        return {"x": before, "runs": [{"y": after, "found": first}, {"found": second, "y": [before]}], "z": []}

    expected = orjson.dumps(document(items, other_items), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    for batch_size in (1, 2, 1000):
        out = io.StringIO()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(indented_json, "_AT_ONCE", batch_size)
            write_indented(document([], []), "found", 3, [items, iter(other_items)], out)
        assert out.getvalue() == expected.decode()
