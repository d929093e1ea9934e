"""What clients were seen to break on, as a user sees it: beside findings, by rule, by client, and over a corpus."""

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
FOLDER = ROOT / "tests/validator/impact/clients"
NULL = "fixtures/schema/null-value/invalid-completion-choices.json"
NOTE = "fixtures/schema/unknown-property/invalid-chunk-reasoning-content.json"
NOBODY = "fixtures/schema/null-value/invalid-completion-annotations.json"
LINE = "seen to break: alpha 1.0.0 and 2.0.0 plain (raises), beta 3.1.0 generate (raises)"

Run = Callable[..., Any]


@pytest.fixture(autouse=True)
def clients_of_the_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_files, "CLIENTS", FOLDER)


def _schema(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((Path(schemas.__file__).parent / "report" / name).read_bytes())
    return loaded


@pytest.mark.parametrize("output", ["json", "jsonl", "sarif", "markdown", "html"])
def test_reports_for_machines_and_browsers_say_which_clients_were_seen_to_break(isogloss: Run, output: str) -> None:
    printed = isogloss("check", NULL, "--format", output).stdout
    plain = re.sub(r"&#\d+;|\\", "", printed)
    assert LINE[1:] in plain  # a sentence of a page begins with a capital
    nobody = isogloss("check", NOBODY, "--format", output).stdout.lower()
    assert "seen to break" not in nobody.partition('"results"')[2 if output == "sarif" else 0]


def test_the_help_of_a_rule_in_sarif_has_the_table_of_the_clients_that_count(isogloss: Run) -> None:
    def help_text(*arguments: str) -> str:
        log = json.loads(isogloss("check", NULL, "--format", "sarif", *arguments).stdout)
        text: str = log["runs"][0]["tool"]["driver"]["rules"][0]["help"]["markdown"]
        return text

    assert "| alpha | 1.0.0, 2.0.0 | plain |" in help_text()
    assert "alpha" not in help_text("--clients", "beta")


def test_text_says_it_when_it_is_verbose_or_asked_to(isogloss: Run) -> None:
    assert "seen to break" not in isogloss("check", NULL).stdout
    assert LINE in isogloss("check", NULL, "-v").stdout
    assert "seen to break: beta 3.1.0 generate (raises)\n" in isogloss("check", NULL, "--clients", "beta").stdout


@pytest.mark.parametrize("output", ["text", "github", "gitlab", "junit"])
def test_every_format_says_it_when_it_can_fail_the_run(isogloss: Run, output: str) -> None:
    done = isogloss("check", NOTE, "--fail-on-impact", "--format", output)
    assert done.returncode == 1
    assert "seen to break: beta 3.1.0 agent (changes the reasoning)" in done.stdout


def test_json_names_the_clients_and_counts_the_cases_and_follows_its_schema(isogloss: Run) -> None:
    report = json.loads(isogloss("check", NULL, NOTE, NOBODY, "--format", "json").stdout)
    jsonschema_rs.Draft202012Validator(_schema("v1.json")).validate(report)
    impacts = {one["rule"] + one["path"]: one.get("impact") for one in report["findings"]}
    assert impacts == {
        "null-valuechoices": {"text": LINE, "clients": ["alpha", "beta"], "cases": 1},
        "unknown-propertychoices[].delta.reasoning_content": {
            "text": "seen to break: beta 3.1.0 agent (changes the reasoning)",
            "clients": ["beta"],
            "cases": 1,
        },
        "null-valuechoices[].message.annotations": None,
    }


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((NOTE,), 0),
        ((NOTE, "--fail-on-impact"), 1),
        ((NOTE, "--fail-on-impact", "--clients", "beta"), 1),
        ((NOTE, "--fail-on-impact", "--clients", "alpha"), 0),
        ((NOTE, "--clients", "beta"), 0),
        ((NOTE, "--fail-on-impact", "--quiet"), 1),
        ((NOTE, "--fail-on-impact", "--dialect", "deepseek"), 1),
        ((NOTE, "--fail-on-impact", "--exit-zero"), 0),
        ((NOBODY, "--fail-on-impact"), 0),
        ((NULL, "--fail-on-impact", "--clients", "alpha,beta"), 1),
    ],
)
def test_a_run_fails_on_what_a_client_was_seen_to_break_on_if_asked_to(
    isogloss: Run, arguments: tuple[str, ...], code: int
) -> None:
    done = isogloss("check", *arguments)
    assert done.returncode == code
    assert ("conforms" in done.stdout) == (code == 0 and "--exit-zero" not in arguments)
    if code and "--quiet" in arguments:
        assert "unknown-property" in done.stdout


def test_a_baseline_knows_what_fails_the_run_for_a_client(isogloss: Run, tmp_path: Path) -> None:
    known = tmp_path / "known.json"
    isogloss("check", NOTE, "--fail-on-impact", "--write-baseline", known)
    assert isogloss("check", NOTE, "--fail-on-impact", "--baseline", known).returncode == 0


@pytest.mark.usefixtures("shared_work")
def test_several_processes_say_the_same_as_one(isogloss: Run, tmp_path: Path) -> None:
    text = (ROOT / NULL).read_text("utf-8").replace("\n", "")
    note = (ROOT / "fixtures/conforming/completion/text.json").read_text("utf-8").replace("\n", "")
    file = tmp_path / "many.jsonl"
    file.write_text(f"{text}\n{note}\n" * 60)
    one, two = (isogloss("check", file, "--format", "markdown", "--jobs", str(jobs)).stdout for jobs in (1, 2))
    assert one == two
    assert "seen to break" in one


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("check", NULL, "--clients", "betta"), "no client is called 'betta'; did you mean 'beta'?"),
        (("check", NULL, "--clients", ","), "no client is named"),
        (("check", NULL, "--fail-on-impact", "--min-severity", "error"), "would hide what fails the run"),
        (("report", NULL, "--clients", "beta"), "--clients is for --view clients"),
        (("report", NULL, "--view", "clients", "--evidence"), "are for --view dialects"),
        (("clients", "show", "gamma"), "no client is called 'gamma'"),
    ],
)
def test_options_that_mean_nothing_are_refused(isogloss: Run, arguments: tuple[str, ...], message: str) -> None:
    done = isogloss(*arguments)
    assert done.returncode == 2
    assert message in done.stderr


def test_explain_has_a_table_of_clients_and_one_of_places(isogloss: Run) -> None:
    page = isogloss("explain", "null-value").stdout
    section = page.partition("## Seen to break\n")[2]
    assert "| alpha | 1.0.0, 2.0.0 | plain | raises in 1 | 1 of 2 |" in section
    assert "| beta | 3.1.0 | generate | raises | 1 of 1 |" in section
    assert f"| completion `choices` | `null` | 1 | {LINE.removeprefix('seen to break: ')} |" in section
    assert "annotations" not in section  # nothing was seen there
    assert "Seen to break" not in isogloss("explain", "id-empty").stdout


def test_explain_as_json_has_every_outcome_by_place_and_form(isogloss: Run) -> None:
    [place] = json.loads(isogloss("explain", "wrong-type", "--format", "json").stdout)["seen_to_break"]
    assert (place["path"], place["value"], len(place["cases"])) == ("choices[].message.content", "array", 2)
    [seen] = place["breaks"]
    assert (seen["client"], seen["outcome"], seen["cases"], seen["of"]) == ("alpha", "silent", 1, 2)
    assert "seen_to_break" not in json.loads(isogloss("explain", "id-empty", "--format", "json").stdout)


def test_clients_are_listed_by_name_with_versions_and_paths(isogloss: Run) -> None:
    assert isogloss("clients", "list").stdout.splitlines() == [
        "alpha  alpha 1.0.0, 2.0.0 (plain, stream)",
        "beta   @beta/client 3.1.0 (generate, agent)",
    ]
    first, _ = json.loads(isogloss("clients", "list", "--format", "json").stdout)
    assert (first["registry"], [run["version"] for run in first["runs"]]) == ("pypi", ["1.0.0", "2.0.0"])


def test_a_client_is_shown_with_what_was_seen_and_the_command_that_repeats_it(isogloss: Run) -> None:
    page = isogloss("clients", "show", "beta").stdout
    assert "| 3.1.0 | 2026-11-22 | generate | 2 | 1 | 1 | 0 | 1 |" in page
    deviating, _, conforming = page.partition("## Conforming answers that it was seen to break on")
    assert "`unknown-property/reasoning`" in deviating
    assert "`conforming/two-choices`" in conforming
    found = json.loads(isogloss("clients", "show", "beta", "--format", "json").stdout)["seen_to_break"]
    assert {one["case"]: one["repeat"] for one in found}["conforming/two-choices"] == (
        "python tests/clients/run.py --client beta --path agent --case conforming/two-choices"
    )


def test_a_client_that_broke_alike_in_two_versions_is_one_row(isogloss: Run) -> None:
    page = isogloss("clients", "show", "alpha").stdout
    assert "| plain | 1.0.0, 2.0.0 | raises |" in page
    assert "Conforming answers" not in page


@pytest.fixture
def seen(isogloss: Run) -> Callable[..., dict[str, Any]]:
    return lambda *arguments: json.loads(isogloss("report", "--view", "clients", *arguments, "--format", "json").stdout)


def test_the_view_of_clients_counts_exchanges_by_client_and_by_deviation(
    seen: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    for number in range(3):
        (tmp_path / f"{number}.json").write_text((ROOT / NULL).read_text("utf-8"))
    report = seen(tmp_path, NOTE, NOBODY, "fixtures/schema/null-value/invalid-completion-id.json")
    jsonschema_rs.Draft202012Validator(_schema("clients-v1.json")).validate(report)
    assert report["summary"] | {"files": 6, "exchanges": 6, "seen_to_break": 4} == report["summary"]
    counts = {(one["client"], one["version"], one["path"]): one["exchanges"] for one in report["clients"]}
    assert counts == {
        ("alpha", "1.0.0", "plain"): 3,
        ("alpha", "2.0.0", "plain"): 3,
        ("beta", "3.1.0", "agent"): 1,
        ("beta", "3.1.0", "generate"): 3,
    }
    assert [(one["path"], one["exchanges"]) for one in report["seen_to_break"]] == [
        ("choices", 3),
        ("choices[].delta.reasoning_content", 1),
    ]
    assert [one["path"] for one in report["nothing_seen"]] == ["choices[].message.annotations"]
    assert [one["path"] for one in report["not_known"]] == ["id"]


def test_the_view_of_one_client_leaves_out_what_is_known_of_others(seen: Callable[..., dict[str, Any]]) -> None:
    report = seen(NULL, NOTE, "--clients", "alpha")
    assert {one["client"] for one in report["clients"]} == {"alpha"}
    assert [one["path"] for one in report["nothing_seen"]] == ["choices[].delta.reasoning_content"]


def test_what_a_client_asks_for_is_not_counted_against_clients(seen: Callable[..., dict[str, Any]]) -> None:
    report = seen("fixtures/schema/null-value/invalid-request-model.json")
    assert report["seen_to_break"] == report["nothing_seen"] == report["not_known"] == []


@pytest.mark.parametrize("output", ["text", "markdown", "html"])
def test_every_format_of_the_view_names_clients_deviations_and_what_is_not_known(isogloss: Run, output: str) -> None:
    folder = "fixtures/schema/null-value"
    printed = isogloss("report", "--view", "clients", folder, "--format", output).stdout
    plain = re.sub(r"\\|<[^>]*>", "", printed)
    assert "alpha" in plain
    assert "Not known" in plain
    assert "Run, and nothing seen" in plain
    assert "2 of 2 clients seen to break" in plain


def test_the_words_are_seen_to_break_and_never_a_promise(isogloss: Run) -> None:
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
