"""The cache of violations and the gates of rules only save time: without them the findings are the same."""

from __future__ import annotations

import copy
import io
import json
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import mixture
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.validator import captures, engines
from isogloss.validator.dialects import model
from isogloss.validator.dialects.speakers import AutoSpeaker
from isogloss.validator.examining import violation_cache
from isogloss.validator.exchange import Exchange, Kind, Payload, Response
from isogloss.validator.findings import Finding
from isogloss.validator.judging.judge import Judge
from isogloss.validator.text import Text

FIXTURES = Path(__file__).parents[3] / "fixtures"
KINDS: tuple[Kind, ...] = ("completion", "chunk", "request", "error")


@pytest.fixture(autouse=True)
def templates_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make templates as early as possible: from the first payload with violations on."""
    monkeypatch.setattr(violation_cache, "_WORTH", dict.fromkeys(KINDS, 1))
    monkeypatch.setattr(violation_cache, "_LEAST_ALIKE", 1)


@cache
def _speaker() -> AutoSpeaker:
    return AutoSpeaker(model.dialects())


def _judges(dialect: str) -> tuple[Judge, Judge]:
    speaker = None if dialect == "openai" else _speaker()
    return Judge(engines.load(), speaker=speaker), Judge(engines.load(), speaker=speaker, shortcuts=False)


def _verdict(judge: Judge, exchange: Exchange) -> tuple[object, ...]:
    verdict = judge.judge(exchange)
    findings: list[Finding] = verdict.findings
    candidates = verdict.attribution.candidates if verdict.attribution else ()
    confidences = {one.slug: round(one.confidence, 6) for one in candidates}  # sums of floats, in any order
    return verdict.payloads, verdict.streams, findings, verdict.speaks, confidences


def _exchanges(paths: Iterable[Path]) -> Iterator[Exchange]:
    for path in paths:
        with path.open("rb") as stream:
            yield from _read(captures.Capture(stream, path.name))


def _mixture(seed: int, count: int) -> Iterator[Exchange]:
    """Return exchanges of many vendors, one after the other, as a gateway logs them. No stream is long."""
    lines = b"\n".join(orjson.dumps(record) for record in mixture.exchanges(seed, count, 25))
    return _read(captures.Capture(io.BytesIO(lines), "mixture.jsonl"))


def _read(capture: captures.Capture) -> Iterator[Exchange]:
    for found in captures.read(capture):
        if isinstance(found, Exchange):
            yield found


def _differences(exchanges: Iterable[Exchange], dialect: str) -> tuple[list[str], int]:
    """Return the exchanges on which verdicts differ, and the number of all exchanges.

    Each exchange is judged twice, so that the second time the judge can use what it has remembered.
    """
    with_shortcuts, without = _judges(dialect)
    differ, number = [], 0
    for exchange in exchanges:
        number += 1
        expected = _verdict(without, exchange)
        if any(_verdict(with_shortcuts, exchange) != expected for _ in range(2)):
            differ.append(f"{exchange.file}, exchange {exchange.number}")
    return differ, number


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("dialect", "step"),
    [("auto", 8), pytest.param("auto", 1, marks=pytest.mark.slow), pytest.param("openai", 1, marks=pytest.mark.slow)],
)
def test_verdicts_on_fixtures_are_the_same_without_shortcuts(dialect: str, step: int) -> None:
    paths = [path for path in sorted(FIXTURES.rglob("*")) if path.suffix in (".json", ".sse", ".jsonl", ".http")]
    differ, exchanges = _differences(_exchanges(paths[::step]), dialect)
    assert not differ
    assert exchanges > 500 / step


@pytest.mark.slow
@pytest.mark.parametrize("dialect", ["openai", "auto"])
def test_verdicts_on_recorded_traffic_are_the_same_without_shortcuts(dialect: str, shared: Path) -> None:
    paths = [path for path in sorted((shared / "corpus").glob("*.jsonl")) if path.stat().st_size < 1 << 20]
    differ, exchanges = _differences(_exchanges(paths), dialect)
    assert not differ
    assert exchanges > 500


@pytest.mark.thorough
@pytest.mark.parametrize("count", [100, pytest.param(300, marks=pytest.mark.slow)])
@pytest.mark.parametrize("dialect", ["openai", "auto"])
def test_verdicts_on_a_mixture_of_vendors_are_the_same_without_shortcuts(dialect: str, count: int) -> None:
    differ, exchanges = _differences(_mixture(seed=1, count=count), dialect)
    assert not differ
    assert exchanges == count


@given(st.integers(2), st.sampled_from(["openai", "auto"]))
@settings(max_examples=5)
def test_verdicts_on_any_mixture_of_vendors_are_the_same_without_shortcuts(seed: int, dialect: str) -> None:
    differ, _ = _differences(_mixture(seed, count=10), dialect)
    assert not differ


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.sampled_from(["", "stop", "length", "tool_calls", "function_call", "assistant", "REDACTED", "chatcmpl-1"]),
    st.sampled_from([[], {}, [None], [{}], 0, 0.0, 1, 1.0, -1, -1.0, 1.5, 2**53, 2**63, {"name": "f"}]),
)


@cache
def _samples(kind: str) -> list[bytes]:
    """Return payloads of a kind that conform, each with another feature."""
    return [path.read_bytes() for path in sorted((FIXTURES / "conforming" / kind).glob("*.json"))]


def _places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    for step in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield (*at, step)
        yield from _places(value[step], (*at, step))


def _changed(draw: Callable[[st.SearchStrategy[Any]], Any], value: Any, most: int) -> Any:
    """Return a copy of the value with up to `most` changes: a part is replaced or removed, or a property is added."""
    value = copy.deepcopy(value)
    for _ in range(draw(st.integers(0, most))):
        places = list(_places(value))
        if not places:
            break
        *way, last = draw(st.sampled_from(places))
        target = value
        for step in way:
            target = target[step]
        change = draw(st.sampled_from(["replace", "remove", "add"]))
        if change == "remove":
            del target[last]
        elif change == "add" and isinstance(target, dict):
            target[draw(st.sampled_from(["reasoning", "extra", "index", "200"]))] = copy.deepcopy(draw(VALUES))
        else:
            target[last] = copy.deepcopy(draw(VALUES))
    return value


def _exchange(kind: Kind, value: object, number: int = 0) -> Exchange:
    text = Text(json.dumps(value).encode())
    payload = Payload(kind=kind, value=value, text=text)
    if kind == "request":
        return Exchange(file="one.json", number=number, text=text, request=payload)
    return Exchange(file="one.json", number=number, text=text, response=Response(body=payload))


def test_a_choice_that_is_no_object_leaves_out_no_rule() -> None:
    value = json.loads((FIXTURES / "conforming" / "completion" / "several-choices.json").read_bytes())
    value["choices"][0] = None
    with_shortcuts, without = (_verdict(judge, _exchange("completion", value)) for judge in _judges("openai"))
    assert with_shortcuts == without


BARE: dict[str, Any] = {"id": "x", "created": 1760000000, "model": "m", "choices": []}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(("completion", BARE), ("chunk", BARE), id="another kind"),
        pytest.param(("chunk", {**BARE, "model": 5}), ("chunk", {**BARE, "model": 5.0}), id="an equal number"),
        pytest.param(("chunk", {**BARE, "object": True}), ("chunk", {**BARE, "object": 1}), id="an equal boolean"),
        pytest.param(
            ("chunk", {**BARE, "choices": [{"a": 1}]}), ("chunk", {**BARE, "choices": [{"b": 1}]}), id="another name"
        ),
        pytest.param(("chunk", BARE), ("chunk", {**BARE, "object": "chat.completion.chunk"}), id="nothing missing"),
        pytest.param(("chunk", {**BARE, "choices": [{}]}), ("chunk", {**BARE, "choices": [{}, {}]}), id="more items"),
        pytest.param(
            ("chunk", {**BARE, "choices": [{}, {}]}),
            ("chunk", {**BARE, "choices": [{}, {"index": 1}]}),
            id="other items",
        ),
    ],
)
def test_a_payload_that_nearly_has_the_violations_of_another_has_its_own_verdict(
    first: tuple[Kind, object], second: tuple[Kind, object]
) -> None:
    with_shortcuts, without = _judges("openai")
    for kind, value in (first, first, second, first, second):
        assert _verdict(with_shortcuts, _exchange(kind, value)) == _verdict(without, _exchange(kind, value))
    assert _verdict(without, _exchange(*first))[2] != _verdict(without, _exchange(*second))[2]


@given(st.data())
@settings(max_examples=2 * settings().max_examples)
def test_verdicts_on_payloads_that_differ_a_little_are_the_same_without_shortcuts(data: st.DataObject) -> None:
    """Check payloads with the same deviation and one more change each: the template of one must not match the next."""
    kind = data.draw(st.sampled_from(KINDS))
    deviating = _changed(data.draw, orjson.loads(data.draw(st.sampled_from(_samples(kind)))), 3)
    with_shortcuts, without = _judges("openai")
    for number in range(data.draw(st.integers(2, 5))):
        value = _changed(data.draw, deviating, 1)
        exchange = _exchange(kind, value, number)
        assert _verdict(with_shortcuts, exchange) == _verdict(without, exchange)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_object_has_the_same_violations_as_without_the_cache(kind: Kind) -> None:
    cached = violation_cache.ViolationCache(engines.load())
    without = violation_cache.ViolationCache(engines.load(), keep=False)
    for value in ([], [1, {"a": 1}], "", "x", True, False, 1, -1, 1.0, 1.5, -0.0, 2.0, None, [[]]):
        known = cached.violations_of(kind, value)
        assert known.violations == without.violations_of(kind, value).violations
        for other in ([2], "y", True, 7, 3.0, 3.5, None, {}):
            if known.matches(other):
                assert without.violations_of(kind, other).violations == known.violations
