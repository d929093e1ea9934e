"""Tests of what users see about clients that were seen to break: with findings, rules, clients, and in the report."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from isogloss import schemas
from isogloss.schemas import client_files

ROOT = Path(__file__).parents[2]
CLIENTS = ROOT / "tests/validator/impact/clients"
NULL_CHOICES = "fixtures/schema/null-value/invalid-completion-choices.json"
REASONING_CONTENT = "fixtures/schema/unknown-property/invalid-chunk-reasoning-content.json"
WITHOUT_IMPACT = "fixtures/schema/null-value/invalid-completion-annotations.json"
IMPACT = "seen to break: alpha 1.0.0 and 2.0.0 (plain: raises), beta 3.1.0 (generate: raises)"

Isogloss = Callable[..., Any]


@pytest.fixture(autouse=True)
def use_clients_of_the_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_files, "CLIENTS", CLIENTS)


def _load_schema(name: str) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads((Path(schemas.__file__).parent / "report" / name).read_bytes())
    return schema


@pytest.mark.parametrize("output_format", ["json", "jsonl", "sarif", "markdown", "html"])
def test_json_sarif_markdown_and_html_name_the_clients_seen_to_break(isogloss: Isogloss, output_format: str) -> None:
    printed = isogloss("check", NULL_CHOICES, "--format", output_format).stdout
    plain = re.sub(r"&#\d+;|\\", "", printed)
    assert IMPACT[1:] in plain  # a sentence of a page begins with a capital letter
    without_impact = isogloss("check", WITHOUT_IMPACT, "--format", output_format).stdout.lower()
    assert "seen to break" not in without_impact.partition('"results"')[2 if output_format == "sarif" else 0]


def test_the_help_of_a_rule_in_sarif_has_the_table_of_the_chosen_clients(isogloss: Isogloss) -> None:
    def read_help(*arguments: str) -> str:
        log = json.loads(isogloss("check", NULL_CHOICES, "--format", "sarif", *arguments).stdout)
        text: str = log["runs"][0]["tool"]["driver"]["rules"][0]["help"]["markdown"]
        return text

    assert "| alpha | 1.0.0, 2.0.0 | plain |" in read_help()
    assert "alpha" not in read_help("--clients", "beta")


def test_text_names_clients_with_verbose_or_with_the_option_clients(isogloss: Isogloss) -> None:
    assert "seen to break" not in isogloss("check", NULL_CHOICES).stdout
    assert IMPACT in isogloss("check", NULL_CHOICES, "-v").stdout
    assert (
        "seen to break: beta 3.1.0 (generate: raises)\n" in isogloss("check", NULL_CHOICES, "--clients", "beta").stdout
    )


@pytest.mark.parametrize("output_format", ["text", "github", "gitlab", "junit"])
def test_every_format_names_clients_with_fail_on_impact(isogloss: Isogloss, output_format: str) -> None:
    result = isogloss("check", REASONING_CONTENT, "--fail-on-impact", "--format", output_format)
    assert result.returncode == 1
    assert "seen to break: beta 3.1.0 (agent: changes the reasoning)" in result.stdout


def test_json_has_the_impact_of_each_finding_and_follows_its_schema(isogloss: Isogloss) -> None:
    report = json.loads(isogloss("check", NULL_CHOICES, REASONING_CONTENT, WITHOUT_IMPACT, "--format", "json").stdout)
    jsonschema_rs.Draft202012Validator(_load_schema("v1.json")).validate(report)
    impacts = {finding["rule"] + finding["path"]: finding.get("impact") for finding in report["findings"]}
    assert impacts == {
        "null-valuechoices": {"text": IMPACT, "clients": ["alpha", "beta"], "cases": 1},
        "unknown-propertychoices[].delta.reasoning_content": {
            "text": "seen to break: beta 3.1.0 (agent: changes the reasoning)",
            "clients": ["beta"],
            "cases": 1,
        },
        "null-valuechoices[].message.annotations": None,
    }


@pytest.mark.parametrize(
    ("arguments", "exit_code"),
    [
        ((REASONING_CONTENT,), 0),
        ((REASONING_CONTENT, "--fail-on-impact"), 1),
        ((REASONING_CONTENT, "--fail-on-impact", "--clients", "beta"), 1),
        ((REASONING_CONTENT, "--fail-on-impact", "--clients", "alpha"), 0),
        ((REASONING_CONTENT, "--clients", "beta"), 0),
        ((REASONING_CONTENT, "--fail-on-impact", "--clients", " alpha, , beta,"), 1),
        ((REASONING_CONTENT, "--fail-on-impact", "--quiet"), 1),
        ((REASONING_CONTENT, "--fail-on-impact", "--dialect", "deepseek"), 1),
        ((REASONING_CONTENT, "--fail-on-impact", "--exit-zero"), 0),
        ((WITHOUT_IMPACT, "--fail-on-impact"), 0),
        ((NULL_CHOICES, "--fail-on-impact", "--clients", "alpha,beta"), 1),
    ],
)
def test_fail_on_impact_fails_the_run_if_a_client_was_seen_to_break(
    isogloss: Isogloss, arguments: tuple[str, ...], exit_code: int
) -> None:
    result = isogloss("check", *arguments)
    assert result.returncode == exit_code
    assert ("conforms" in result.stdout) == (exit_code == 0 and "--exit-zero" not in arguments)
    if exit_code and "--quiet" in arguments:
        assert "unknown-property" in result.stdout


def test_a_baseline_has_the_findings_that_fail_the_run_by_their_impact(isogloss: Isogloss, tmp_path: Path) -> None:
    baseline = tmp_path / "known.json"
    isogloss("check", REASONING_CONTENT, "--fail-on-impact", "--write-baseline", baseline)
    assert isogloss("check", REASONING_CONTENT, "--fail-on-impact", "--baseline", baseline).returncode == 0


def test_findings_with_the_same_message_are_two_groups_if_clients_break_on_only_one_form_of_the_value(
    isogloss: Isogloss, tmp_path: Path
) -> None:
    stream = (ROOT / REASONING_CONTENT).read_text("utf-8")
    value = re.search(r'"reasoning_content": ?("[^"]*")', stream)
    assert value is not None
    breaking, harmless = tmp_path / "b.json", tmp_path / "a.json"
    breaking.write_text(stream)
    harmless.write_text(stream.replace(value[1], "null"))
    printed = isogloss("check", tmp_path, "--fail-on-impact").stdout
    assert printed.count("[unknown-property]") == 2
    assert printed.count("seen to break: beta 3.1.0 (agent: changes the reasoning)") == 1


@pytest.mark.usefixtures("shared_work")
def test_several_processes_print_the_same_as_one(isogloss: Isogloss, tmp_path: Path) -> None:
    deviating = (ROOT / NULL_CHOICES).read_text("utf-8").replace("\n", "")
    conforming = (ROOT / "fixtures/conforming/completion/text.json").read_text("utf-8").replace("\n", "")
    file = tmp_path / "many.jsonl"
    file.write_text(f"{deviating}\n{conforming}\n" * 60)
    one_process, two_processes = (
        isogloss("check", file, "--format", "markdown", "--jobs", str(jobs)).stdout for jobs in (1, 2)
    )
    assert one_process == two_processes
    assert "seen to break" in one_process


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("check", NULL_CHOICES, "--clients", "betta"), "no client is called 'betta'; did you mean 'beta'?"),
        (("check", NULL_CHOICES, "--clients", ","), "no client is named"),
        (("check", NULL_CHOICES, "--fail-on-impact", "--min-severity", "error"), "would hide what fails the run"),
        (("report", NULL_CHOICES, "--clients", "beta"), "--clients is for --view clients"),
        (("report", NULL_CHOICES, "--view", "clients", "--evidence"), "are for --view dialects"),
        (("clients", "show", "gamma"), "no client is called 'gamma'; see: isogloss clients list\n"),
    ],
)
def test_invalid_options_and_names_are_usage_errors(
    isogloss: Isogloss, arguments: tuple[str, ...], message: str
) -> None:
    result = isogloss(*arguments)
    assert result.returncode == 2
    assert message in result.stderr


def test_explain_has_a_table_of_clients_and_one_of_places(isogloss: Isogloss) -> None:
    page = isogloss("explain", "null-value").stdout
    section = page.partition("## Seen to break\n")[2]
    assert "| alpha | 1.0.0, 2.0.0 | plain | raises in 1 | 1 of 2 |" in section
    assert "| beta | 3.1.0 | generate | raises | 1 of 1 |" in section
    assert f"| completion `choices` | `null` | 1 | {IMPACT.removeprefix('seen to break: ')} |" in section
    assert "annotations" not in section  # no client was seen to break there
    assert "Seen to break" not in isogloss("explain", "id-empty").stdout


def test_explain_as_json_has_every_outcome_by_place_and_form(isogloss: Isogloss) -> None:
    [place] = json.loads(isogloss("explain", "wrong-type", "--format", "json").stdout)["seen_to_break"]
    assert (place["path"], place["value"], len(place["cases"])) == ("choices[].message.content", "array", 2)
    [outcome] = place["breaks"]
    assert (outcome["client"], outcome["outcome"], outcome["cases"], outcome["of"]) == ("alpha", "silent", 1, 2)
    assert "seen_to_break" not in json.loads(isogloss("explain", "id-empty", "--format", "json").stdout)


def test_clients_are_listed_by_name_with_versions_paths_and_days(isogloss: Isogloss) -> None:
    assert isogloss("clients", "list").stdout.splitlines() == [
        "alpha  alpha 1.0.0, 2.0.0 (plain, stream), run on 2026-11-22",
        "beta   @beta/client 3.1.0 (generate, agent), run on 2026-11-22",
    ]
    first, _ = json.loads(isogloss("clients", "list", "--format", "json").stdout)
    assert (first["registry"], [run["version"] for run in first["runs"]]) == ("pypi", ["1.0.0", "2.0.0"])


def test_a_client_is_shown_with_its_cases_and_the_commands_that_repeat_them(isogloss: Isogloss) -> None:
    page = isogloss("clients", "show", "beta").stdout
    assert "| 3.1.0 | 2026-11-22 | generate | 2 | 1 | 1 | 0 | 1 |" in page
    deviating, _, conforming = page.partition("## Conforming answers that it was seen to break on")
    assert "`unknown-property/reasoning`" in deviating
    assert "`conforming/two-choices`" in conforming
    assert "| agent | stream | `agent.run(...)` | yes |" in page
    assert "| generate | answer | `generateText({...})` |  |" in page
    assert "\nalready failed on its twin, the same answer without the deviation.\n" in page
    assert "| null-value | completion `choices` | `null` | generate | 3.1.0 | raises |" in deviating
    assert (
        page.rstrip().splitlines()[-1].startswith("Run one again: `python tests/clients/run.py --client beta --path ")
    )
    cases = json.loads(isogloss("clients", "show", "beta", "--format", "json").stdout)["seen_to_break"]
    assert {case["case"]: case["repeat"] for case in cases}["conforming/two-choices"] == (
        "python tests/clients/run.py --client beta --path agent --case conforming/two-choices"
    )
    reasoning = next(case for case in cases if case["case"] == "unknown-property/reasoning")
    assert {name: value for name, value in reasoning.items() if name != "repeat"} == {
        "case": "unknown-property/reasoning", "rule": "unknown-property", "mode": "stream", "kind": "chunk",
        "place": "choices[].delta.reasoning_content", "form": "string", "version": "3.1.0", "path": "agent",
        "outcome": "silent", "seen": "reasoning: null instead of 'Hm'",
    }  # fmt: skip


def test_versions_of_a_client_that_broke_in_the_same_way_share_a_row(isogloss: Isogloss) -> None:
    page = isogloss("clients", "show", "alpha").stdout
    assert "| plain | 1.0.0, 2.0.0 | raises |" in page
    assert "Conforming answers" not in page


@pytest.fixture
def read_view(isogloss: Isogloss) -> Callable[..., dict[str, Any]]:
    """Return a function that reads the report of the view ``clients`` on captures."""
    return lambda *arguments: json.loads(isogloss("report", "--view", "clients", *arguments, "--format", "json").stdout)


def test_the_view_of_clients_counts_exchanges_by_client_and_by_deviation(
    read_view: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    for number in range(3):
        (tmp_path / f"{number}.json").write_text((ROOT / NULL_CHOICES).read_text("utf-8"))
    report = read_view(
        tmp_path, REASONING_CONTENT, WITHOUT_IMPACT, "fixtures/schema/null-value/invalid-completion-id.json"
    )
    jsonschema_rs.Draft202012Validator(_load_schema("clients-v1.json")).validate(report)
    assert report["summary"] | {"files": 6, "exchanges": 6, "seen_to_break": 4} == report["summary"]
    counts = {(row["client"], row["version"], row["path"]): row["exchanges"] for row in report["clients"]}
    assert counts == {
        ("alpha", "1.0.0", "plain"): 3,
        ("alpha", "2.0.0", "plain"): 3,
        ("beta", "3.1.0", "agent"): 1,
        ("beta", "3.1.0", "generate"): 3,
    }
    assert [(row["path"], row["exchanges"]) for row in report["seen_to_break"]] == [
        ("choices", 3),
        ("choices[].delta.reasoning_content", 1),
    ]
    assert [row["path"] for row in report["nothing_seen"]] == ["choices[].message.annotations"]
    assert [row["path"] for row in report["not_known"]] == ["id"]


def test_the_view_of_one_client_leaves_out_the_other_clients(read_view: Callable[..., dict[str, Any]]) -> None:
    report = read_view(NULL_CHOICES, REASONING_CONTENT, "--clients", "alpha")
    assert {row["client"] for row in report["clients"]} == {"alpha"}
    assert [row["path"] for row in report["nothing_seen"]] == ["choices[].delta.reasoning_content"]


def test_findings_in_requests_are_not_counted_for_clients(read_view: Callable[..., dict[str, Any]]) -> None:
    report = read_view("fixtures/schema/null-value/invalid-request-model.json")
    assert report["seen_to_break"] == report["nothing_seen"] == report["not_known"] == []


@pytest.mark.parametrize("output_format", ["text", "markdown", "html"])
def test_every_format_of_the_view_has_all_sections(isogloss: Isogloss, output_format: str) -> None:
    folder = "fixtures/schema/null-value"
    printed = isogloss("report", "--view", "clients", folder, "--format", output_format).stdout
    plain = re.sub(r"\\|<[^>]*>", "", printed)
    assert "alpha" in plain
    assert "Not known" in plain
    assert "Run, and not seen to break" in plain
    assert "2 of 2 clients seen to break" in plain


def test_the_view_counts_what_was_skipped_if_anything_was(isogloss: Isogloss) -> None:
    for paths, count in (
        ((NULL_CHOICES,), "1 exchange in 1 file: "),
        ((NULL_CHOICES, "LICENSE"), "2 files, 1 skipped: "),
    ):
        assert count in isogloss("report", "--view", "clients", *paths).stdout


def test_no_output_promises_that_a_client_works_or_ranks_clients(isogloss: Isogloss) -> None:
    printed = " ".join(
        isogloss(*arguments).stdout
        for arguments in (
            ("explain", "null-value"),
            ("clients", "show", "alpha"),
            ("report", "--view", "clients", "fixtures/schema"),
            ("check", "-v", "fixtures/schema/null-value"),
        )
    )
    assert re.findall(r"\b(safe|works with|compatible with alpha|best|worst)\b", printed, re.IGNORECASE) == []
