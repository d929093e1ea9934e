from __future__ import annotations

import inspect
import pickle
from typing import get_type_hints

import pytest
from msgspec.structs import replace

from isogloss.validator import Finding, Severity
from isogloss.validator.exchange import Exchange, HttpFacts, Payload
from isogloss.validator.findings import Source
from isogloss.validator.text import Text
from isogloss.validator.values import NamedTuple

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


class _Pair(NamedTuple):
    """Two values."""

    left: int
    right: str | None = None

    @property
    def is_left(self) -> bool:
        return self.right is None

    def __str__(self) -> str:
        return f"{self.left}:{self.right}"


def test_a_named_tuple_is_one_as_the_standard_library_makes_it() -> None:
    pair = _Pair(1)
    assert (pair, *pair, pair.is_left, str(pair)) == ((1, None), 1, None, True, "1:None")
    assert repr(pair._replace(right="x")) == "_Pair(left=1, right='x')"
    assert pickle.loads(pickle.dumps(pair)) == pair
    assert (_Pair._fields, _Pair._field_defaults) == (("left", "right"), {"right": None})
    assert get_type_hints(_Pair) == {"left": int, "right": str | None}
    assert (_Pair.__doc__, _Pair.__module__, _Pair.__qualname__) == ("Two values.", __name__, "_Pair")
    assert list(inspect.signature(_Pair).parameters) == ["left", "right"]


def test_a_named_tuple_with_a_field_without_a_default_behind_one_that_has_a_default_is_refused() -> None:
    with pytest.raises(TypeError, match="without a default"):

        class _Wrong(NamedTuple):
            left: int = 1
            right: str  # type: ignore[misc]
