"""The rules about completions: what holds of all of them on any JSON, and what fixtures cannot say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.validator import rules
from isogloss.validator.pointer import ABSENT, follow
from isogloss.validator.rules import Hit
from isogloss.validator.rules.completion import created_in_future
from isogloss.validator.views import Completion

FIXTURES = Path(__file__).parents[3] / "fixtures"
CONFORMING = [json.loads(path.read_bytes()) for path in sorted(FIXTURES.glob("conforming/completion/*.json"))]
SAMPLES = [*CONFORMING, *(json.loads(path.read_bytes()) for path in sorted(FIXTURES.glob("completion/*/*.json")))]
ODD: list[Any] = [
    None, True, 0, -1, 10**30, 1.5, "", "stop", "tool_calls", "\ud800", [], [None], [[]], [{}], {}, {"name": []},
]  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters(), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def places(value: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield at
    if isinstance(value, dict | list):
        for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(inner, (*at, step))


def replaced(payload: Any, at: tuple[str | int, ...], value: Any) -> Any:
    """Return the payload with another value at a pointer. What is not on the way there is shared with the original."""
    if not at:
        return value
    changed = payload.copy()
    changed[at[0]] = replaced(payload[at[0]], at[1:], value)
    return changed


def hits(payload: Any) -> list[Hit]:
    if not isinstance(payload, dict):
        return []
    subject = Completion(payload)
    return [hit for _, check in rules.checks("completion") for hit in check(subject)]


def assert_sound(payload: Any) -> None:
    """Check that each hit has a pointer into the payload, the value there, and a message of one printable line."""
    for hit in hits(payload):
        assert hit.message.isprintable()
        parent = follow(payload, hit.pointer[:-1])
        if hit.value is ABSENT:
            assert isinstance(parent, dict)
        else:
            assert follow(parent, hit.pointer[-1:]) == hit.value


@pytest.mark.thorough
@pytest.mark.parametrize("value", ODD, ids=repr)
def test_no_rule_raises_when_any_value_of_a_good_payload_is_replaced(value: object) -> None:
    for sample in CONFORMING:
        for at in places(sample):
            assert_sound(replaced(sample, at, value))


@settings(max_examples=3 * settings().max_examples)
@given(st.data())
def test_no_rule_raises_on_arbitrary_json_anywhere(data: st.DataObject) -> None:
    payload = data.draw(st.sampled_from(SAMPLES))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.sampled_from(list(places(payload))))
        payload = replaced(payload, at, data.draw(JSON))
    assert_sound(payload)


def completion(content: str, tokens: list[dict[str, Any]]) -> Completion:
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": {"content": tokens}}
    return Completion({"choices": [choice]})


def of(name: str, subject: Completion) -> list[Hit]:
    return list(dict(rules.checks("completion"))[name](subject))


@given(st.text(max_size=20), st.data())
def test_tokens_that_cut_a_text_anywhere_even_inside_its_characters_join_to_it(text: str, data: st.DataObject) -> None:
    encoded = text.encode()
    cuts = sorted(data.draw(st.sets(st.integers(0, len(encoded)), max_size=6)) | {0, len(encoded)})
    parts = [encoded[start:end] for start, end in pairwise(cuts)]
    tokens = [
        {"token": part.decode(errors="replace"), "logprob": -0.5, "bytes": list(part), "top_logprobs": []}
        for part in parts
    ]
    subject = completion(text, tokens)
    assert not of("logprobs-text-mismatch", subject)
    assert not of("logprobs-bytes-mismatch", subject)


@given(st.text(min_size=1, max_size=20), st.data())
def test_a_whole_token_too_many_or_too_few_is_a_mismatch(text: str, data: st.DataObject) -> None:
    tokens = [{"token": one, "logprob": -0.5, "bytes": list(one.encode()), "top_logprobs": []} for one in text]
    extra = {"token": "#", "logprob": -0.5, "bytes": [35], "top_logprobs": []}
    where = data.draw(st.integers(0, len(tokens)))
    assert of("logprobs-text-mismatch", completion(text, [*tokens[:where], extra, *tokens[where:]]))
    if text != "#":
        assert of("logprobs-text-mismatch", completion(text, [extra, *tokens[1:-1]]))


def test_created_may_run_ahead_of_the_clock_by_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(created_in_future, "_now", lambda: 1_767_225_600.0)
    assert not of("created-in-future", Completion({"created": 1_767_225_600 + 86_400}))
    assert of("created-in-future", Completion({"created": 1_767_225_600 + 86_401}))


def test_stop_beside_calls_of_several_tools_weighs_more_than_beside_one() -> None:
    def weight(*names: str) -> list[str]:
        calls = [{"id": f"call_{n}", "type": "function", "function": {"name": name}} for n, name in enumerate(names)]
        choice = {"message": {"content": None, "tool_calls": calls}, "finish_reason": "stop"}
        found = of("stop-with-tool-calls", Completion({"choices": [choice]}))
        return [(hit.severity or rules.rule("stop-with-tool-calls").severity).label for hit in found]

    assert weight("get_weather") == ["note"]
    assert weight("get_weather", "get_weather") == ["note"]
    assert weight("get_weather", "get_time") == ["error"]


@pytest.mark.parametrize("name", ["logprob-positive", "logprobs-bytes-mismatch", "logprobs-text-mismatch"])
def test_a_list_of_tokens_is_reported_once_however_many_are_wrong(name: str) -> None:
    wrong = {
        "token": "a",
        "logprob": 0.5,
        "bytes": [98],
        "top_logprobs": [{"token": "a", "logprob": 0.5, "bytes": [98]}],
    }
    assert len(of(name, completion("ccc", [wrong, wrong, wrong]))) == 1
