"""Tests of what a run prints with its findings: dialects, excerpts, help, statistics, and the next step.

Also of the options that choose what is reported, and of the name of standard input.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from dialect_examples import GROQ as GROQ_ANSWER
from dialect_examples import completion
from msgspec.structs import replace

from isogloss.cli.reporters.advice import remedy
from isogloss.validator import Finding, Severity, rules
from isogloss.validator.findings import Source

ROOT = Path(__file__).parents[2]
PAIR = "fixtures/captures/json/pair.json"
GROQ = "fixtures/dialects/groq/completion-rare.json"
GOOD = json.loads((ROOT / "fixtures" / "conforming" / "completion" / "text.json").read_bytes())
Isogloss = Callable[..., Any]


def test_the_last_line_names_a_rule_to_read_and_a_dialect_that_would_explain_findings(isogloss: Isogloss) -> None:
    output = isogloss("check", GROQ).stdout
    advice = r"next: isogloss explain (\S+); --dialect groq would explain all errors and warnings"
    match = re.fullmatch(advice, output.splitlines()[-1])
    assert match is not None
    assert f"error[{match[1]}]" in output
    assert "known in groq, which this answer speaks" in output
    explained = isogloss("check", GROQ, "--dialect", "groq").stdout
    assert "error[" not in explained
    assert re.search(r"^\d+ findings known in groq; -v lists them$", explained, re.MULTILINE)


def test_for_answers_in_several_dialects_the_last_line_suggests_auto(isogloss: Isogloss, tmp_path: Path) -> None:
    undetermined = tmp_path / "undetermined.json"
    undetermined.write_text(json.dumps({"response": GOOD | {"created": "x"}}), "utf-8")
    files = (GROQ, "fixtures/dialects/mistral/stream.sse", undetermined)
    advice = isogloss("check", *files).stdout.splitlines()[-1].partition("; ")[2]
    match = re.fullmatch(r"--dialect auto would explain (\d+) of the (\d+) different errors and warnings", advice)
    assert match is not None
    assert 2 <= int(match[1]) < int(match[2])
    explained = isogloss("check", *files, "--dialect", "auto").stdout
    left = len(re.findall(r"^.*: (?:error|warning)\[", explained, re.MULTILINE))
    assert left == int(match[2]) - int(match[1])


def test_for_answers_of_openai_the_last_line_does_not_suggest_the_default(isogloss: Isogloss) -> None:
    file = "fixtures/dialects/openai/error-2023.json"
    advice = isogloss("check", file).stdout.splitlines()[-1].partition("; ")[2]
    assert advice == "--dialect auto would explain all errors and warnings"
    assert "0 errors, 0 warnings" in isogloss("check", file, "--dialect", "auto").stdout


def test_a_request_without_an_answer_is_counted_as_such(isogloss: Isogloss) -> None:
    requests = isogloss("check", "fixtures/conforming/request").stdout.splitlines()
    assert any(line.startswith("conforms: ") and " requests, no answers)" in line for line in requests)
    assert "no answers" not in isogloss("check", PAIR).stdout
    for unreadable in ("body-not-json/invalid-page.json", "body-empty/invalid-nothing.json"):
        assert "(1 request): " in isogloss("check", f"fixtures/wire/{unreadable}").stdout


def test_a_finding_names_the_dialects_that_are_known_for_it(isogloss: Isogloss) -> None:
    output = isogloss("check", PAIR).stdout
    assert "      = known in the dialects fireworks, mistral\n" in output
    # The last line suggests no dialect, because the dialect of the answer is not certain.
    assert output.splitlines()[-1] == "next: isogloss explain wrong-type"


def test_the_dialect_of_an_answer_is_named_only_if_it_has_findings_above_notes(
    isogloss: Isogloss, tmp_path: Path
) -> None:
    deviating = completion(**copy.deepcopy(GROQ_ANSWER))
    notes = deviating | {"service_tier": "default"}
    for name, answer in (("notes", notes), ("deviating", deviating)):
        (tmp_path / f"{name}.json").write_text(json.dumps({"host": "api.groq.com", "response": answer}), "utf-8")
    outputs = [isogloss("check", tmp_path / f"{name}.json").stdout for name in ("notes", "deviating")]
    assert "known in the dialects groq" in outputs[0]
    assert ["known in groq, which this answer speaks" in output for output in outputs] == [False, True]


@pytest.mark.parametrize("output_format", ["text", "github", "gitlab", "junit", "markdown", "html", "sarif", "json"])
def test_every_format_names_the_dialect_that_explains_a_finding(
    isogloss: Isogloss, output_format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    output = isogloss("check", GROQ, "--dialect", "groq", "--format", output_format).stdout
    assert "known in groq" in output.lower() or '"explained_by": [\n        "groq"' in output


@pytest.mark.usefixtures("shared_work")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_only_the_first_of_equal_findings_has_an_excerpt(isogloss: Isogloss, tmp_path: Path, jobs: str) -> None:
    lines = [json.dumps(GOOD | {"created": "x", "a": 0}), *[json.dumps(GOOD | {"created": "x"})] * 90]
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text("\n".join(lines), "utf-8")
    result = isogloss("check", tmp_path, "--jobs", jobs)
    assert result.stdout.count('"created": "…"') == 1
    assert "(×182 in 2 files" in result.stdout


@pytest.mark.usefixtures("shared_work")
def test_the_dialects_of_a_note_do_not_depend_on_the_number_of_processes(isogloss: Isogloss, tmp_path: Path) -> None:
    answer = json.loads((ROOT / GROQ).read_bytes())
    answer["response"]["created"] = "x"  # an error, which both files have
    (tmp_path / "b.jsonl").write_text("\n".join([json.dumps(answer)] * 90), "utf-8")
    del answer["response"]["x_groq"]  # a note, which only b.jsonl has
    (tmp_path / "a.jsonl").write_text("\n".join([json.dumps(answer)] * 90), "utf-8")
    outputs = [isogloss("check", tmp_path, "--jobs", jobs).stdout for jobs in ("1", "2")]
    assert outputs[0] == outputs[1]


@pytest.mark.usefixtures("shared_work")
def test_a_note_has_an_excerpt_if_the_finding_before_it_is_listed_with_another_file(
    isogloss: Isogloss, tmp_path: Path
) -> None:
    lines = [json.dumps(GOOD | {"warp": 1}), *[json.dumps(GOOD)] * 90]
    (tmp_path / "a.jsonl").write_text("\n".join(lines), "utf-8")
    (tmp_path / "b.jsonl").write_text("\n".join([*lines, json.dumps(GOOD | {"weft": 1}), lines[0]]), "utf-8")
    outputs = [isogloss("check", tmp_path, "--jobs", jobs).stdout for jobs in ("1", "2")]
    assert outputs[0] == outputs[1]
    assert [outputs[0].count(f'"{name}": 1') for name in ("warp", "weft")] == [1, 1]


def test_excerpts_show_no_values(isogloss: Isogloss, tmp_path: Path) -> None:
    secret = "Oslo"
    message = {"role": "assistant", "content": secret, "refusal": secret, "annotations": [{"type": secret}]}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": 5}
    path = tmp_path / "a.json"
    path.write_text(json.dumps(GOOD | {"choices": [choice], "x": {"y": secret}}), "utf-8")
    excerpt_lines = [line for line in isogloss("check", path).stdout.splitlines() if line.startswith("      | ")]
    assert excerpt_lines
    assert not [line for line in excerpt_lines if secret in line]


def test_statistics_count_the_findings_of_each_rule(isogloss: Isogloss) -> None:
    lines = isogloss("check", PAIR, "fixtures/captures/sse/stream.sse", "--statistics").stdout.splitlines()
    assert " ".join(lines[0].split()) == "×4 note unknown-property in 2 files, 2 of 2 exchanges, 100 %"
    assert [line.split()[:3] for line in lines[1:3]] == [["×2", "error", "wrong-type"], ["×1", "error", "done-missing"]]
    assert lines[-1].startswith("deviates: ")
    assert isogloss("check", PAIR, "--statistics", "--format", "json").returncode == 2


def test_exit_zero_ignores_findings_but_not_a_run_that_checks_nothing(isogloss: Isogloss) -> None:
    assert isogloss("check", PAIR, "--exit-zero").returncode == 0
    assert isogloss("check", "LICENSE", "--exit-zero").returncode == 3


@pytest.mark.parametrize("output_format", ["text", "json", "jsonl", "markdown"])
def test_findings_below_min_severity_are_in_no_output(isogloss: Isogloss, output_format: str) -> None:
    output = isogloss("check", PAIR, "--min-severity", "warning", "--format", output_format).stdout
    output = re.sub(r'"rates": ?\[.*?\]', "", output, flags=re.DOTALL)  # rates do not depend on what is reported
    assert "usage-total-mismatch" in output
    assert "unknown-property" not in output
    assert "usage-total-mismatch" not in isogloss("check", PAIR, "--min-severity", "error").stdout


def test_min_severity_may_not_hide_what_fails_the_run(isogloss: Isogloss) -> None:
    result = isogloss("check", PAIR, "--min-severity", "error", "--fail-on", "warning")
    assert result.returncode == 2
    assert "would hide what fails the run" in result.stderr


def test_stdin_filename_sets_the_name_and_the_settings_of_standard_input(
    isogloss: Isogloss, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "isogloss.toml").write_text('[paths."strange/*"]\nignore = ["wrong-type"]\n', "utf-8")
    deviating = json.dumps(GOOD | {"created": "x"})
    named = isogloss("check", "-", "--stdin-filename", "plain/a.json", input=deviating)
    assert (named.returncode, named.stdout.partition(":")[0]) == (1, "plain/a.json")
    assert isogloss("check", "-", "--stdin-filename", "strange/a.json", input=deviating).returncode == 0


def test_exclude_and_records_apply_to_standard_input_by_stdin_filename(
    isogloss: Isogloss, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    mapping = '[paths."logs/*"]\nrecords = { response = "answered" }\n'
    (tmp_path / "isogloss.toml").write_text(f'exclude = ["generated"]\n{mapping}', "utf-8")
    deviating = json.dumps(GOOD | {"created": "x"})
    for name in ("generated/a.json", str(tmp_path / "generated" / "a.json")):
        excluded = isogloss("check", "-", "--stdin-filename", name, input=deviating)
        assert excluded.returncode == 3
        assert f'{name}: skipped: excluded by "generated" of exclude in isogloss.toml' in excluded.stdout
    assert isogloss("check", "-", input=deviating).returncode == 1
    log = json.dumps({"answered": GOOD | {"created": "x"}, "number": 1}) + "\n"
    assert isogloss("check", "-", "--stdin-filename", "logs/a.jsonl", input=log).returncode == 1
    assert isogloss("check", "-", "--stdin-filename", "other/a.jsonl", input=log).returncode == 3


def test_only_the_first_error_of_a_rule_has_help(isogloss: Isogloss, tmp_path: Path) -> None:
    deviating = GOOD | {"created": "x", "model": 5, "x": 1}
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text(json.dumps(deviating | {"system_fingerprint": len(name)}), "utf-8")
    lines = isogloss("check", tmp_path).stdout.splitlines()
    numbers_of_help = [number for number, line in enumerate(lines) if line.startswith("      = as a server's author: ")]
    assert [lines[number] for number in numbers_of_help] == [
        "      = as a server's author: Send the type that the message names: `created` as an integer of seconds, "
        "`arguments` as a string that holds JSON, `content` as a string, "
        "the answer as an object that is serialised once."
    ]
    assert "error[wrong-type]" in next(
        line for line in reversed(lines[: numbers_of_help[0]]) if not line.startswith("      ")
    )


def test_every_rule_has_a_remedy_that_fits_two_lines() -> None:
    source = Source(file="f", line=1, column=1, exchange=0)
    for rule in rules.names():
        kind = "request" if rules.group_of(rule) == "request" else "completion"
        finding = Finding(rule=rule, severity=Severity.ERROR, message="", kind=kind, path="", pointer="", source=source)
        reader, advice = remedy(finding)
        assert reader == ("a client's user" if rules.group_of(rule) == "request" else "a server's author"), rule
        assert 20 < len(advice) < 200, rule
        finding_in_request = replace(finding, kind="request")
        assert any(remedy(finding_in_request)) == (rules.group_of(rule) != "schema"), rule


NOT_READ = {
    "fixture.py": ('ANSWER = {"object": "chat.completion", "choices": []}', "write the payload as JSON"),
    "fixture.ts": ('export const answer = {object: "chat.completion", choices: []};', "write the payload as JSON"),
    "other.py": ("print(1)", "save the JSON"),
    "notes.txt": ("Hello, and goodbye.", "save the JSON"),
    "mail.eml": ("Subject: chat.completion\nrequest: a\n\n@@@: {{% }\n", "save the JSON"),
    "answer.bin": ("\0\1\2", "save the JSON"),
    "table.md": ('| asked | answered |\n|---|---|\n| hi | {"object": "chat.completion"} |\n', "put the body"),
    "answer.yaml": ("object: chat.completion\nchoices: [{index: 0, message: {role: assistant}}]\n", "write it as JSON"),
    "other.json": ('{"colour": "red"}', "--kind request|completion|chunk|error"),
    "log.jsonl": ('{"level": "info"}\n{"level": "warn"}\n', "--columns request=PATH,response=PATH"),
    "layout.json": (
        '{"call": {"url": "https://h/v1/chat/completions", "reply": "x", "sent": {"model": "m", "messages": '
        '[{"role": "user", "content": "Hi"}]}}}',
        "--columns request=PATH,response=PATH",
    ),
    "cut.json": ('{"colour": "red"', "--kind request|completion|chunk|error"),
    "example.jsonl": ('{"messages": [{"role": "user", "content": "Hi"}]}\n', "--kind request"),
}
"""Files that are not read, by their names: the content, and a part of the line that says what to do."""


@pytest.mark.parametrize("name", NOT_READ)
@pytest.mark.parametrize(
    "command", ["check", "report", "compare", "fold", "repro", "portability", "dialects infer --slug x"]
)
def test_the_last_line_about_a_file_that_is_not_read_says_what_to_do(
    isogloss: Isogloss, tmp_path: Path, command: str, name: str
) -> None:
    content, step = NOT_READ[name]
    (tmp_path / name).write_text(content, "utf-8")
    result = isogloss(*command.split(), tmp_path / name)
    assert result.returncode == 3
    last_line = (result.stdout if command == "check" else result.stderr).splitlines()[-1]
    assert last_line.startswith("next: ")
    assert step in last_line
    if "--kind" in step:
        assert isogloss("check", tmp_path / name, "--kind", step.split()[-1].partition("|")[0]).returncode == 1


def test_a_folder_of_many_files_without_traffic_gets_no_advice_about_files(isogloss: Isogloss, tmp_path: Path) -> None:
    for name in "abcd":
        (tmp_path / f"{name}.json").write_text("{}", "utf-8")
    assert "next:" not in isogloss("check", tmp_path).stdout
