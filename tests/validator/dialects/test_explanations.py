"""Test that facts are remembered only for findings that the same facts explain, whatever was explained before."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from pathlib import Path

import orjson
import pytest
from dialect_examples import invented_dialect
from msgspec.structs import replace
from reading import read_all

from isogloss.validator import engines
from isogloss.validator.dialects.explanations import Explanations, ObservedFinding, about_schema, observe
from isogloss.validator.dialects.model import Deviation, Dialect, Fact, dialects
from isogloss.validator.examining.examined import Examined, RuleHit
from isogloss.validator.examining.examiner import Examiner
from isogloss.validator.exchange import Exchange
from isogloss.validator.pointer import ABSENT, generic, read

FIXTURES = Path(__file__).parents[3] / "fixtures"


def _findings(stream_and_names: Iterable[tuple[bytes, str]]) -> Iterator[tuple[Examined, RuleHit]]:
    examiner = Examiner(engines.load())
    for data, name in stream_and_names:
        for exchange in read_all(data, name):
            if isinstance(exchange, Exchange):
                examined = examiner.examine(exchange)
                yield from ((examined, hit) for hit in examined.hits)


def _explanation(one: Dialect, observed: ObservedFinding) -> Fact | None:
    """Return the fact by which a dialect explains a finding, found by trying each of its facts."""
    pointer = observed.found.hit.pointer
    for depth in range(len(pointer), 0, -1) if about_schema(observed.rule) else ():
        value = observed.value if depth == len(pointer) else read(observed.payload, pointer[:depth])
        for fact in _deviations_at(one).get((observed.kind, generic(pointer[:depth])), ()):
            if fact.decides and (value is ABSENT) == fact.absent and fact.accepts(value):
                return fact
    behaviours = (fact for fact in one.behaviours if fact.rule == observed.rule and fact.at in ("", observed.path))
    return next((fact for fact in behaviours if fact.decides), None)


@cache
def _deviations_at(one: Dialect) -> dict[tuple[str, str], list[Deviation]]:
    found: dict[tuple[str, str], list[Deviation]] = {}
    for fact in one.deviations:
        for kind in fact.kinds:
            found.setdefault((kind, fact.at), []).append(fact)
    return found


@pytest.fixture(scope="module")
def known_dialects() -> tuple[Dialect, ...]:
    return tuple(dialects())


@pytest.mark.slow
def test_facts_that_explain_a_finding_do_not_depend_on_earlier_findings(known_dialects: tuple[Dialect, ...]) -> None:
    paths = [path for path in sorted(FIXTURES.rglob("*.*")) if path.is_file()]
    findings = [
        (observed, [(one, fact) for one in known_dialects if (fact := _explanation(one, observed)) is not None])
        for examined, hit in _findings((path.read_bytes(), str(path)) for path in paths)
        for observed in [observe(examined, hit)]
    ]
    assert len(findings) > 4000
    for seed in range(2):
        random.Random(seed).shuffle(findings)
        explanations = Explanations(known_dialects)
        for observed, expected in findings:
            assert list(explanations.facts(observed)) == expected


def _stream(*functions: object) -> bytes:
    """Return a stream with a call in each chunk but the last, which have these values as ``function``."""
    envelope = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1750000000, "model": "m"}
    calls = [
        {"index": index, "id": f"call_{index}", "type": "function", "function": function}
        for index, function in enumerate(functions)
    ]
    deltas = [*({"role": "assistant", "tool_calls": [call]} for call in calls), {}]
    chunks = [
        envelope | {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
        for delta, reason in zip(deltas, [*[None] * len(calls), "tool_calls"], strict=True)
    ]
    return b"".join(b"data: %s\n\n" % orjson.dumps(chunk) for chunk in chunks) + b"data: [DONE]\n\n"


def test_events_of_a_finding_are_parted_by_what_is_around_an_absent_value(
    known_dialects: tuple[Dialect, ...],
) -> None:
    data = _stream("get_weather", {"arguments": "{}"})
    examined, hit = next(one for one in _findings([(data, "stream.sse")]) if one[1].rule == "tool-call-name-missing")
    examined = replace(examined, hits=[replace(hit, events=[0, 1])])
    parted = Explanations(known_dialects).observe(examined)
    assert [(list(observed.found.events), bool(facts)) for observed, facts in parted] == [([0], True), ([1], False)]


def _explained_moods(values: list[object], schema: dict[str, object]) -> dict[int, bool]:
    """Return, by the events of a stream with a mood in each, whether a dialect explains the mood by this schema."""
    at = "choices[].delta.mood"
    mu = invented_dialect("mu", deviations=[{"in": ["chunk"], "at": at, "schema": schema}])
    chunks = [{"choices": [{"index": 0, "delta": {"mood": value}, "finish_reason": None}]} for value in values]
    data = b"".join(b"data: %s\n\n" % orjson.dumps(chunk) for chunk in chunks)
    examined, hit = next(one for one in _findings([(data, "stream.sse")]) if one[1].rule == "unknown-property")
    parted = Explanations((mu,)).observe(replace(examined, hits=[hit]))
    return {event: bool(facts) for observed, facts in parted for event in observed.found.events}


@pytest.mark.parametrize("values", [[True, "a", "b"], ["a", "b", True], ["a", None, True, 1], [2.0, 1.5, 2.0]])
def test_events_of_a_finding_are_parted_by_the_types_of_their_values(values: list[object]) -> None:
    explained = _explained_moods(values, {"type": ["string", "null", "integer"]})
    assert explained == {event: value is not True and value != 1.5 for event, value in enumerate(values)}


@pytest.mark.parametrize("values", [["calm 1", "angry", "calm 2"], ["angry", "calm 1"], ["calm 1", 1, "angry"]])
def test_events_of_a_finding_are_parted_by_the_strings_that_a_fact_accepts(values: list[object]) -> None:
    explained = _explained_moods(values, {"type": "string", "pattern": "^calm"})
    assert explained == {event: str(value).startswith("calm") for event, value in enumerate(values)}


@pytest.mark.parametrize("functions", [("get_weather", {"arguments": "{}"}), ({"arguments": "{}"}, "get_weather")])
def test_absent_name_is_explained_by_a_function_that_is_a_string_only_where_it_is_one(
    functions: tuple[object, object], known_dialects: tuple[Dialect, ...]
) -> None:
    explanations = Explanations(known_dialects)
    explained_by = {
        type(function): {dialect.slug for dialect, _ in explanations.facts(observe(examined, hit))}
        for function in functions
        for examined, hit in _findings([(_stream(function), "stream.sse")])
        if hit.rule == "tool-call-name-missing"
    }
    assert "fireworks" in explained_by[str]
    assert "fireworks" not in explained_by[dict]


def test_a_function_that_is_left_out_explains_no_empty_one() -> None:
    """Test it in either order, since facts are remembered."""
    at = "choices[].delta.tool_calls[].function"
    mu = invented_dialect("mu", deviations=[{"in": ["chunk"], "at": at, "absent": True}])
    [empty], [left_out] = ([*_findings_of_names(function)] for function in ({}, ...))
    for order in ([empty, left_out], [left_out, empty]):
        explanations = Explanations([mu])
        explained = {one: bool(explanations.facts(observe(*found))) for found in order for one in [found is left_out]}
        assert explained == {True: True, False: False}


def _findings_of_names(function: object) -> Iterator[tuple[Examined, RuleHit]]:
    """Yield the finding that the name is missing, in a stream with a call that has this as ``function``, if any."""
    data = _stream({}) if function is not ... else _stream({}).replace(b',"function":{}', b"")
    return (one for one in _findings([(data, "stream.sse")]) if one[1].rule == "tool-call-name-missing")


def _record(tested: list[object], accepts: Callable[[object], bool], value: object) -> bool:
    tested.append(value)
    return accepts(value)


def test_a_value_around_very_many_findings_is_tested_once_for_each_fact(
    known_dialects: tuple[Dialect, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2} | {f"p{number}": 1 for number in range(300)}
    answer = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [],
        "usage": usage,
    }
    tested: list[object] = []
    for fact in {fact for dialect in known_dialects for fact in dialect.deviations if fact.at == "usage"}:
        monkeypatch.setitem(fact.__dict__, "accepts", partial(_record, tested, fact.accepts))
    findings = list(_findings([(orjson.dumps(answer), "answer.json")]))
    assert len(findings) > 300
    explanations, accepted = Explanations(known_dialects), dict[tuple[int, int], bool]()
    for examined, hit in findings:
        explanations.facts(observe(examined, hit), accepted)
    assert 0 < sum(isinstance(value, dict) for value in tested) < 100
