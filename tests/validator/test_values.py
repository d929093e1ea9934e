"""Test exchanges and findings as values: they do not change, cross processes, and are equal if they should be."""

from __future__ import annotations

import pickle

import pytest
from msgspec.structs import replace

from isogloss.validator import Finding, Severity
from isogloss.validator.exchange import Exchange, HttpFacts, Payload
from isogloss.validator.findings import Source
from isogloss.validator.text import Text

FACTS = HttpFacts(200, "text/plain", broken=True)


def _finding(**changes: object) -> Finding:
    source = Source(file="f", line=1, column=1, exchange=0)
    finding = Finding(
        rule="wrong-type",
        severity=Severity.ERROR,
        message="",
        kind="completion",
        path="id",
        pointer="/id",
        source=source,
    )
    return replace(finding, **changes)


def test_values_cannot_be_changed() -> None:
    text = Text(b"{}")
    payload = Payload("completion", {}, text)
    for value in (payload, Exchange("f", 0, text, response=payload), HttpFacts(), _finding(), _finding().source):
        with pytest.raises(AttributeError):
            setattr(value, value.__struct_fields__[0], "other")


def test_values_survive_the_way_to_another_process() -> None:
    copied = pickle.loads(pickle.dumps(FACTS))
    assert repr(copied) == repr(FACTS)
    assert pickle.loads(pickle.dumps(_finding())) == _finding()


def test_exchanges_are_equal_only_to_themselves_so_that_none_is_compared_property_by_property() -> None:
    text = Text(b"{}")
    exchange = Exchange("f", 0, text)
    assert exchange == exchange
    assert exchange != Exchange("f", 0, text)
    assert len({exchange, Exchange("f", 0, text)}) == 2


def test_findings_are_equal_if_all_their_fields_are() -> None:
    assert _finding() == _finding()
    assert len({_finding(), _finding(), _finding(count=2)}) == 2
    for name in Finding.__struct_fields__:
        assert _finding(**{name: "other"}) != _finding(), name
    assert _finding() != "a finding"
