"""Tests of invalid configurations, baselines and files of dialects: the file is named, and the run ends with 2."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from isogloss.cli.configuration import named_files

PAIR = "fixtures/captures/json/pair.json"
DEEP = "[" * 100_000 + "]" * 100_000
DIALECT = {
    "slug": "own", "name": "Own", "kind": "server", "summary": "A server.",
    "sources": {"s": {"confidence": "source-code", "where": "server 1.0", "date": "2026-11"}},
}  # fmt: skip


def dialect_with(schema: str) -> str:
    """Return the file of a dialect with one deviation that has this schema."""
    fact = {"in": ["completion"], "at": "x", "schema": "SCHEMA", "source": "s"}
    return json.dumps(DIALECT | {"deviations": [fact]}).replace('"SCHEMA"', schema)


BASELINES = {
    "no JSON": "{",
    "nested too deep": f'{{"baseline_version": 1, "findings": {DEEP}}}',
    "a large number": '{"baseline_version": 1, "findings": [{"count": 99999999999999999999999}]}',
    "no list": '{"baseline_version": 1, "findings": {"a": 1}}',
    "an odd version": '{"baseline_version": {}}',
    "no UTF-8": "\udcff",
}
CONFIGURATIONS = {
    "nested too deep": f"a = {DEEP}",
    "a large number": "a = " + "9" * 5000,
    "no table": "paths = [[1]]",
    "a table for a name": "dialect = {a = 1}",
    "a date": "fail-on = 1979-05-27",
    "no UTF-8": "\udcff",
}
DIALECTS = {
    "no JSON": "{",
    "nested too deep": DEEP,
    "nothing": "null",
    "an object for a name": '{"slug": {}}',
    "a schema elsewhere": '{"slug": "x", "deviations": [{"schema": {"$ref": "http://localhost/y"}}]}',
    "a type that is none": dialect_with('{"type": {"a": []}}'),
    "an enumeration that is none": dialect_with('{"enum": "x"}'),
    "a reference to nothing": dialect_with('{"$ref": "#/nowhere"}'),
    "a rule that nobody knows": json.dumps(
        DIALECT | {"behaviours": [{"rule": "usage-absend", "source": "s", "note": "n"}]}
    ),
    "a schema in schemas": dialect_with('{"not": ' * 300 + "true" + "}" * 300),
    "no UTF-8": "\udcff",
}
CASES = [
    pytest.param(options, text, id=f"{options[0][2:]} {name}")
    for options, texts in (
        (("--baseline",), BASELINES),
        (("--config",), CONFIGURATIONS),
        (("--dialect-file", "--dialect", "auto"), DIALECTS),
    )
    for name, text in texts.items()
]


@pytest.mark.parametrize(("options", "text"), CASES)
def test_an_invalid_file_is_named(
    isogloss: Callable[..., Any], tmp_path: Path, options: tuple[str, ...], text: str
) -> None:
    file = tmp_path / "hostile"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    result = isogloss("check", PAIR, options[0], file, *options[1:])
    assert result.returncode == 2
    assert "hostile" in result.stderr


@pytest.mark.parametrize(
    "command",
    [
        f"check {PAIR} --baseline",
        f"check {PAIR} --dialect own --dialect-file",
        "probe http://localhost:1/v1 --model m --since",
        "schemas drift --openapi",
    ],
)
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{\n "a": ,}', ":2:7: {} is not JSON: "),
        ("", ":1:1: {} is not JSON: there is no value"),
        ('{"a": "\udcff"}', ":1:8: {} is not JSON: "),
        ("\udcff\udcfe{\0,\0", ":1:2: {} is not JSON: "),
    ],
)
def test_a_fault_of_json_has_its_place_in_every_file_that_is_named(
    isogloss: Callable[..., Any], tmp_path: Path, command: str, text: str, message: str
) -> None:
    file = tmp_path / "hostile.json"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    result = isogloss(*command.split(), file)
    assert result.returncode == 2
    what = {"baseline": "the baseline", "dialect-file": "the dialect", "since": "the report"}.get(
        command.rpartition("--")[2], "the document"
    )
    assert f"hostile.json{message.format(what)}" in result.stderr


REPORT = {"report_version": 1, "cases": [{"name": "plain", "standing": "conforms"}], "findings": []}
SAVED: dict[str, Callable[[str], bytes]] = {
    "a byte order mark": lambda text: text.encode("utf-8-sig"),
    "UTF-16, little-endian": lambda text: b"\xff\xfe" + text.encode("utf-16-le"),
    "UTF-16, big-endian": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "line ends of Windows": lambda text: text.replace("\n", "\r\n").encode(),
}


@pytest.mark.parametrize("way", SAVED)
@pytest.mark.parametrize(
    ("command", "text"),
    [
        (f"check {PAIR} --config FILE", 'ignore = ["schema"]  # é\nfail-on = "note"\n'),
        (f"check {PAIR} --config FILE", '# é\n[severity]\nwrong-tpye = "note"\n'),
        (f"check {PAIR} --baseline FILE", json.dumps({"baseline_version": 1, "findings": []}, indent=1)),
        ("dialects show own --dialect-file FILE", json.dumps(DIALECT | {"name": "Öwn"}, ensure_ascii=False, indent=1)),
        ("dialects show own --dialect-file FILE", json.dumps(DIALECT | {"nam": "Öwn"}, ensure_ascii=False, indent=1)),
        ("compare FILE FILE", json.dumps(REPORT, indent=1)),
        ("schemas drift --openapi FILE", json.dumps({"openapi": "3.1.0", "paths": {}}, indent=1)),
    ],
)
def test_a_file_of_the_user_is_read_alike_however_an_editor_or_a_shell_saved_it(
    isogloss: Callable[..., Any], tmp_path: Path, command: str, text: str, way: str
) -> None:
    file = tmp_path / "own.json"
    outputs = []
    for data in (text.encode(), SAVED[way](text)):
        file.write_bytes(data)
        result = isogloss(*(file if word == "FILE" else word for word in command.split()))
        outputs.append((result.returncode, result.stdout, result.stderr))
    assert outputs[0] == outputs[1]
    assert "not JSON" not in outputs[0][2]


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no file without an end")
@pytest.mark.parametrize(
    "command",
    [
        f"check {PAIR} --config",
        f"check {PAIR} --baseline",
        "check --live http://localhost:1/v1 --request",
        "dialects list --dialect-file",
        "probe http://localhost:1/v1 --model m --since",
        "schemas drift --openapi",
        "schemas drift --npm",
    ],
)
def test_a_file_without_an_end_is_read_up_to_a_limit(
    isogloss: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setattr(named_files, "LARGEST_DOCUMENT", 1 << 20)
    result = isogloss(*command.split(), "/dev/zero")
    assert result.returncode == 2
    assert "/dev/zero" in result.stderr


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="there is no device")
def test_the_file_of_a_dialect_can_be_read_twice(isogloss: Callable[..., Any]) -> None:
    result = isogloss("check", PAIR, "--dialect", "own", "--dialect-file", "/dev/null")
    assert result.returncode == 2
    assert "/dev/null is no regular file" in result.stderr


def test_a_baseline_may_name_files_that_cannot_exist(isogloss: Callable[..., Any], tmp_path: Path) -> None:
    file = tmp_path / "known.json"
    written = isogloss("check", PAIR, "--write-baseline", file)
    assert written.returncode == 0
    baseline = json.loads(file.read_text("utf-8"))
    entry = baseline["findings"][0]
    baseline["findings"] += [entry | {"file": name} for name in ("x" * 5000, "a\0b", "/proc/1/mem/x")]
    file.write_text(json.dumps(baseline), "utf-8")
    result = isogloss("check", PAIR, "--baseline", file)
    assert result.returncode == 0, result.stderr


def test_a_message_about_a_long_value_is_short_and_says_what_is_wrong(
    run_process: Callable[..., Any], tmp_path: Path
) -> None:
    file = tmp_path / "dialect.json"
    file.write_text(json.dumps(DIALECT | {"kind": "x" * 1_000_000}), "utf-8")
    result = run_process("dialects", "show", "own", "--dialect-file", file)
    assert result.returncode == 2
    assert len(result.stderr) < 3000
    assert "dialect.json:1:" in result.stderr
    assert "is not one of" in result.stderr


def test_a_dialect_with_a_schema_is_read(isogloss: Callable[..., Any], tmp_path: Path) -> None:
    file = tmp_path / "dialect.json"
    file.write_text(dialect_with('{"type": "string"}'), "utf-8")
    assert isogloss("dialects", "show", "own", "--dialect-file", file).returncode == 0


@pytest.mark.parametrize("entry", ["sk-proj-Zq8LmN4xR7vT2wY6pK1s", "\x1b]0;title\x07\u202e", "a\r\n::error::b"])
@pytest.mark.parametrize("part", ["rule", "kind", "pointer"])
def test_an_entry_of_a_baseline_reaches_a_report_masked_and_printable(
    isogloss: Callable[..., Any], tmp_path: Path, entry: str, part: str
) -> None:
    file = tmp_path / "known.json"
    known = {"file": "gone.json", "rule": "r", "kind": "completion", "pointer": "/a", "count": 1} | {part: entry}
    file.write_text(json.dumps({"baseline_version": 1, "findings": [known]}), "utf-8")
    for output_format in ("text", "json"):
        result = isogloss("check", PAIR, "--baseline", file, "--format", output_format)
        assert "gone.json" in result.stdout
        assert "Zq8LmN4x" not in result.stdout
        assert all(line.isprintable() for line in result.stdout.split("\n"))


@pytest.mark.parametrize("levels", [300, 100_000])
def test_a_description_that_is_nested_too_deep_is_not_compared(
    isogloss: Callable[..., Any], tmp_path: Path, levels: int
) -> None:
    file = tmp_path / "openapi.json"
    schema = '{"type": "array", "items": ' * levels + "true" + "}" * levels
    file.write_text(
        '{"openapi": "3.1.0", "paths": {"/chat/completions": {"post": {"requestBody": {"content": {"application/json":'
        f' {{"schema": {{"type": "object", "properties": {{"model": {schema}}}}}}}}}}}, "responses": {{}}}}}}}}}}',
        "utf-8",
    )
    assert isogloss("schemas", "drift", "--openapi", file).returncode in (1, 2)


def test_what_is_described_of_files_written_by_hand_is_printable(isogloss: Callable[..., Any], tmp_path: Path) -> None:
    dialect = tmp_path / "dialect.json"
    dialect.write_text(dialect_with('{"enum": ["\u202e\u2028"]}'), "utf-8")
    configuration = tmp_path / "isogloss.toml"
    configuration.write_text('baseline = "\u202e\u2028"', "utf-8")
    for arguments in (
        ("dialects", "show", "own", "--dialect-file", dialect),
        ("dialects", "diff", "own", "groq", "--dialect-file", dialect),
        ("config", PAIR, "--config", configuration),
    ):
        result = isogloss(*arguments)
        assert result.returncode == 0, result.stderr
        assert "u202e" in result.stdout
        assert all(line.isprintable() for line in result.stdout.split("\n"))
