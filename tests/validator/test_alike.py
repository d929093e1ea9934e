"""What is said again of payloads that are alike is what would be said of each of them by itself."""

from __future__ import annotations

import copy
from collections import Counter
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss import schemas
from isogloss.validator import captures, engines
from isogloss.validator.dialects import model as dialects
from isogloss.validator.dialects.attribution import Fixed, Whichever
from isogloss.validator.exchange import Exchange, Payload, Response
from isogloss.validator.judging.alike import Alike
from isogloss.validator.judging.judge import Judge, Verdict
from isogloss.validator.text import Text

FIXTURES = Path(__file__).parents[2] / "fixtures"
ENGINE = engines.load()
SPEAKERS = {"openai": None, "auto": Whichever(dialects.dialects()), "perplexity": Fixed(dialects.dialect("perplexity"))}
TEXT = orjson.loads((FIXTURES / "conforming" / "completion" / "text.json").read_bytes())


def _exchange(file: str, number: int, value: dict[str, Any]) -> Exchange:
    text = Text(orjson.dumps(value))
    body = Payload(kind="completion", value=value, text=text)
    return Exchange(file=file, number=number, text=text, response=Response(body=body))


def _said(verdict: Verdict) -> tuple[object, ...]:
    said = Counter((one.rule, one.severity, one.path, one.message, one.explained_by) for one in verdict.findings)
    sure = verdict.attribution is not None and verdict.attribution.sure
    return verdict.payloads, verdict.streams, said, verdict.speaks, sure


def _judged(judge: Judge, file: str, number: int, value: dict[str, Any]) -> tuple[Verdict, bool]:
    """The verdict as the command line asks for it, and whether it was given without looking."""
    again = judge.again(file, value)
    return (judge.judge(_exchange(file, number, value)), False) if again is None else (again, True)


ADDED = st.dictionaries(
    st.sampled_from(["reasoning_content", "prompt_cache_hit_tokens", "x_groq", "provider", "status", "citations"]),
    st.sampled_from([None, "text", 3, 1.0, 0.5, True, {}, {"id": "r"}, {"id": 1}, [], [1], ["a"], [0.5] * 9]),
    max_size=2,
)
IDS = ["chatcmpl-" + "Fake" * 7 + "1", "chatcmpl-" + "Fake" * 7 + "2", "chatcmpl-7", "gen-1", "***", "02" * 16, ""]
VALUES = {
    "service_tier": ["default", "default", "on_demand", None],
    "system_fingerprint": ["fp_ollama", "fp_0123456789", "fp_0123456789"],
    "status": ["COMPLETED", "PENDING", "other"],
}
MODELS = ["gpt-4o", "deepseek-chat", "glm-4", "org/model", "claude-3", "m"]


@st.composite
def completions(draw: st.DrawFn) -> dict[str, Any]:
    """Completions with some members more or less than they should have."""
    value: dict[str, Any] = copy.deepcopy(TEXT)
    choice = value["choices"][0]
    for place in (value, choice, choice["message"], value["usage"]):
        if draw(st.integers(0, 2)) == 0:
            place.update(copy.deepcopy(draw(ADDED)))
    for place, name in ((choice, "logprobs"), (choice["message"], "refusal"), (value, "service_tier")):
        if draw(st.integers(0, 3)) == 0:
            place.pop(name, None)
    return value


@st.composite
def with_other_values(draw: st.DrawFn, value: dict[str, Any]) -> dict[str, Any]:
    """A completion with the same names and mostly the same types."""
    value = copy.deepcopy(value)
    value["id"] = draw(st.sampled_from(IDS))
    value["model"] = draw(st.sampled_from(MODELS))
    for name, values in VALUES.items():
        if name in value and (name != "status" or isinstance(value[name], str)):
            value[name] = draw(st.sampled_from(values))
    value["choices"][0]["finish_reason"] = draw(st.sampled_from(["stop", "stop", "stop", "length", "eos", None]))
    return value


@pytest.mark.parametrize("speaker", SPEAKERS)
@given(st.data())
@settings(max_examples=settings().max_examples)
def test_in_any_order_of_completions_the_same_is_said_of_each_as_of_it_alone(speaker: str, data: st.DataObject) -> None:
    judge, alone = (Judge(ENGINE, speaker=SPEAKERS[speaker], once=once) for once in (True, False))
    shapes = data.draw(st.lists(completions(), min_size=1, max_size=2))
    for number in range(8):
        value = data.draw(with_other_values(shapes[number % len(shapes)]))
        verdict, _ = _judged(judge, "one.jsonl", number, value)
        assert _said(verdict) == _said(alone.judge(_exchange("one.jsonl", number, value)))


@pytest.mark.parametrize("speaker", SPEAKERS)
def test_the_third_of_a_shape_is_not_looked_at_and_has_the_place_of_the_first(speaker: str) -> None:
    judge = Judge(ENGINE, speaker=SPEAKERS[speaker], once=True)
    found = []
    for number in range(4):
        value = copy.deepcopy(TEXT) | {"id": f"chatcmpl-{number}", "provider": f"{number}"}
        found.append(_judged(judge, "one.jsonl", number, value))
    assert [looked for _, looked in found] == [False, False, True, True]
    assert {id(one.findings[0]) for one, _ in found} == {id(found[0][0].findings[0])}
    assert found[0][0].findings[0].rule == "unknown-property"


def test_where_a_value_decides_who_explains_it_it_is_said_again_of_values_that_are_alike() -> None:
    judge = Judge(ENGINE, speaker=SPEAKERS["perplexity"], once=True)
    found = []
    for number, status in enumerate(["COMPLETED", "COMPLETED", "COMPLETED", "GONE", "GONE", "PENDING"]):
        verdict, again = _judged(judge, "one.jsonl", number, copy.deepcopy(TEXT) | {"status": status})
        found.append((again, bool(verdict.findings[0].explained_by)))
    assert found == [(False, True), (False, True), (True, True), (False, False), (True, False), (True, True)]


def test_where_a_value_further_inside_decides_who_explains_it_each_is_looked_at() -> None:
    judge = Judge(ENGINE, speaker=Fixed(dialects.dialect("litellm")), once=True)
    found = []
    for number, kind in enumerate(["thinking", "thinking", "thinking", "something", "thinking"]):
        value = copy.deepcopy(TEXT)
        value["choices"][0]["message"]["thinking_blocks"] = [{"type": kind, "thinking": "", "signature": ""}]
        verdict, again = _judged(judge, "one.jsonl", number, value)
        found.append((again, bool(verdict.findings[0].explained_by)))
    assert found == [(False, True), (False, True), (False, True), (False, False), (False, True)]


def test_ids_that_break_the_pattern_are_told_from_those_that_keep_it() -> None:
    judge = Judge(ENGINE, once=True)
    found = []
    for number, identifier in enumerate(["gen-1", "gen-2", "gen-3", "chatcmpl-4", "chatcmpl-5", "gen-6"]):
        value = copy.deepcopy(TEXT) | {"id": identifier, "provider": "one"}
        verdict, again = _judged(judge, "one.jsonl", number, value)
        found.append((again, sorted(one.rule for one in verdict.findings)))
    both = ["unknown-property", "wrong-format"]
    assert found == [
        (False, both), (False, both), (True, both), (False, both[:1]), (True, both[:1]), (True, both)
    ]  # fmt: skip


def test_of_another_file_nothing_has_been_said() -> None:
    judge = Judge(ENGINE, once=True)
    value = copy.deepcopy(TEXT) | {"provider": "one"}
    for number in range(3):
        _judged(judge, "one.jsonl", number, value)
    verdict, again = _judged(judge, "another.jsonl", 0, value)
    assert not again
    assert verdict.findings[0].source.file == "another.jsonl"


def test_as_many_shapes_as_there_is_room_for_are_remembered_of_each_file() -> None:
    judge = Judge(ENGINE, once=True)
    for file in ("one.jsonl", "another.jsonl"):
        again = []
        for number in range(3 * 20):
            value = copy.deepcopy(TEXT) | {f"{file}-{number % 20}": number}
            again.append(_judged(judge, file, number, value)[1])
        assert sum(again[40:]) == 16


def test_without_once_only_what_conforms_is_not_looked_at() -> None:
    judge = Judge(ENGINE)
    assert judge.again("one.jsonl", TEXT) is not None
    for number in range(3):
        assert not _judged(judge, "one.jsonl", number, TEXT | {"provider": "one"})[1]


def test_what_conforms_is_looked_at_where_a_dialect_has_to_be_told() -> None:
    assert Judge(ENGINE, speaker=SPEAKERS["auto"]).again("one.jsonl", TEXT) is None


@pytest.mark.parametrize("engine", engines.NAMES)
def test_recorded_completions_that_fit_break_no_rules_but_those_on_names_and_types(engine: str) -> None:
    judging = engines.load(engine)
    fitting = 0
    for path in sorted((FIXTURES / "dialects").rglob("*.json")):
        with path.open("rb") as stream:
            for one in captures.read(captures.Capture(stream, path.name)):
                body = one.response.body if isinstance(one, Exchange) and one.response is not None else None
                if isinstance(body, Payload) and body.kind == "completion" and judging.fits("completion", body.value):
                    fitting += 1
                    errors = list(judging.errors("completion", body.value))
                    keywords = {error.keyword for error in errors if error.pointer != ("id",)}
                    assert keywords <= {"type", "required", "additionalProperties"}, path
    assert fitting > 20


@pytest.mark.parametrize("engine", engines.NAMES)
@pytest.mark.parametrize(
    ("name", "value"), [("created", -1), ("choices", []), ("object", "text_completion"), ("service_tier", "none")]
)
def test_a_wrong_value_does_not_fit(engine: str, name: str, value: object) -> None:
    assert not engines.load(engine).fits("completion", TEXT | {name: value})


def test_alike_are_those_of_the_same_names_and_types() -> None:
    alike = Alike({"a": [{"b": 1}, "c"], "d": None, "e": 0.5, "f": True, "g": []}, None)
    assert alike.accepts({"e": 1.5, "a": [{"b": 7}, ""], "d": None, "f": False, "g": []})
    for other in (
        {"a": [{"b": 1}, "c"], "d": None, "e": 0.5, "f": True},
        {"a": [{"b": 1}, "c"], "d": None, "e": 0.5, "f": True, "g": [], "h": 1},
        {"a": [{"b": 1}], "d": None, "e": 0.5, "f": True, "g": []},
        {"a": [{"b": 1, "x": 1}, "c"], "d": None, "e": 0.5, "f": True, "g": []},
        {"a": [{"b": "1"}, "c"], "d": None, "e": 0.5, "f": True, "g": []},
        {"a": [{"b": 1}, "c"], "d": None, "e": 1, "f": True, "g": []},
        {"a": [{"b": 1}, "c"], "d": 0, "e": 0.5, "f": True, "g": []},
        {"a": [{"b": 1}, "c"], "d": None, "e": 0.5, "f": 1, "g": []},
        {"a": [{"b": 1}, "c"], "d": None, "e": 0.5, "f": True, "g": [1]},
    ):
        assert not alike.accepts(other), other


def test_what_is_deep_long_or_wide_is_like_nothing() -> None:
    deep: Any = {}
    for _ in range(20):
        deep = {"in": deep}
    for value in (deep, {"logprobs": [0.5] * 100}, {"logit_bias": {str(token): 1 for token in range(100)}}):
        with pytest.raises(ValueError, match="nested too deep"):
            Alike(value, None)


def test_every_schema_that_is_loosened_accepts_what_the_whole_one_accepts() -> None:
    for kind in schemas.NAMES:
        for path in sorted((FIXTURES / "conforming" / kind).glob("*.json")):
            value = orjson.loads(path.read_bytes())
            assert not ENGINE.valid(kind, value) or ENGINE.fits(kind, value), path
