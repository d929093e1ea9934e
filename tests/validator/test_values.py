from __future__ import annotations

import inspect
import pickle
from typing import get_type_hints

import pytest

from isogloss.validator import Finding, Severity
from isogloss.validator.exchange import NO_HTTP, Exchange, HttpFacts, Payload
from isogloss.validator.findings import Source
from isogloss.validator.text import Text
from isogloss.validator.values import NamedTuple, changed, fields

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
    return changed(finding, **changes)


def test_fields_are_set_by_position_and_by_name_and_have_their_defaults() -> None:
    assert (FACTS.status, FACTS.content_type, FACTS.broken, FACTS.arrivals) == (200, "text/plain", True, ())
    assert NO_HTTP.status is None
    text = Text(b"{}")
    exchange = Exchange("f", 3, text, response=Payload("completion", {}, text))
    assert (exchange.file, exchange.number, exchange.request, exchange.http) == ("f", 3, None, NO_HTTP)


def test_a_name_that_is_no_field_and_a_missing_field_are_refused() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        HttpFacts(status=200, colour=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'message'"):
        Finding("r", Severity.NOTE, kind="chunk", path="", pointer="", source=_finding().source)  # type: ignore[call-arg]
    with pytest.raises(AttributeError):
        FACTS.colour = 1  # type: ignore[attr-defined]


def test_a_value_shows_its_fields_and_its_signature() -> None:
    assert repr(FACTS) == "HttpFacts(status=200, content_type='text/plain', broken=True, arrivals=())"
    assert list(inspect.signature(HttpFacts).parameters) == list(fields(FACTS))
    assert HttpFacts.__doc__
    assert HttpFacts.__module__ == "isogloss.validator.exchange"


def test_a_changed_value_differs_in_the_given_fields_only() -> None:
    other = changed(FACTS, status=500)
    assert (other.status, other.content_type, other.broken) == (500, "text/plain", True)
    assert FACTS.status == 200


def test_values_survive_the_way_to_another_process() -> None:
    copied = pickle.loads(pickle.dumps(FACTS))
    assert repr(copied) == repr(FACTS)
    assert pickle.loads(pickle.dumps(_finding())) == _finding()


def test_findings_are_equal_if_all_their_fields_are() -> None:
    assert _finding() == _finding()
    assert len({_finding(), _finding(), _finding(count=2)}) == 2
    for name in fields(_finding()):
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
