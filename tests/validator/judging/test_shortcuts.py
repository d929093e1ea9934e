"""Test that shortcuts only save time: without the cache, and with all rules, the verdicts are the same."""

from __future__ import annotations

import copy
import io
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import mixture
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from json_texts import pointers

from isogloss.validator import captures, engines, rules
from isogloss.validator.dialects import model
from isogloss.validator.dialects.explainers import AutoExplainer
from isogloss.validator.examining import violation_cache
from isogloss.validator.exchange import Exchange, Kind, Payload
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
def _explainer() -> AutoExplainer:
    return AutoExplainer(model.dialects())


def _judges(dialect: str) -> tuple[Judge, Judge]:
    explainer = None if dialect == "openai" else _explainer()
    return Judge(engines.load(), explainer=explainer), Judge(engines.load(), explainer=explainer, shortcuts=False)


def _judge(judge: Judge, exchange: Exchange) -> tuple[object, ...]:
    verdict = judge.judge(exchange)
    findings: list[Finding] = verdict.findings
    candidates = verdict.attribution.candidates if verdict.attribution else ()
    # Confidences are sums of floats in any order, so that the last digits may differ.
    confidences = {candidate.slug: round(candidate.confidence, 6) for candidate in candidates}
    return verdict.examined.contents, verdict.examined.events, findings, verdict.speaks, confidences


def _exchanges(paths: Iterable[Path]) -> Iterator[Exchange]:
    for path in paths:
        with path.open("rb") as stream:
            yield from _read(captures.Capture(stream, path.name))


def _mixture(seed: int, count: int) -> Iterator[Exchange]:
    """Return exchanges of many vendors, mixed as in the log of a gateway. No stream is long."""
    lines = b"\n".join(orjson.dumps(record) for record in mixture.exchanges(seed, count, 25))
    return _read(captures.Capture(io.BytesIO(lines), "mixture.jsonl"))


def _read(capture: captures.Capture) -> Iterator[Exchange]:
    for item in captures.read(capture):
        if isinstance(item, Exchange):
            yield item


def _compare_verdicts(exchanges: Iterable[Exchange], dialect: str) -> tuple[list[str], int]:
    """Return the exchanges on which verdicts differ, and the number of all exchanges.

    Each exchange is judged twice, so that the second time the judge can use what it has remembered.
    """
    with_shortcuts, without = _judges(dialect)
    differ, number = [], 0
    for exchange in exchanges:
        number += 1
        expected = _judge(without, exchange)
        if any(_judge(with_shortcuts, exchange) != expected for _ in range(2)):
            differ.append(f"{exchange.file}, exchange {exchange.number}")
    return differ, number


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("dialect", "step"),
    [("auto", 8), pytest.param("auto", 1, marks=pytest.mark.slow), pytest.param("openai", 1, marks=pytest.mark.slow)],
)
def test_verdicts_on_fixtures_are_the_same_without_shortcuts(dialect: str, step: int) -> None:
    paths = [path for path in sorted(FIXTURES.rglob("*")) if path.suffix in (".json", ".sse", ".jsonl", ".http")]
    differ, number_of_exchanges = _compare_verdicts(_exchanges(paths[::step]), dialect)
    assert not differ
    assert number_of_exchanges > 500 / step


def _with_one_value_removed(value: Any) -> Iterator[Any]:
    """Yield copies of a JSON value, each without one of its properties or items."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(parts):
        smaller = copy.copy(value)
        del smaller[key]
        yield smaller
        for smaller_inner in _with_one_value_removed(inner):
            changed = copy.copy(value)
            changed[key] = smaller_inner
            yield changed


@pytest.mark.thorough
@pytest.mark.parametrize("step", [8, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("group", [name for name in rules.GROUPS if name not in ("stream", "twins")])
def test_findings_on_damaged_fixtures_are_the_same_without_shortcuts(group: str, step: int) -> None:
    records = []
    for path in sorted((FIXTURES / group).rglob("invalid-*.json")):
        with suppress(orjson.JSONDecodeError):
            records += list(_with_one_value_removed(orjson.loads(path.read_bytes())))
    assert records
    capture = captures.Capture(io.BytesIO(b"\n".join(map(orjson.dumps, records[::step]))), "damaged.jsonl")
    with_shortcuts, without = _judges("openai")
    for exchange in _read(capture):
        assert with_shortcuts.judge(exchange).unplaced == without.judge(exchange).unplaced, exchange.text.data.decode()


@pytest.mark.slow
@pytest.mark.parametrize("dialect", ["openai", "auto"])
def test_verdicts_on_recorded_traffic_are_the_same_without_shortcuts(dialect: str, shared: Path) -> None:
    paths = [path for path in sorted((shared / "corpus").glob("*.jsonl")) if path.stat().st_size < 1 << 20]
    differ, number_of_exchanges = _compare_verdicts(_exchanges(paths), dialect)
    assert not differ
    assert number_of_exchanges > 500


@pytest.mark.thorough
@pytest.mark.parametrize("count", [100, pytest.param(300, marks=pytest.mark.slow)])
@pytest.mark.parametrize("dialect", ["openai", "auto"])
def test_verdicts_on_a_mixture_of_vendors_are_the_same_without_shortcuts(dialect: str, count: int) -> None:
    differ, number_of_exchanges = _compare_verdicts(_mixture(seed=1, count=count), dialect)
    assert not differ
    assert number_of_exchanges == count


@given(st.integers(2), st.sampled_from(["openai", "auto"]))
@settings(max_examples=5)
def test_verdicts_on_any_mixture_of_vendors_are_the_same_without_shortcuts(seed: int, dialect: str) -> None:
    differ, _ = _compare_verdicts(_mixture(seed, count=10), dialect)
    assert not differ


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["", "stop", "length", "tool_calls", "function_call", "assistant", "REDACTED", "chatcmpl-1"]),
    st.sampled_from([[], {}, [None], [{}], 0, 0.0, 1, 1.0, -1, -1.0, 1.5, 2**53, 2**63, {"name": "f"}]),
)


@cache
def _samples(kind: str) -> list[bytes]:
    """Return payloads of a kind that conform, each with another feature."""
    return [path.read_bytes() for path in sorted((FIXTURES / "conforming" / kind).glob("*.json"))]


def _change(draw: Callable[[st.SearchStrategy[Any]], Any], value: Any, most_changes: int) -> Any:
    """Return a copy of the value in which up to `most_changes` parts are replaced, removed or added."""
    value = copy.deepcopy(value)
    for _ in range(draw(st.integers(0, most_changes))):
        inner = pointers(value)[1:]
        if not inner:
            break
        *steps, last = draw(st.sampled_from(inner))
        parent = value
        for step in steps:
            parent = parent[step]
        kind_of_change = draw(st.sampled_from(["replace", "remove", "add"]))
        if kind_of_change == "remove":
            del parent[last]
        elif kind_of_change == "add" and isinstance(parent, dict):
            parent[draw(st.sampled_from(["reasoning", "extra", "index", "200"]))] = copy.deepcopy(draw(VALUES))
        else:
            parent[last] = copy.deepcopy(draw(VALUES))
    return value


def _make_exchange(kind: Kind, value: object, number: int = 0) -> Exchange:
    text = Text(json.dumps(value).encode())
    payload = Payload(kind=kind, value=value, text=text)
    if kind == "request":
        return Exchange(file="one.json", number=number, text=text, request=payload)
    return Exchange(file="one.json", number=number, text=text, response=payload)


def test_rules_run_even_if_a_choice_is_no_object() -> None:
    value = json.loads((FIXTURES / "conforming" / "completion" / "several-choices.json").read_bytes())
    value["choices"][0] = None
    with_shortcuts, without = (_judge(judge, _make_exchange("completion", value)) for judge in _judges("openai"))
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
        pytest.param(
            ("chunk", {**BARE, "choices": [1] * 300}), ("chunk", {**BARE, "choices": [1] * 256}), id="very many items"
        ),
    ],
)
def test_payload_with_nearly_the_violations_of_another_has_a_verdict_of_its_own(
    first: tuple[Kind, object], second: tuple[Kind, object]
) -> None:
    with_shortcuts, without = _judges("openai")
    for kind, value in (first, first, second, first, second):
        assert _judge(with_shortcuts, _make_exchange(kind, value)) == _judge(without, _make_exchange(kind, value))
    assert _judge(without, _make_exchange(*first))[2] != _judge(without, _make_exchange(*second))[2]


@given(st.data())
@settings(max_examples=2 * settings().max_examples)
def test_verdicts_on_payloads_that_differ_a_little_are_the_same_without_shortcuts(data: st.DataObject) -> None:
    """Check payloads that share some deviations, so that a template of one must not match the violations of another."""
    kind = data.draw(st.sampled_from(KINDS))
    deviating = _change(data.draw, orjson.loads(data.draw(st.sampled_from(_samples(kind)))), 3)
    with_shortcuts, without = _judges("openai")
    for number in range(data.draw(st.integers(2, 5))):
        value = _change(data.draw, deviating, 1)
        exchange = _make_exchange(kind, value, number)
        assert _judge(with_shortcuts, exchange) == _judge(without, exchange)


@pytest.mark.parametrize("kind", KINDS)
def test_a_template_matches_the_payload_that_it_was_made_for_and_most_payloads_have_one(kind: Kind) -> None:
    cache = violation_cache.ViolationCache(engines.load())
    payloads = [orjson.loads(path.read_bytes()) for path in sorted((FIXTURES / "schema").glob(f"*/invalid-{kind}-*"))]
    violated = [cache.violations_of(kind, payload) for payload in payloads]
    made = [(payload, one) for payload, one in zip(payloads, violated, strict=True) if one.matches.__name__ != "_never"]
    assert len(made) > len(payloads) * 2 / 3
    for payload, one in made:
        assert one.matches(payload)
        assert cache.violations_of(kind, copy.deepcopy(payload)) is one


@pytest.mark.parametrize("kind", KINDS)
def test_payload_that_is_no_object_has_the_same_violations_without_the_cache(kind: Kind) -> None:
    cached = violation_cache.ViolationCache(engines.load())
    without = violation_cache.ViolationCache(engines.load(), keep=False)
    for value in ([], [1, {"a": 1}], "", "x", True, False, 1, -1, 1.0, 1.5, -0.0, 2.0, None, [[]]):
        known = cached.violations_of(kind, value)
        assert known.violations == without.violations_of(kind, value).violations
        for other in ([2], "y", True, 7, 3.0, 3.5, None, {}):
            if known.matches(other):
                assert without.violations_of(kind, other).violations == known.violations
