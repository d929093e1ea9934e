"""Tests of the measure: which answers are replayed, and what counts as right, wrong and missed."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Any

import measure_impact
from measure_impact import BrokenRule, Example
from repairing import FIXTURES

RUN = ("openai-python", "3.57.0", "plain")
RECORD: dict[str, Any] = json.loads((FIXTURES / "wire" / "error-shape" / "invalid-string.json").read_bytes())


def _broken_rules(path: Path) -> list[BrokenRule]:
    return list(measure_impact._broken_rules([path]))


def _example(folder: Path) -> Example:
    (folder / "error.json").write_text(json.dumps(RECORD), "utf-8")
    [example] = measure_impact._build_examples(_broken_rules(folder), ["openai-python"])
    return example


def test_answers_that_a_case_is_built_from_are_left_out(tmp_path: Path) -> None:
    assert _broken_rules(FIXTURES / "wire" / "error-shape" / "invalid-string.json") == []
    (tmp_path / "error.json").write_text(json.dumps(RECORD), "utf-8")
    assert [one.rule for one in _broken_rules(tmp_path)] == ["error-shape"]


def test_a_sample_has_an_answer_for_each_rule_before_a_second_one_and_is_the_same_for_a_seed() -> None:
    broken = _broken_rules(FIXTURES / "dialects" / "mistral")
    chosen = list(measure_impact._choose(broken, 1))
    rules = {one.rule for one in broken}
    assert {one.rule for one in islice(chosen, len(rules))} == rules
    assert chosen == list(measure_impact._choose(broken, 1))
    assert len({(one.rule, one.findings) for one in chosen}) == len(chosen)


def test_an_answer_is_replayed_as_it_is_and_repaired_and_only_what_is_said_of_the_repaired_rule_counts(
    tmp_path: Path,
) -> None:
    example = _example(tmp_path)
    assert json.loads(b"".join(example.case.reply.pieces)) == RECORD["response"]
    assert {rule for rule, _ in example.removed} == {"error-shape"}
    assert example.case.oracle == {"error": "model not found"}
    assert example.named[RUN] == {"raises"}


def test_a_break_is_right_only_if_its_outcome_was_named_for_the_same_run(tmp_path: Path) -> None:
    example = _example(tmp_path)

    def compared(named: set[str], outcome: Any) -> list[str]:
        one = example._replace(named={RUN: frozenset(named)} if named else {})
        return [kind for _, kind in measure_impact._compare(RUN, [one], {example.case.name: outcome})]

    raises = {"outcome": "raises", "seen": "KeyError"}
    assert compared({"raises", "silent"}, raises) == ["right"]
    assert compared({"raises"}, None) == ["wrong"]
    assert compared(set(), raises) == ["missed"]
    assert compared({"silent"}, raises) == ["wrong", "missed"]
    assert compared(set(), None) == []
    assert compared({"raises"}, False) == []  # the client does not understand the repaired answer either
