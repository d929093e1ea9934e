"""What a run says beside the findings: whose they are, what to do next, counts, and what it does not count."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from isogloss.cli.reporters.advice import remedy
from isogloss.validator import Finding, Severity, rules
from isogloss.validator.findings import Source

ROOT = Path(__file__).parents[2]
PAIR = "fixtures/captures/json/pair.json"
GROQ = "fixtures/dialects/groq/completion-rare.json"
GOOD = json.loads((ROOT / "fixtures" / "conforming" / "completion" / "text.json").read_bytes())
Isogloss = Callable[..., Any]


def test_the_last_line_says_which_rule_to_read_and_which_dialect_would_explain_what(isogloss: Isogloss) -> None:
    told = isogloss("check", GROQ).stdout
    last = re.fullmatch(r"next: isogloss explain (\S+); --dialect groq would explain (\d+) of these (\d+)",
                        told.splitlines()[-1])  # fmt: skip
    assert last is not None
    assert f"error[{last[1]}]" in told
    assert last[2] == last[3] == str(len(re.findall(r"(?:error|warning|note)\[", told)))
    assert "known of groq, which this answer speaks" in told
    explained = isogloss("check", GROQ, "--dialect", "groq").stdout
    assert "error[" not in explained
    assert re.search(r"^\d+ findings known of groq: -v$", explained, re.MULTILINE)


def test_a_finding_says_of_which_dialects_it_is_known(isogloss: Isogloss) -> None:
    told = isogloss("check", PAIR).stdout
    assert "      = known of the dialects fireworks, mistral\n" in told
    assert told.splitlines()[-1] == "next: isogloss explain wrong-type"  # whose the answer is, is not sure


@pytest.mark.parametrize("output_format", ["text", "github", "gitlab", "junit", "markdown", "html", "sarif", "json"])
def test_what_a_dialect_explains_has_its_name_in_every_output(
    isogloss: Isogloss, output_format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    told = isogloss("check", GROQ, "--dialect", "groq", "--format", output_format).stdout
    assert "known of groq" in told.lower() or '"explained_by": [\n        "groq"' in told


@pytest.mark.usefixtures("shared_work")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_what_stands_at_a_place_is_that_of_the_first_finding(isogloss: Isogloss, tmp_path: Path, jobs: str) -> None:
    lines = [json.dumps(GOOD | {"created": "x", "a": 0}), *[json.dumps(GOOD | {"created": "x"})] * 90]
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text("\n".join(lines), "utf-8")
    done = isogloss("check", tmp_path, "--jobs", jobs)
    assert done.stdout.count('"created": "…"') == 1
    assert "(×182 in 2 files" in done.stdout


@pytest.mark.usefixtures("shared_work")
def test_what_is_known_of_a_note_does_not_depend_on_the_number_of_processes(isogloss: Isogloss, tmp_path: Path) -> None:
    answer = json.loads((ROOT / GROQ).read_bytes())
    answer["response"]["created"] = "x"  # more than a note, which both files show
    (tmp_path / "b.jsonl").write_text("\n".join([json.dumps(answer)] * 90), "utf-8")
    del answer["response"]["x_groq"]  # a note, which only the second shows
    (tmp_path / "a.jsonl").write_text("\n".join([json.dumps(answer)] * 90), "utf-8")
    told = [isogloss("check", tmp_path, "--jobs", jobs).stdout for jobs in ("1", "2")]
    assert told[0] == told[1]


def test_values_are_shown_in_no_frame(isogloss: Isogloss, tmp_path: Path) -> None:
    secret = "Oslo"
    message = {"role": "assistant", "content": secret, "refusal": secret, "annotations": [{"type": secret}]}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": 5}
    path = tmp_path / "a.json"
    path.write_text(json.dumps(GOOD | {"choices": [choice], "x": {"y": secret}}), "utf-8")
    frames = [line for line in isogloss("check", path).stdout.splitlines() if line.startswith("      | ")]
    assert frames
    assert not [line for line in frames if secret in line]


def test_statistics_count_by_rule(isogloss: Isogloss) -> None:
    told = isogloss("check", PAIR, "fixtures/captures/sse/stream.sse", "--statistics").stdout.splitlines()
    assert told[0].split() == [
        "4",
        "note",
        "unknown-property",
        "in",
        "2",
        "files,",
        "2",
        "of",
        "2",
        "exchanges,",
        "100",
        "%",
    ]
    assert [line.split()[:3] for line in told[1:3]] == [["2", "error", "wrong-type"], ["1", "error", "done-missing"]]
    assert told[-1].startswith("deviates: ")
    assert isogloss("check", PAIR, "--statistics", "--format", "json").returncode == 2


def test_exit_zero_passes_findings_and_nothing_else(isogloss: Isogloss) -> None:
    assert isogloss("check", PAIR, "--exit-zero").returncode == 0
    assert isogloss("check", "LICENSE", "--exit-zero").returncode == 3


@pytest.mark.parametrize("output_format", ["text", "json", "jsonl", "markdown"])
def test_findings_below_the_least_severity_are_in_no_output(isogloss: Isogloss, output_format: str) -> None:
    told = isogloss("check", PAIR, "--min-severity", "warning", "--format", output_format).stdout
    told = re.sub(r'"rates": ?\[.*?\]', "", told, flags=re.DOTALL)  # which are the same whatever is reported
    assert "usage-total-mismatch" in told
    assert "unknown-property" not in told
    assert "usage-total-mismatch" not in isogloss("check", PAIR, "--min-severity", "error").stdout


def test_what_fails_the_run_is_not_hidden(isogloss: Isogloss) -> None:
    done = isogloss("check", PAIR, "--min-severity", "error", "--fail-on", "warning")
    assert done.returncode == 2
    assert "would hide what fails the run" in done.stderr


def test_standard_input_has_the_name_and_the_settings_of_a_file(
    isogloss: Isogloss, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "isogloss.toml").write_text('[paths."strange/*"]\nignore = ["wrong-type"]\n', "utf-8")
    wrong = json.dumps(GOOD | {"created": "x"})
    named = isogloss("check", "-", "--stdin-filename", "plain/a.json", input=wrong)
    assert (named.returncode, named.stdout.partition(":")[0]) == (1, "plain/a.json")
    assert isogloss("check", "-", "--stdin-filename", "strange/a.json", input=wrong).returncode == 0


def test_standard_input_is_left_out_and_read_as_the_file_whose_name_it_has(
    isogloss: Isogloss, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    mapping = '[paths."logs/*"]\nrecords = { response = "answered" }\n'
    (tmp_path / "isogloss.toml").write_text(f'exclude = ["generated"]\n{mapping}', "utf-8")
    wrong = json.dumps(GOOD | {"created": "x"})
    for name in ("generated/a.json", str(tmp_path / "generated" / "a.json")):
        left = isogloss("check", "-", "--stdin-filename", name, input=wrong)
        assert left.returncode == 3
        assert f'{name}: skipped: excluded by "generated" of exclude in isogloss.toml' in left.stdout
    assert isogloss("check", "-", input=wrong).returncode == 1
    log = json.dumps({"answered": GOOD | {"created": "x"}}) + "\n"
    assert isogloss("check", "-", "--stdin-filename", "logs/a.jsonl", input=log).returncode == 1
    assert isogloss("check", "-", "--stdin-filename", "other/a.jsonl", input=log).returncode == 3


def test_the_first_finding_of_each_rule_that_matters_says_what_repairs_it(isogloss: Isogloss, tmp_path: Path) -> None:
    wrong = GOOD | {"created": "x", "model": 5, "x": 1}
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text(json.dumps(wrong | {"system_fingerprint": len(name)}), "utf-8")
    lines = isogloss("check", tmp_path).stdout.splitlines()
    helped = [number for number, line in enumerate(lines) if line.startswith("      = help: ")]
    assert [lines[number] for number in helped] == [
        "      = help: Send the type that the message names: `created` as an integer of seconds, `arguments` as "
        "a string that holds JSON, `content` as a string."
    ]
    assert "error[wrong-type]" in next(line for line in reversed(lines[: helped[0]]) if not line.startswith("      "))


def test_every_rule_has_a_remedy_that_fits_two_lines() -> None:
    source = Source(file="f", line=1, column=1, exchange=0)
    for rule in rules.names():
        kind = "request" if rules.group_of(rule) == "request" else "completion"
        found = Finding(rule=rule, severity=Severity.ERROR, message="", kind=kind, path="", pointer="", source=source)
        assert 20 < len(remedy(found)) < 200, rule
        schema = replace(found, kind="request")
        assert bool(remedy(schema)) == (rules.group_of(rule) != "schema"), rule


def test_a_single_file_of_other_json_says_how_it_is_checked_all_the_same(isogloss: Isogloss, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"colour": "red"}', "utf-8")
    told = isogloss("check", tmp_path / "a.json").stdout.splitlines()[-1]
    assert told == "next: isogloss check --kind request|completion|chunk|error checks it as that, whatever it holds"
    assert isogloss("check", tmp_path / "a.json", "--kind", "error").returncode == 1
    (tmp_path / "b.json").write_text("{}", "utf-8")
    assert "next:" not in isogloss("check", tmp_path).stdout
