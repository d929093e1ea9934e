"""Test which cases a probe chooses and lists, and how it describes them."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner
from probe_reports import read_standings

from isogloss.cli.main import cli
from isogloss.cli.probe.cases import CASES, GROUPS
from isogloss.cli.probe.cases.meaning import STANDINGS, standings
from isogloss.cli.probe.choosing import PROFILES, choose_cases


def test_the_profile_for_small_models_leaves_out_the_long_prompt_unless_its_case_is_named() -> None:
    costly = set(PROFILES["small"].costly)
    assert costly == {case.name for case in CASES if case.sent_once}
    assert not costly.intersection(case.name for case in choose_cases([], ["errors"], [], costly))
    assert {case.name for case in choose_cases(["context-overflow"], [], [], costly)} == costly
    assert costly <= {case.name for case in choose_cases([], [], [])}


def test_groups_add_cases_to_those_that_are_named(probe: Any, serve: Any, wire: SimpleNamespace) -> None:
    url = serve(wire.answer_correctly).url
    tools = read_standings(
        probe(url, "--group", "tools", "--case", "plain", "--skip", "tool", "--format", "json").output
    )
    assert set(tools) == {case.name for case in CASES if case.group == "tools"} - {"tool"} | {"plain"}
    streams = read_standings(probe(url, "--group", "streams", "--group", "models", "--format", "json").output)
    assert {"stream", "tool-stream", "models"} <= set(streams)
    assert "plain" not in streams
    result = probe(url, "--group", "tool")
    assert result.exit_code == 2
    assert "did you mean 'tools'?" in result.output


@pytest.mark.parametrize("option", ["--list", "--list-cases"])
def test_a_list_has_the_cases_that_would_be_sent_and_sends_nothing(option: str) -> None:
    def listed(*arguments: str) -> list[str]:
        result = CliRunner().invoke(cli, ["probe", option, *arguments])
        assert result.exit_code == 0
        names = "|".join(case.name for case in CASES)
        return re.findall(rf"^({names})(?:: | +\w+  )", result.output, re.MULTILINE)

    assert listed() == [case.name for case in CASES]
    assert listed("--group", "models", "--case", "plain", "--skip", "model") == ["plain", "models"]
    assert "context-overflow" not in listed("--profile", "small")
    for report in ("--format", "json"), ("--output", "json:list.json"):
        result = CliRunner().invoke(cli, ["probe", option, *report])
        assert (result.exit_code, f"{report[0]} " in result.output, "print text" in result.output) == (2, True, True)


def test_every_case_has_a_subject_a_reason_a_report_and_meanings_of_its_standings() -> None:
    assert {group for case in CASES for group in case.groups} == set(GROUPS)
    for case in CASES:
        assert re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+/(issues|pull)/\d+", case.thread), case.name
        assert case.tests
        assert case.why.endswith(".")
        assert {"conforms", "deviates", "inconclusive"} <= standings(case).keys() <= STANDINGS.keys()
    result = CliRunner().invoke(cli, ["probe", "--list-cases"])
    assert result.exit_code == 0
    for case in CASES:
        assert f"\n{case.name}: {case.what}\n" in result.output
        assert f"  see: {case.thread}\n" in result.output


def test_a_case_about_the_key_does_not_conform_by_being_answered() -> None:
    meanings = {case.name: standings(case)["conforms"] for case in CASES}
    for name in ("missing-key", "refuses-wrong-key"):
        assert meanings[name] == "The request is refused with 401 and a correct error."
    assert meanings["limit-both"] == "The request is answered, or refused with 400 and a correct error."


def test_the_prompt_of_a_case_about_formats_does_not_ask_for_the_format() -> None:
    for case in CASES:
        if case.group != "formats" or not isinstance(case.body, dict):
            continue
        prompt = " ".join(message["content"] for message in case.body["messages"] if message["role"] == "user").lower()
        schema = json.dumps(case.body["response_format"])
        names = set(re.findall(r'"properties": \{"(\w+)"', schema))
        assert not [word for word in ("json", "schema", "object", *names) if word in prompt], case.name
