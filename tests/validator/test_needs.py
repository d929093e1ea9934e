"""What a rule says it needs only saves time: without asking, the same is found."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.validator import captures, engines, rules
from isogloss.validator.examining.examiner import Examiner
from isogloss.validator.exchange import Exchange, Payload, Response
from isogloss.validator.text import Text

FIXTURES = Path(__file__).parents[2] / "fixtures"
EVERYTHING = frozenset(need for name in rules.names() for need in rules.rule(name).needs)


class Unasked(Examiner):
    """Runs every rule on everything."""

    def _asked(self, group: str, has: frozenset[str]) -> Any:
        return super()._asked(group, EVERYTHING)


@pytest.mark.parametrize("group", sorted(rules.GATED))
def test_every_rule_of_the_groups_that_are_gated_needs_something(group: str) -> None:
    assert rules.names(group)
    assert all(rules.rule(name).needs for name in rules.names(group))


def _differences(paths: list[Path]) -> tuple[list[str], int]:
    asked, unasked, differ, exchanges = Examiner(engines.load()), Unasked(engines.load()), [], 0
    for path in paths:
        with path.open("rb") as stream:
            for exchange in captures.read(captures.Capture(stream, path.name)):
                if isinstance(exchange, Exchange):
                    exchanges += 1
                    if asked.examine(exchange).found != unasked.examine(exchange).found:
                        differ.append(f"{path}, exchange {exchange.number}")
    return differ, exchanges


@pytest.mark.thorough
def test_rules_find_the_same_in_all_fixtures_whether_they_are_asked_for_their_needs_or_not() -> None:
    assert EVERYTHING
    paths = [
        path for path in sorted(FIXTURES.rglob("*")) if path.is_file() and path.suffix in (".json", ".sse", ".jsonl")
    ]
    differ, exchanges = _differences(paths)
    assert not differ
    assert exchanges > 500


def test_rules_find_the_same_in_recorded_traffic_whether_they_are_asked_or_not(shared: Path) -> None:
    differ, exchanges = _differences(sorted((shared / "corpus").glob("*.jsonl")))
    assert not differ
    assert exchanges > 2000


ORDINARY = [
    path.read_bytes() for path in sorted((FIXTURES / "conforming" / "completion").glob("*.json"))
]  # each with another feature
VALUES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(
        ["", "stop", "length", "tool_calls", "function_call", [], {}, [None], [{}], 0, 0.0, 1.5, 2**53, {"name": "f"}]
    )
)


def _places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    for step in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield (*at, step)
        yield from _places(value[step], (*at, step))


@given(st.data())
@settings(max_examples=4 * settings().max_examples)
def test_rules_find_the_same_in_any_changed_completion_whether_they_are_asked_or_not(data: st.DataObject) -> None:
    value = orjson.loads(data.draw(st.sampled_from(ORDINARY)))
    for _ in range(data.draw(st.integers(1, 3))):
        places = list(_places(value))
        if places:
            *way, last = data.draw(st.sampled_from(places))
            target = value
            for step in way:
                target = target[step]
            if data.draw(st.booleans()):
                target[last] = copy.deepcopy(data.draw(VALUES))
            else:
                del target[last]
    text = Text(json.dumps(value).encode())
    body = Payload(kind="completion", value=value, text=text)
    exchange = Exchange(file="one.json", number=0, text=text, response=Response(body=body))
    assert ASKED.examine(exchange).found == UNASKED.examine(exchange).found


ASKED, UNASKED = Examiner(engines.load()), Unasked(engines.load())
