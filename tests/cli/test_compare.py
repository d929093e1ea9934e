"""`isogloss compare` as a user runs it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from isogloss import schemas
from isogloss.cli.compare import FORMATS

Run = Callable[..., Any]
ROOT = Path(__file__).parents[2]
BEFORE, AFTER = (f"fixtures/comparisons/reasoning-renamed/{side}" for side in ("before", "after"))
TWINS = "fixtures/twins/twin-finish-differs/invalid-stop-beside-calls.jsonl"
AGREEING = "fixtures/twins/twin-finish-differs/valid-same.jsonl"
SCHEMA = json.loads(Path(schemas.__file__).with_name("report").joinpath("comparison-v1.json").read_text("utf-8"))
HOSTILE = "</script><b>|`[x]`\x1b[31m"


def test_a_silent_change_of_a_name_is_an_error_with_both_places(isogloss: Run) -> None:
    done = isogloss("compare", BEFORE, AFTER)
    assert done.returncode == 1
    assert "error[renamed] completion choices[].message.reasoning_content is called `reasoning` now" in done.stdout
    assert "error[renamed] stream choices[].message.reasoning_content is called `reasoning` now" in done.stdout
    assert f"was at {BEFORE}/plain.json:31:32, is at {AFTER}/plain.json:31:24" in done.stdout
    assert done.stdout.endswith("4 answers in 4 files, 2 requests in both: 2 errors\n")


def test_twins_that_differ_are_findings_with_both_places(isogloss: Run) -> None:
    done = isogloss("compare", TWINS)
    assert done.returncode == 1
    first = done.stdout.splitlines()[0]
    assert first.startswith(f"{TWINS}:2:")
    assert 'error[twin-finish-differs] completion choices[].finish_reason: "stop" streamed, "tool_calls" not' in first
    assert f"= against {TWINS}:1:" in done.stdout


@pytest.mark.parametrize("format", FORMATS)
def test_what_agrees_ends_with_0_in_every_format(isogloss: Run, format: str) -> None:
    done = isogloss("compare", AGREEING, "--format", format)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.thorough
@pytest.mark.parametrize(
    "folder",
    [
        "fixtures/dialects/groq",
        "fixtures/catalogue",
        "fixtures/captures",
        pytest.param("fixtures/dialects", marks=pytest.mark.slow),
    ],
)
def test_a_recording_does_not_differ_from_itself(isogloss: Run, folder: str) -> None:
    for question, told in (("--changes", "nothing changed"), ("--twins", "no twins differ")):
        done = isogloss("compare", question, folder, folder, "--fail-on", "note")
        assert (done.returncode, done.stderr) == (0, "")
        assert told in done.stdout.splitlines()[-1]


def test_two_captures_can_be_held_against_each_other_as_twins(isogloss: Run) -> None:
    done = isogloss("compare", "--twins", BEFORE, AFTER)
    assert done.returncode == 0
    assert "twin-members-differ" in done.stdout
    assert "`reasoning` in the second, `reasoning_content` in the first" in done.stdout


def test_fail_on_decides_what_fails(isogloss: Run) -> None:
    twins = "fixtures/twins/twin-usage-differs/invalid-prompt-tokens.jsonl"
    assert isogloss("compare", twins).returncode == 0
    assert isogloss("compare", twins, "--fail-on", "warning").returncode == 1


def test_rules_about_twins_can_be_chosen_and_explained(isogloss: Run) -> None:
    assert isogloss("compare", TWINS, "--ignore", "twin-finish-differs").returncode == 0
    assert isogloss("explain", "twin-finish-differs").stdout.startswith("# twin-finish-differs\n\n`twins` · error")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((TWINS, "--changes"), "--changes needs two captures"),
        ((TWINS, "--pair-by", "name"), "--pair-by needs two captures"),
        ((TWINS, "--ignore", "twin-finish-difers"), "did you mean 'twin-finish-differs'?"),
    ],
)
def test_what_does_not_go_together_is_refused(isogloss: Run, arguments: tuple[str, ...], message: str) -> None:
    done = isogloss("compare", *arguments)
    assert done.returncode == 2
    assert message in done.stderr


def test_where_nothing_is_in_both_nothing_was_compared(isogloss: Run, tmp_path: Path) -> None:
    for file in (tmp_path / "one", tmp_path / "other"):
        file.mkdir()
    shutil.copy(ROOT / BEFORE / "plain.json", tmp_path / "one" / "a.json")
    shutil.copy(ROOT / "fixtures/conforming/completion/text.json", tmp_path / "other" / "b.json")
    done = isogloss("compare", tmp_path / "one", tmp_path / "other")
    assert done.returncode == 3
    assert "--pair-by none compares all" in done.stderr
    assert isogloss("compare", tmp_path / "one", tmp_path / "other", "--pair-by", "none").returncode in (0, 1)


def test_an_error_that_passes_is_left_out(isogloss: Run) -> None:
    done = isogloss("compare", "fixtures/twins/twin-status-differs/valid-busy.jsonl")
    assert done.returncode == 3
    assert "1 passing error left out" in done.stdout


@pytest.mark.parametrize("arguments", [(BEFORE, AFTER), (TWINS,), (AGREEING,), ("--twins", BEFORE, AFTER)])
def test_the_json_report_keeps_to_its_schema(isogloss: Run, arguments: tuple[str, ...]) -> None:
    report = json.loads(isogloss("compare", *arguments, "--format", "json").stdout)
    jsonschema_rs.Draft202012Validator(SCHEMA).validate(report)
    changes = [change for some in report["changes"] for change in some["changes"]]
    assert len(report["twins"]) + len(changes) == sum(report["summary"]["found"].values())


def test_the_json_report_has_rates_dialect_and_endpoint(isogloss: Run) -> None:
    [some] = json.loads(isogloss("compare", BEFORE, AFTER, "--format", "json").stdout)["changes"]
    assert (some["dialect"], some["endpoint"], some["answers"]) == (
        "vllm",
        "/v1/chat/completions",
        {"before": 2, "after": 2},
    )
    assert {one["kind"] for one in some["changes"]} == {"completion", "stream"}
    assert all(one["before"]["seen"] == one["before"]["of"] == 1 for one in some["changes"])


@pytest.fixture
def hostile(tmp_path: Path) -> tuple[Path, Path]:
    sides = []
    for side in ("before", "after"):
        text = (ROOT / BEFORE / "plain.json").read_text("utf-8")
        record = json.loads(text)
        record["path"] = "/v1/chat/completions"
        if side == "after":
            record["response"][HOSTILE] = HOSTILE
            record["response"]["object"] = HOSTILE
        path = tmp_path / f"{side}.json"
        path.write_text(json.dumps(record))
        sides.append(path)
    return sides[0], sides[1]


@pytest.mark.parametrize("format", FORMATS)
def test_nothing_of_a_capture_gets_into_a_report_unescaped(
    isogloss: Run, hostile: tuple[Path, Path], format: str
) -> None:
    done = isogloss("compare", *hostile, "--format", format)
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    if format in ("markdown", "html"):
        assert "<b>" not in done.stdout


@pytest.mark.parametrize("arguments", [(BEFORE, AFTER), (TWINS,), (AGREEING,)])
def test_the_page_is_whole_and_needs_nothing_else(isogloss: Run, arguments: tuple[str, ...]) -> None:
    opened: list[str] = []

    class Parser(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            if tag not in ("meta", "link", "br", "input"):
                opened.append(tag)
            assert "src" not in dict(attrs)

        def handle_endtag(self, tag: str) -> None:
            assert opened.pop() == tag

    Parser().feed(isogloss("compare", *arguments, "--format", "html").stdout)
    assert opened == []


def test_a_report_can_be_written_to_a_file(isogloss: Run, tmp_path: Path) -> None:
    done = isogloss("compare", BEFORE, AFTER, "--format", "markdown", "--output", tmp_path / "changes.md")
    assert (done.returncode, done.stdout) == (1, "")
    assert (tmp_path / "changes.md").read_text().startswith("# Changes: 2 errors\n")


@pytest.fixture
def probed(tmp_path: Path) -> tuple[Path, Path]:
    def finding(rule: str, severity: str) -> dict[str, Any]:
        return {"rule": rule, "severity": severity, "kind": "chunk", "path": "usage", "source": {"file": "plain.json"}}

    sides = []
    for side, standings, found in (
        ("before", ("conforms", "deviates", "inconclusive"), finding("usage-zero", "warning")),
        ("after", ("deviates", "conforms", "unsupported"), finding("usage-repeated", "error")),
    ):
        cases = [{"name": f"case-{number}", "standing": standing} for number, standing in enumerate(standings)]
        path = tmp_path / f"{side}.json"
        path.write_text(json.dumps({"report_version": 1, "findings": [found], "cases": cases}))
        sides.append(path)
    return sides[0], sides[1]


def test_two_reports_of_a_probe_are_compared_case_by_case(isogloss: Run, probed: tuple[Path, Path]) -> None:
    done = isogloss("compare", *probed)
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "3 cases before and 3 after:",
        "  error[case] case case-0 conforms before, deviates now",
        "  error[fault] chunk usage `usage-repeated` is new (0 of 3 before, 1 of 3 after)",
        "  note[case] case case-1 deviates before, conforms now",
        "  note[case] case case-2 inconclusive before, unsupported now",
        "  note[fault] chunk usage `usage-zero` is gone (1 of 3 before, 0 of 3 after)",
        "3 cases in both: 2 errors, 3 notes",
    ]
    jsonschema_rs.Draft202012Validator(SCHEMA).validate(
        json.loads(isogloss("compare", *probed, "--format", "json").stdout)
    )
    assert isogloss("compare", probed[0], probed[0]).returncode == 0
