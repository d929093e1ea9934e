"""Tests of rates: how often rules find something, of the exchanges in which they could, and runs that fail on them."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

Isogloss = Callable[..., Any]

PARAMETERS = {"type": "object", "properties": {"city": {}}, "required": ["city"]}
TOOLS = [{"type": "function", "function": {"name": "f", "parameters": PARAMETERS}}]


def exchange(arguments: str | None) -> str:
    """Return a record of one exchange.

    Its answer calls the tool with ``arguments``, or is a text if ``arguments`` is ``None``.
    """
    message: dict[str, Any] = {"role": "assistant", "content": "Hi", "refusal": None}
    if arguments is not None:
        call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": arguments}}
        message |= {"content": None, "tool_calls": [call]}
    finish_reason = "stop" if arguments is None else "tool_calls"
    answer = {
        "id": "chatcmpl-FakeA1b2C3d4E5f6G7h8I9j0K1l2M", "object": "chat.completion", "created": 1760000000,
        "model": "m", "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": finish_reason}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }  # fmt: skip
    request = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "tools": TOOLS}
    return json.dumps({"request": request, "response": answer}) + "\n"


@pytest.fixture
def traffic(tmp_path: Path) -> Path:
    """Write four answers that call the tool, one of them with wrong arguments, and six that do not call it."""
    path = tmp_path / "traffic.jsonl"
    path.write_text("".join(map(exchange, ["{}", *['{"city":"Paris"}'] * 3, *[None] * 6])))
    return path


def test_a_rate_counts_only_exchanges_in_which_the_rule_could_find_something(isogloss: Isogloss, traffic: Path) -> None:
    report = json.loads(isogloss("check", traffic, "--format", "json").stdout)
    assert report["summary"]["rates"] == [{"rule": "arguments-off-schema", "exchanges": 1, "of": 4}]


def test_exchanges_with_and_without_what_a_rule_finds_count_together(isogloss: Isogloss, tmp_path: Path) -> None:
    without_usage = json.loads(exchange(None))
    del without_usage["response"]["usage"]
    path = tmp_path / "traffic.jsonl"
    path.write_text(f"{exchange(None) * 2}{json.dumps(without_usage)}\n{exchange(None)}")
    report = json.loads(isogloss("check", path, "--format", "json").stdout)
    assert report["summary"]["rates"] == [{"rule": "usage-absent", "exchanges": 1, "of": 4}]


@pytest.mark.parametrize(
    "options", [["--statistics"], ["--format", "markdown"], ["--format", "html"]], ids=lambda options: options[-1]
)
def test_summaries_have_rates(isogloss: Isogloss, traffic: Path, options: list[str]) -> None:
    assert "1 of 4 exchanges, 25 %" in isogloss("check", traffic, *options).stdout.replace("\u00a0", " ")


@pytest.mark.parametrize(("limit", "exit_code"), [("24.9%", 1), ("25%", 0), ("100%", 0), ("0%", 1)])
def test_a_rate_above_its_limit_fails_the_run(isogloss: Isogloss, traffic: Path, limit: str, exit_code: int) -> None:
    result = isogloss("check", traffic, "--fail-on-rate", f"arguments-off-schema={limit}")
    assert result.returncode == exit_code
    assert ("at most" in result.stdout) is bool(exit_code)
    report = isogloss("check", traffic, "--format", "json", "--fail-on-rate", f"arguments-off-schema={limit}").stdout
    rate = next(one for one in json.loads(report)["summary"]["rates"] if one["rule"] == "arguments-off-schema")
    assert rate["limit_percent"] == float(limit.rstrip("%"))
    quiet = isogloss("check", traffic, "--quiet", "--fail-on-rate", f"arguments-off-schema={limit}")
    assert quiet.returncode == exit_code
    assert bool(quiet.stdout) is bool(exit_code)


@pytest.mark.parametrize("output_format", ["text", "github", "junit", "markdown", "html"])
def test_every_format_for_people_says_which_rate_fails_a_run(
    isogloss: Isogloss, traffic: Path, output_format: str
) -> None:
    limits = ("--fail-on-rate", "arguments-off-schema=10%", "--fail-on-rate", "arguments-not-json=10%")
    result = isogloss("check", traffic, "--min-severity", "error", *limits, "--format", output_format)
    assert result.returncode == 1
    shown = html.unescape(result.stdout).replace("\\", "")
    assert shown.count("in 1 of 4 exchanges, 25 %, and at most 10 % may have it") == 1


def test_junit_has_a_case_for_each_rate_with_a_limit(isogloss: Isogloss, traffic: Path) -> None:
    limits = ("--fail-on-rate", "arguments-off-schema=10%", "--fail-on-rate", "arguments-not-json=10%")
    suite = ElementTree.fromstring(isogloss("check", traffic, *limits, "--format", "junit").stdout)[0]
    failed = {case.attrib["name"]: case.find("failure") is not None for case in suite[1:]}
    assert failed == {"rate of arguments-off-schema": True, "rate of arguments-not-json": False}
    assert (suite.attrib["tests"], suite.attrib["failures"]) == ("3", "1")


def test_findings_that_are_not_reported_count_for_rates(isogloss: Isogloss, traffic: Path) -> None:
    options = ("--min-severity", "error", "--fail-on-rate", "arguments-off-schema=10%")
    result = isogloss("check", traffic, *options)
    assert result.returncode == 1
    assert "arguments-off-schema: in 1 of 4 exchanges, 25 %, and at most 10 % may have it" in result.stdout


def test_a_rule_that_is_not_active_has_no_rate(isogloss: Isogloss, traffic: Path) -> None:
    configuration = traffic.parent / "isogloss.toml"
    configuration.write_text('[paths."*.jsonl"]\nignore = ["pair"]\n', "utf-8")
    options = ("--config", configuration, "--fail-on-rate", "arguments-off-schema=0%", "--format", "json")
    result = isogloss("check", traffic, *options)
    assert result.returncode == 0
    assert json.loads(result.stdout)["summary"]["rates"] == []
    assert "Note: --fail-on-rate arguments-off-schema: no exchange holds what the rule is about\n" in result.stderr


def test_a_rate_leaves_out_files_in_which_the_rule_is_not_active(isogloss: Isogloss, traffic: Path) -> None:
    (traffic.parent / "other.jsonl").write_bytes(traffic.read_bytes())
    configuration = traffic.parent / "isogloss.toml"
    configuration.write_text('[paths."other.jsonl"]\nignore = ["pair"]\n', "utf-8")
    result = isogloss("check", traffic.parent, "--config", configuration, "--format", "json")
    assert json.loads(result.stdout)["summary"]["rates"] == [{"rule": "arguments-off-schema", "exchanges": 1, "of": 4}]


@pytest.mark.usefixtures("shared_work")
def test_several_processes_count_the_same_rates(isogloss: Isogloss, tmp_path: Path) -> None:
    path = tmp_path / "traffic.jsonl"
    path.write_text("".join(map(exchange, ["{}", '{"city":"Paris"}', None])) * 90)
    one_process, two_processes = (isogloss("check", path, "--jobs", jobs, "--statistics").stdout for jobs in "12")
    assert "90 of 180 exchanges, 50 %" in one_process
    assert one_process == two_processes


@pytest.mark.parametrize("limit", ["arguments-off-schema", "arguments-off-schema=2", "argument-off-schema=2%", "x=-1%"])
def test_an_invalid_limit_is_a_usage_error(isogloss: Isogloss, traffic: Path, limit: str) -> None:
    assert isogloss("check", traffic, "--fail-on-rate", limit).returncode == 2
