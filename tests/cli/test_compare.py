"""Tests of ``isogloss compare``."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from isogloss import schemas
from isogloss.cli.commands.compare import FORMATS

Isogloss = Callable[..., Any]
ROOT = Path(__file__).parents[2]
BEFORE, AFTER = (f"fixtures/comparisons/reasoning-renamed/{side}" for side in ("before", "after"))
TWINS = "fixtures/twins/twin-finish-differs/invalid-stop-beside-calls.jsonl"
OWN_DIALECT = "schemas/isogloss/schemas/dialects/groq.json"
AGREEING = "fixtures/twins/twin-finish-differs/valid-same.jsonl"
SCHEMA = json.loads(Path(schemas.__file__).with_name("report").joinpath("comparison-v1.json").read_text("utf-8"))
HOSTILE_TEXT = "</script><b>|`[x]`\x1b[31m"


def test_a_renamed_property_is_an_error_with_both_places(isogloss: Isogloss) -> None:
    result = isogloss("compare", BEFORE, AFTER)
    assert result.returncode == 1
    assert "error[renamed] completion choices[].message.reasoning_content is called `reasoning` now" in result.stdout
    assert "error[renamed] stream choices[].message.reasoning_content is called `reasoning` now" in result.stdout
    assert f"was at {BEFORE}/plain.json:31:32, is at {AFTER}/plain.json:31:24" in result.stdout
    assert result.stdout.endswith("4 answers in 4 files, 2 requests in both: 2 errors\n")


def test_twins_that_differ_are_findings_with_both_places(isogloss: Isogloss) -> None:
    result = isogloss("compare", TWINS)
    assert result.returncode == 1
    first_line = result.stdout.splitlines()[0]
    assert first_line.startswith(f"{TWINS}:2:")
    assert (
        'error[twin-finish-differs] completion choices[].finish_reason: "stop" streamed, "tool_calls" not' in first_line
    )
    assert f"= against {TWINS}:1:" in result.stdout


@pytest.mark.parametrize("output_format", FORMATS)
def test_twins_that_agree_end_with_0_in_every_format(isogloss: Isogloss, output_format: str) -> None:
    result = isogloss("compare", AGREEING, "--format", output_format)
    assert (result.returncode, result.stderr) == (0, "")


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
def test_a_recording_does_not_differ_from_itself(isogloss: Isogloss, folder: str) -> None:
    for option, message in (("--changes", "nothing changed"), ("--twins", "no twins differ")):
        result = isogloss("compare", option, folder, folder, "--fail-on", "note")
        assert result.returncode == 0
        assert message in result.stdout.splitlines()[-1]


def test_two_captures_can_be_compared_as_twins(isogloss: Isogloss) -> None:
    result = isogloss("compare", "--twins", BEFORE, AFTER)
    assert result.returncode == 0
    assert "twin-properties-differ" in result.stdout
    assert "`reasoning` in the second, `reasoning_content` in the first" in result.stdout


def test_fail_on_sets_the_severity_that_fails_the_run(isogloss: Isogloss) -> None:
    twins = "fixtures/twins/twin-usage-differs/invalid-prompt-tokens.jsonl"
    assert isogloss("compare", twins).returncode == 0
    assert isogloss("compare", twins, "--fail-on", "warning").returncode == 1


def test_rules_about_twins_can_be_ignored_and_explained(isogloss: Isogloss) -> None:
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
def test_invalid_options_are_usage_errors(isogloss: Isogloss, arguments: tuple[str, ...], message: str) -> None:
    result = isogloss("compare", *arguments)
    assert result.returncode == 2
    assert message in result.stderr


def test_captures_without_a_common_request_end_with_3(isogloss: Isogloss, tmp_path: Path) -> None:
    for folder in (tmp_path / "one", tmp_path / "other"):
        folder.mkdir()
    shutil.copy(ROOT / BEFORE / "plain.json", tmp_path / "one" / "a.json")
    shutil.copy(ROOT / "fixtures/conforming/completion/text.json", tmp_path / "other" / "b.json")
    result = isogloss("compare", tmp_path / "one", tmp_path / "other")
    assert result.returncode == 3
    assert "--pair-by none compares all" in result.stderr
    assert isogloss("compare", tmp_path / "one", tmp_path / "other", "--pair-by", "none").returncode in (0, 1)


def test_a_temporary_error_is_left_out(isogloss: Isogloss) -> None:
    result = isogloss("compare", "fixtures/twins/twin-status-differs/valid-busy.jsonl")
    assert result.returncode == 3
    assert "1 temporary error left out" in result.stdout


@pytest.fixture
def refusing(tmp_path: Path) -> Callable[[int], Path]:
    """Return a function that writes two records: one with the given status, and one with status 200.

    A record with status 200 has an answer, and any other one an error.
    """
    answer = json.loads((ROOT / "fixtures/conforming/completion/text.json").read_bytes())
    error = {"error": {"message": "No.", "type": "invalid_request_error", "param": None, "code": None}}

    def write(status: int) -> Path:
        path = tmp_path / f"{status}.jsonl"
        records = [
            {"request": {"model": "m", "messages": [{"role": "user", "content": str(number)}]}, "status": code,
             "path": "/v1/chat/completions", "response": answer if code == 200 else error}
            for number, code in enumerate((status, 200))
        ]  # fmt: skip
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        return path

    return write


@pytest.mark.parametrize("question", ["--changes", "--twins"])
@pytest.mark.parametrize("status", [401, 402, 403, 404, 405, 408, 410, 429, 502, 503, 504])
def test_a_refusal_because_of_the_key_the_model_or_the_load_is_no_change_and_no_pass(
    isogloss: Isogloss, refusing: Callable[[int], Path], status: int, question: str
) -> None:
    result = isogloss("compare", question, refusing(200), refusing(status), "--fail-on", "note")
    assert result.returncode == 3
    assert f"1 request in both, 1 refused in {refusing(status)}" in result.stdout
    assert f"Note: 1 request was refused only in {refusing(status)}, because of the key" in result.stderr
    reverse = isogloss("compare", question, refusing(status), refusing(200), "--fail-on", "note")
    assert reverse.returncode == (0 if question == "--changes" else 3)
    assert isogloss("compare", question, refusing(status), refusing(status)).returncode == 0


@pytest.mark.parametrize(
    "error",
    [
        {"error": {"message": "No.", "type": "invalid_request_error", "code": "model_decommissioned"}},
        {"object": "error", "message": "No.", "type": "invalid_model", "param": None, "code": "1500"},
    ],
    ids=["code", "type without an envelope"],
)
def test_a_refusal_whose_error_says_that_the_model_is_gone_is_no_change(
    isogloss: Isogloss, refusing: Callable[[int], Path], error: dict[str, object]
) -> None:
    path = refusing(400)
    first, second = path.read_text().splitlines()
    path.write_text(json.dumps(json.loads(first) | {"response": error}) + "\n" + second)
    result = isogloss("compare", refusing(200), path, "--fail-on", "note")
    assert result.returncode == 3
    assert f"Note: 1 request was refused only in {path}, because of the key" in result.stderr


def test_a_refusal_of_what_was_accepted_is_a_change(isogloss: Isogloss, refusing: Callable[[int], Path]) -> None:
    result = isogloss("compare", refusing(200), refusing(400))
    assert result.returncode == 1
    assert "answer was a completion with status 200, is an error with status 400 (1 of 2)" in result.stdout


def test_a_refusal_that_a_probe_asked_for_is_compared(isogloss: Isogloss, refusing: Callable[[int], Path]) -> None:
    paths = refusing(401), refusing(200)
    for path in paths:
        first, second = path.read_text().splitlines()
        path.write_text(json.dumps(json.loads(first) | {"expected_status": [401]}) + "\n" + second)
    result = isogloss("compare", *paths)
    assert "answer was an error with status 401, is a completion with status 200 (1 of 2)" in result.stdout


def test_an_answer_whose_connection_broke_is_not_compared(isogloss: Isogloss, tmp_path: Path) -> None:
    differing = ROOT / "fixtures/twins/twin-type-differs/invalid-created-text.jsonl"
    assert isogloss("compare", differing).returncode == 1
    first, *others = differing.read_text().splitlines()
    capture = tmp_path / "broken.jsonl"
    capture.write_text("\n".join([json.dumps(json.loads(first) | {"broken": True}), *others]))
    assert "twin-type-differs" not in isogloss("compare", capture).stdout


@pytest.mark.parametrize("arguments", [(BEFORE, AFTER), (TWINS,), (AGREEING,), ("--twins", BEFORE, AFTER)])
def test_the_json_report_follows_its_schema(isogloss: Isogloss, arguments: tuple[str, ...]) -> None:
    report = json.loads(isogloss("compare", *arguments, "--format", "json").stdout)
    jsonschema_rs.Draft202012Validator(SCHEMA).validate(report)
    changes = [change for group in report["changes"] for change in group["changes"]]
    assert len(report["twins"]) + len(changes) == sum(report["summary"]["found"].values())


def test_the_json_report_has_rates_dialect_and_endpoint(isogloss: Isogloss) -> None:
    [group] = json.loads(isogloss("compare", BEFORE, AFTER, "--format", "json").stdout)["changes"]
    assert (group["dialect"], group["endpoint"], group["answers"]) == (
        "vllm",
        "/v1/chat/completions",
        {"before": 2, "after": 2},
    )
    assert {change["kind"] for change in group["changes"]} == {"completion", "stream"}
    assert all(change["before"]["seen"] == change["before"]["of"] == 1 for change in group["changes"])


@pytest.fixture
def hostile_records(tmp_path: Path) -> tuple[Path, Path]:
    """Write two records, the second with control characters and markup, and return their paths."""
    paths = []
    for side in ("before", "after"):
        text = (ROOT / BEFORE / "plain.json").read_text("utf-8")
        record = json.loads(text)
        record["path"] = "/v1/chat/completions"
        if side == "after":
            record["response"][HOSTILE_TEXT] = HOSTILE_TEXT
            record["response"]["object"] = HOSTILE_TEXT
        path = tmp_path / f"{side}.json"
        path.write_text(json.dumps(record))
        paths.append(path)
    return paths[0], paths[1]


@pytest.mark.parametrize("output_format", FORMATS)
def test_texts_of_a_capture_are_escaped_in_every_format(
    isogloss: Isogloss, hostile_records: tuple[Path, Path], output_format: str
) -> None:
    result = isogloss("compare", *hostile_records, "--format", output_format)
    assert result.returncode == 0
    assert "\x1b" not in result.stdout
    if output_format in ("markdown", "html"):
        assert "<b>" not in result.stdout


@pytest.mark.parametrize("arguments", [(BEFORE, AFTER), (TWINS,), (AGREEING,)])
def test_the_page_closes_every_tag_and_loads_nothing(isogloss: Isogloss, arguments: tuple[str, ...]) -> None:
    open_tags: list[str] = []

    class Parser(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            if tag not in ("meta", "link", "br", "input"):
                open_tags.append(tag)
            assert "src" not in dict(attrs)

        def handle_endtag(self, tag: str) -> None:
            assert open_tags.pop() == tag

    Parser().feed(isogloss("compare", *arguments, "--format", "html").stdout)
    assert open_tags == []


def test_a_report_can_be_written_to_a_file(isogloss: Isogloss, tmp_path: Path) -> None:
    result = isogloss("compare", BEFORE, AFTER, "--output", f"markdown:{tmp_path / 'changes.md'}")
    assert result.returncode == 1
    assert result.stdout.endswith("2 errors\n")
    assert (tmp_path / "changes.md").read_text().startswith("# Changes: 2 errors\n")


@pytest.fixture
def probe_reports(tmp_path: Path) -> tuple[Path, Path]:
    """Write two reports of ``probe``, and return their paths."""

    def make_finding(rule: str, severity: str) -> dict[str, Any]:
        return {"rule": rule, "severity": severity, "kind": "chunk", "path": "usage", "source": {"file": "plain.json"}}

    paths = []
    for side, standings, finding in (
        ("before", ("conforms", "deviates", "inconclusive"), make_finding("usage-zero", "warning")),
        ("after", ("deviates", "conforms", "unsupported"), make_finding("usage-repeated", "error")),
    ):
        cases = [{"name": f"case-{number}", "standing": standing} for number, standing in enumerate(standings)]
        path = tmp_path / f"{side}.json"
        path.write_text(json.dumps({"report_version": 1, "findings": [finding], "cases": cases}))
        paths.append(path)
    return paths[0], paths[1]


def test_other_reports_and_a_report_beside_a_capture_are_refused(
    isogloss: Isogloss, probe_reports: tuple[Path, Path], tmp_path: Path
) -> None:
    (tmp_path / "check.json").write_text(isogloss("check", TWINS, "--format", "json").stdout, "utf-8")
    server = {"name": "a", "url": "http://h", "report": json.loads(probe_reports[0].read_bytes())}
    for count in (0, 2):
        (tmp_path / f"{count}.json").write_text(json.dumps({"report_version": 1, "servers": [server] * count}), "utf-8")
    for other, message in ((tmp_path / "check.json", "is not a JSON report of isogloss probe"),
                           (tmp_path / "0.json", "is about 0 servers"), (tmp_path / "2.json", "is about 2 servers"),
                           (Path(TWINS), "before.json is a report of isogloss")):  # fmt: skip
        for pair in ((probe_reports[0], other), (other, probe_reports[0])):
            result = isogloss("compare", *pair)
            assert message in result.stderr
            assert result.returncode == 2


@pytest.mark.parametrize("command", ["check", "report", "compare", "fold"])
def test_a_report_in_place_of_a_capture_is_recognised_from_standard_input_too(
    isogloss: Isogloss, probe_reports: tuple[Path, Path], command: str
) -> None:
    for name, data in ((str(probe_reports[0]), None), ("-", probe_reports[0].read_bytes())):
        result = isogloss(command, name, input=data)
        assert result.returncode == 3
        printed = result.stdout + result.stderr
        assert "not Chat Completions: report of isogloss" in printed
        assert "next: isogloss compare takes two reports of isogloss probe" in printed


def test_a_report_on_standard_input_beside_a_capture_is_refused_as_in_a_file(
    isogloss: Isogloss, probe_reports: tuple[Path, Path]
) -> None:
    result = isogloss("compare", "-", TWINS, input=probe_reports[0].read_bytes())
    assert result.returncode == 2
    assert "<stdin> is a report of isogloss: give two reports of isogloss probe, or two captures" in result.stderr


def test_either_capture_may_be_standard_input(isogloss: Isogloss) -> None:
    answer = Path("fixtures/conforming/completion/text.json")
    for given in ("-", answer), (answer, "-"):
        result = isogloss("compare", *given, "--pair-by", "none", input=answer.read_bytes())
        assert (result.returncode, result.stdout.rpartition(": ")[2]) == (0, "nothing changed\n")
    result = isogloss("compare", "-", "-", input=answer.read_bytes())
    assert result.returncode == 2
    assert "only one of the two captures can be standard input" in result.stderr


def test_a_capture_without_answers_is_named(isogloss: Isogloss, tmp_path: Path) -> None:
    result = isogloss("compare", tmp_path, "fixtures/conforming/completion/text.json")
    assert result.returncode == 3
    assert result.stderr == f"Note: no answer was found in {tmp_path} that could be compared\n"


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="a shell gives a pipe its name in /dev/fd")
@pytest.mark.parametrize("name", ["pipe", "-"])
def test_a_report_may_come_through_a_pipe_or_standard_input(
    isogloss: Isogloss, probe_reports: tuple[Path, Path], name: str
) -> None:
    before, after = probe_reports
    data = before.read_bytes() + b" " * 3000  # more than what is read to recognise a report
    reading, writing = os.pipe()
    os.write(writing, data)
    os.close(writing)
    result = isogloss("compare", name.replace("pipe", f"/dev/fd/{reading}"), after, input=data)
    os.close(reading)
    assert result.stdout == isogloss("compare", before, after).stdout
    assert "3 cases in both: 2 errors, 3 notes" in result.stdout


@pytest.mark.parametrize("view", ["dialects", "coverage", "clients"])
def test_the_other_reports_of_isogloss_are_recognised_too(isogloss: Isogloss, view: str) -> None:
    reports = [isogloss("report", TWINS, "--view", view, "--format", "json").stdout]
    reports += [isogloss(command, TWINS, "--format", "json").stdout for command in ("check", "compare")]
    for report in reports:
        assert "not Chat Completions: report of isogloss" in isogloss("check", "-", input=report).stdout


@pytest.mark.parametrize("escape", [str, lambda key: key.replace("-", "\\u002d")])
def test_a_key_in_a_report_of_a_probe_is_masked(
    isogloss: Isogloss, probe_reports: tuple[Path, Path], escape: Callable[[str], str]
) -> None:
    key = "sk-proj-Zq8LmN4xR7vT2wY6pK1s"
    text = probe_reports[1].read_text("utf-8")
    probe_reports[1].write_text(text.replace("usage-repeated", escape(key)).replace("deviates", escape(key)), "utf-8")
    result = isogloss("compare", *probe_reports)
    assert "sk-*" in result.stdout
    assert "Zq8LmN4x" not in result.stdout


def test_two_reports_of_a_probe_are_compared_case_by_case(isogloss: Isogloss, probe_reports: tuple[Path, Path]) -> None:
    result = isogloss("compare", *probe_reports)
    assert result.returncode == 1
    assert result.stdout.splitlines() == [
        "3 cases before and 3 after:",
        "  error[case] case case-0 conforms before, deviates now",
        "  error[fault] chunk usage `usage-repeated` is new (0 of 3 before, 1 of 3 after)",
        "  note[case] case case-1 deviates before, conforms now",
        "  note[case] case case-2 inconclusive before, unsupported now",
        "  note[fault] chunk usage `usage-zero` is gone (1 of 3 before, 0 of 3 after)",
        "3 cases in both: 2 errors, 3 notes",
    ]
    jsonschema_rs.Draft202012Validator(SCHEMA).validate(
        json.loads(isogloss("compare", *probe_reports, "--format", "json").stdout)
    )
    assert isogloss("compare", probe_reports[0], probe_reports[0]).returncode == 0


def test_a_case_that_is_inconclusive_now_is_no_change_and_what_it_broke_is_not_gone(
    isogloss: Isogloss, probe_reports: tuple[Path, Path]
) -> None:
    before, after = probe_reports
    finding = json.loads(before.read_bytes())["findings"][0] | {"source": {"file": "case-1.json"}}
    for path, findings, standings in (
        (before, [finding], ("conforms", "deviates", "conforms")),
        (after, [], ("conforms", "inconclusive", "inconclusive")),
    ):
        cases = [{"name": f"case-{number}", "standing": standing} for number, standing in enumerate(standings)]
        path.write_text(json.dumps({"report_version": 1, "findings": findings, "cases": cases}))
    result = isogloss("compare", before, after, "--fail-on", "note")
    assert result.returncode == 0
    assert result.stdout == f"1 case in both, 2 without a partner in {before}: nothing changed\n"
    known = json.loads(after.read_bytes())
    known["cases"][0]["standing"] = "inconclusive"
    after.write_text(json.dumps(known))
    assert isogloss("compare", before, after).returncode == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((TWINS, AGREEING, "--select", "twins"), "--select and --ignore are for comparing twins: add --twins"),
        ((TWINS, "--select", "calls-with-stop"), "isogloss compare checks only rules about twins"),
        ((TWINS, "--ignore", "calls-with-stop"), "isogloss compare checks only rules about twins"),
        ((TWINS, "--dialect-file", OWN_DIALECT), "--dialect-file is for what changed, and has no effect on twins"),
    ],
)
def test_an_option_without_an_effect_here_is_refused(
    isogloss: Isogloss, arguments: tuple[str, ...], message: str
) -> None:
    result = isogloss("compare", *arguments)
    assert result.returncode == 2
    assert message in result.stderr


def test_changes_of_rules_that_the_configuration_ignores_are_not_compared(
    isogloss: Isogloss, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = json.loads((ROOT / "fixtures/conforming/completion/text.json").read_bytes())
    for name, change in (("before.json", {}), ("after.json", {"usage": answer["usage"] | {"total_tokens": 1}})):
        Path(name).write_text(json.dumps(answer | change))
    assert "usage-total-mismatch" in isogloss("compare", "before.json", "after.json").stdout
    Path("isogloss.toml").write_text('ignore = ["usage-total-mismatch"]')
    assert "usage-total-mismatch" not in isogloss("compare", "before.json", "after.json").stdout
