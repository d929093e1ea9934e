"""Tests of several captures in one file, as ``jq`` joins them: on lines, one after another, in a list, under names."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from payloads import COMPLETION, REQUEST, with_finish_reason
from reading import findings_of_exchange, read_all
from recorded import Recorded
from writers import WRITERS

from isogloss.validator.exchange import Exchange

_RECORDED = [
    Recorded(json.dumps(REQUEST), json.dumps(COMPLETION)),
    Recorded(json.dumps(REQUEST), json.dumps(with_finish_reason("bored"))),
]


def _document(name: str, recorded: Recorded) -> Any:
    try:
        return json.loads(WRITERS[name]([recorded]))
    except ValueError:
        return None


_NAMES = [name for name in WRITERS if isinstance(_document(name, _RECORDED[0]), dict)]
_JOINED: dict[str, Callable[[list[Any]], str]] = {
    "on lines": lambda documents: "\n".join(map(json.dumps, documents)),
    "one after another": lambda documents: "\n".join(json.dumps(one, indent=2) for one in documents) + "\n",
    "in a list": json.dumps,
    "under names": lambda documents: json.dumps({f"test {number}": one for number, one in enumerate(documents)}),
}


def _read(text: str) -> list[tuple[int, bool, bool, list[str]]]:
    return [
        (
            found.number,
            found.request is not None,
            found.response is not None,
            sorted(one.rule for one in findings_of_exchange(found)),
        )
        for found in read_all(text, "all.json")
        if isinstance(found, Exchange)
    ]


@pytest.mark.parametrize("join", _JOINED.values(), ids=_JOINED)
@pytest.mark.parametrize("name", _NAMES)
def test_captures_that_are_joined_are_read_as_each_is_alone(name: str, join: Callable[[list[Any]], str]) -> None:
    documents = [_document(name, one) for one in _RECORDED]
    alone = [_read(json.dumps(one)) for one in documents]
    assert [len(one) for one in alone] == [1, 1]
    expected = [(number, *one[0][1:]) for number, one in enumerate(alone)]
    assert _read(join(documents)) == expected


def test_captures_of_several_recorders_on_lines_are_read_each_as_what_it_is() -> None:
    documents = [_document(name, _RECORDED[1]) for name in _NAMES]
    exchanges = _read("\n".join(map(json.dumps, documents)))
    assert [number for number, *_ in exchanges] == list(range(len(_NAMES)))
    assert all("unknown-value" in rules for *_, rules in exchanges)


def test_a_finding_in_the_second_archive_has_its_place_in_the_file() -> None:
    documents = [json.dumps(_document("har", one)) for one in _RECORDED]
    for found in read_all("\n".join(documents), "all.har"):
        assert isinstance(found, Exchange)
        for finding in findings_of_exchange(found):
            if finding.rule == "unknown-value":
                assert finding.source.line == 2
                assert documents[1][finding.source.column - 1 :].startswith('\\"bored')
