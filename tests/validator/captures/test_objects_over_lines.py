"""Tests of objects over several lines of a log: which lines belong to one."""

from __future__ import annotations

import json

from payloads import COMPLETION
from reading import exchanges_in, values_of

_INDENTED = json.dumps(COMPLETION, indent=2)


def test_an_object_that_ends_at_a_blank_line_does_not_hide_the_one_behind_it() -> None:
    deeper = _INDENTED.replace("\n", "\n  ")
    for behind in (f"answer: {_INDENTED}", f"  answer: {deeper}"):
        (found,) = exchanges_in(f'12:00:00 begun: {{\n  "a": 1,\n\n{behind}\nend\n', "app.log")
        assert values_of(found) == (None, COMPLETION)


def test_a_line_behind_an_object_whose_bracket_is_indented_is_read_too() -> None:
    indented = _INDENTED.removesuffix("}") + "  }"
    one, other = exchanges_in(f"12:00:00 got: {indented}\ngot: {json.dumps(COMPLETION)}\n", "app.log")
    assert values_of(one) == values_of(other) == (None, COMPLETION)
