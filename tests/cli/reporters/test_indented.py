"""Indented JSON documents with long arrays, written some items at a time."""

from __future__ import annotations

import io
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.cli.reporters import indented
from isogloss.cli.reporters.indented import write_indented

_ITEMS = st.lists(st.recursive(st.none() | st.text(), lambda one: st.lists(one) | st.dictionaries(st.text(), one)))


@pytest.mark.parametrize("at_once", [1, 2, 1000])
@given(before=st.text(), after=st.text(), items=_ITEMS, others=_ITEMS)
def test_it_is_written_as_the_whole_document_is(
    at_once: int, before: str, after: str, items: list[Any], others: list[Any]
) -> None:
    def document(first: list[Any], second: list[Any]) -> dict[str, Any]:
        return {"x": before, "runs": [{"y": after, "found": first}, {"found": second, "y": [before]}], "z": []}

    out = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(indented, "_AT_ONCE", at_once)
        write_indented(document([], []), "found", 3, [items, iter(others)], out)
    whole = orjson.dumps(document(items, others), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    assert out.getvalue() == whole.decode()
