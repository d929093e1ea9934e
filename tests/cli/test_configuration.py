"""Tests of the configuration: where it is found, which settings a path has, and the messages about wrong ones."""

from __future__ import annotations

import copy
import json
import os
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from isogloss.cli.configuration import named_files
from isogloss.cli.configuration.patterns import matches, relative_to
from isogloss.cli.configuration.settings import SETTINGS
from isogloss.cli.configuration.settings_schema import problems, schema

ROOT = Path(__file__).parents[2]
GOOD = json.loads((ROOT / "fixtures" / "conforming" / "completion" / "text.json").read_bytes())
EVERY_KEY = tomllib.loads("""
dialect = "groq"
strict = false
select = ["schema"]
ignore = ["id-empty"]
severity = { unknown-property = "warning" }
fail-on = "warning"
dialect-files = ["own.json"]
exclude = ["**/generated/**"]
respect-gitignore = true
baseline = "baseline.json"
records = { request = "payload.req", response = "payload.resp", as-sent = false }
expect = [{ name = "short", in = "chunk", at = "id", schema = { maxLength = 3 }, severity = "note", message = "m" }]
probe.servers.own = { url = "http://h/v1", model = "m", api-key-env = "KEY", header-env = { X = "Y" } }
paths."a/**" = { strict = true, records = { stream = "sse" }, severity = { id-empty = "note" } }
""")
WRONG_VALUES = ["", "a b", "$.a[0]", "a[]", "[", "..", "\0", 0, -1.5, float("nan"), True, [], {}, [[]], [{}], {"": {}}]
Isogloss = Callable[..., Any]


@pytest.fixture
def folder(isogloss: Isogloss, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write one capture into ``own`` and one into ``groq``, both with a value of Groq's.

    Make their common folder the current one, and return it.
    """
    monkeypatch.chdir(tmp_path)
    for name in ("own", "groq"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "answer.json").write_text(json.dumps(GOOD | {"service_tier": "on_demand"}), "utf-8")
    return tmp_path


def read_severities(result: Any) -> dict[str, list[str]]:
    """Return the severity and the rule of each finding, by the folder of its capture."""
    by_folder: dict[str, list[str]] = {}
    for finding in json.loads(result.stdout)["findings"]:
        by_folder.setdefault(Path(finding["source"]["file"]).parent.name, []).append(
            f"{finding['severity']} {finding['rule']}"
        )
    return by_folder


@pytest.mark.parametrize(("name", "table"), [("isogloss.toml", ""), ("pyproject.toml", "[tool.isogloss]\n")])
def test_a_configuration_is_searched_from_the_current_folder_upwards(
    isogloss: Isogloss, folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, table: str
) -> None:
    (folder / name).write_text(f'{table}fail-on = "warning"\n', "utf-8")
    assert isogloss("check", "own").returncode == 1
    monkeypatch.chdir(folder / "own")
    assert isogloss("check", ".").returncode == 1
    (folder / "own" / "pyproject.toml").write_text("[project]\n", "utf-8")  # has no table for isogloss
    assert isogloss("check", ".").returncode == 1
    (folder / "own" / "isogloss.toml").write_text("", "utf-8")  # only the nearest configuration is used
    assert isogloss("check", ".").returncode == 0


def test_isogloss_toml_has_priority_over_a_pyproject_beside_it(isogloss: Isogloss, folder: Path) -> None:
    (folder / "pyproject.toml").write_text('[tool.isogloss]\nfail-on = "warning"\n', "utf-8")
    (folder / "isogloss.toml").write_text("", "utf-8")
    assert isogloss("check", "own").returncode == 0
    assert isogloss("check", "own", "--config", "pyproject.toml").returncode == 1


def test_priority_is_command_line_then_path_then_top_level_then_default(isogloss: Isogloss, folder: Path) -> None:
    arguments = ("check", "groq", "own", "--format", "json")
    default = ["warning unknown-value"]
    assert read_severities(isogloss(*arguments)) == {"own": default, "groq": default}
    (folder / "isogloss.toml").write_text('[severity]\nunknown-value = "error"\n', "utf-8")
    assert read_severities(isogloss(*arguments)) == {"own": ["error unknown-value"], "groq": ["error unknown-value"]}
    with (folder / "isogloss.toml").open("a", encoding="utf-8") as file:
        file.write('[paths."groq/**"]\nseverity.unknown-value = "note"\n')
    assert read_severities(isogloss(*arguments)) == {"own": ["error unknown-value"], "groq": ["note unknown-value"]}
    assert read_severities(isogloss(*arguments, "--ignore", "unknown-value")) == {}


def test_a_path_may_have_its_own_dialect(isogloss: Isogloss, folder: Path) -> None:
    (folder / "isogloss.toml").write_text('[paths."groq/**"]\ndialect = "groq"\n', "utf-8")
    report = json.loads(isogloss("check", ".", "--format", "json").stdout)
    assert {(Path(finding["source"]["file"]).parent.name, finding["severity"]) for finding in report["findings"]} == {
        ("groq", "note"),
        ("own", "warning"),
    }
    assert [dialect["slug"] for dialect in report["dialects"]] == ["groq"]
    report = json.loads(isogloss("check", ".", "--format", "json", "--dialect", "openai").stdout)
    assert {finding["severity"] for finding in report["findings"]} == {"warning"}


def test_a_path_may_have_its_own_fail_on(isogloss: Isogloss, folder: Path) -> None:
    (folder / "isogloss.toml").write_text('fail-on = "error"\n[paths.own]\nfail-on = "warning"\n', "utf-8")
    assert isogloss("check", "groq").returncode == 0
    assert isogloss("check", "own").returncode == 1
    assert isogloss("check", "own", "--fail-on", "error").returncode == 0


def test_the_last_matching_pattern_decides_each_key(isogloss: Isogloss, folder: Path) -> None:
    (folder / "isogloss.toml").write_text(
        '[paths."*/answer.json"]\ndialect = "groq"\nfail-on = "note"\n[paths."groq/*"]\ndialect = "azure-openai"\n',
        "utf-8",
    )
    rows = dict(line.split()[:2] for line in isogloss("config", "groq/answer.json").stdout.splitlines())
    assert (rows["dialect"], rows["fail-on"]) == ("azure-openai", "note")


@pytest.mark.parametrize("pattern", ["groq", "groq/", "groq/**", "**/groq", "gr?q/*.json", "groq/answer.json"])
def test_excluded_files_are_not_checked_even_if_they_are_named(isogloss: Isogloss, folder: Path, pattern: str) -> None:
    (folder / "isogloss.toml").write_text(f'exclude = ["{pattern}"]\n', "utf-8")
    assert json.loads(isogloss("check", ".", "--format", "json").stdout)["summary"]["files"] == 1 + 1  # isogloss.toml
    assert isogloss("check", "groq/answer.json").returncode == 3
    assert isogloss("check", "groq/answer.json", "--exclude", "own").returncode == 0


def test_the_baseline_and_dialect_files_are_relative_to_the_configuration(
    isogloss: Isogloss, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    isogloss("check", ".", "--fail-on", "warning", "--write-baseline", "known.json")
    dialect = json.loads((ROOT / "schemas/isogloss/schemas/dialects/groq.json").read_bytes()) | {"slug": "mine"}
    (folder / "mine.json").write_text(json.dumps(dialect), "utf-8")
    (folder / "isogloss.toml").write_text('fail-on = "warning"\nbaseline = "known.json"\n', "utf-8")
    monkeypatch.chdir(folder / "own")
    assert isogloss("check", ".").returncode == 0
    (folder / "isogloss.toml").write_text(
        'fail-on = "warning"\ndialect = "mine"\ndialect-files = ["mine.json"]\n', "utf-8"
    )
    assert isogloss("check", ".").returncode == 0


def test_config_prints_each_setting_and_its_origin(isogloss: Isogloss, folder: Path) -> None:
    (folder / "isogloss.toml").write_text(
        'fail-on = "warning"\nexclude = ["x"]\nseverity.wrong-type = "note"\n[paths."groq/**"]\ndialect = "groq"\n'
        '[[expect]]\nname = "mine"\nin = "completion"\nat = "model"\nschema = {}\n',
        "utf-8",
    )
    lines = [line.split(maxsplit=2) for line in isogloss("config", "groq/answer.json").stdout.splitlines()]
    assert lines == [
        ["configuration", "isogloss.toml"],
        ["dialect", "groq", 'isogloss.toml: paths."groq/**"'],
        ["strict", "false", "default"],
        ["select", "[]", "default"],
        ["ignore", "[]", "default"],
        ["severity.wrong-type", "note", "isogloss.toml"],
        ["fail-on", "warning", "isogloss.toml"],
        ["expect.mine", "completion", "model  isogloss.toml"],
        ["excluded", "no"],
    ]
    assert "excluded             yes" in isogloss("config", "x").stdout
    assert "dialect              openai            default" in isogloss("config").stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dialekt = 'groq'", "isogloss.toml:1:1: dialekt: unknown key; did you mean 'dialect'?"),
        ("fail_on = 'error'", "isogloss.toml:1:1: fail_on: unknown key; did you mean 'fail-on'?"),
        ("[paths.'a/*']\nignroe = []", "isogloss.toml:2:1: paths.\"a/*\".ignroe: unknown key; did you mean 'ignore'?"),
        ("[paths.'a/*']\nexclude = []", 'isogloss.toml:2:1: paths."a/*".exclude: unknown key; known are dialect'),
        ("fail-on = 'never'", 'isogloss.toml:1:1: fail-on: must be one of "error", "warning", "note"'),
        ("fail-on = 1979-05-27", "isogloss.toml:1:1: fail-on: must be one of"),
        ("strict = 'yes'", "isogloss.toml:1:1: strict: must be true or false"),
        ("select = 'schema'", "isogloss.toml:1:1: select: must be a list"),
        ("exclude = [1]", "isogloss.toml:1:1: exclude: each item must be a text in quotation marks"),
        ("[paths.a]\nselect = ['']", "isogloss.toml:2:1: paths.a.select: each item must not be empty"),
        ("expect = [1]", "isogloss.toml:1:1: expect: each item must be a table"),
        ("baseline = 'own'", "isogloss.toml:1:1: baseline: own is a folder, not a file"),
        ("ignore = ['wrong-typ']", "isogloss.toml:1:1: ignore: no rule or group is called 'wrong-typ'; did you mean"),
        ("[paths.a]\nselect = ['x']", "isogloss.toml:2:1: paths.a.select: no rule or group is called 'x'"),
        ("severity.wrong-tipe = 'note'", "isogloss.toml:1:10: severity.wrong-tipe: no rule is called"),
        ("severity.wire = 'note'", "isogloss.toml:1:10: severity.wire: 'wire' is a group: name each of its rules"),
        (
            "severity.twin-calls-differ = 'note'",
            "severity.twin-calls-differ: 'twin-calls-differ': only",
        ),
        ("severity.expect = 'note'", "severity.expect: 'expect' is a group: name each of its rules"),
        (
            "severity.'expect/mine' = 'note'\n[[expect]]\nname = 'mine'\nin = 'completion'\nat = 'model'\nschema = {}",
            'severity."expect/mine": the table of an expectation has its severity',
        ),
        ("ignore = ['twins']", "isogloss.toml:1:1: ignore: 'twins': only isogloss compare checks rules about twins"),
        ("select = ['expect']", "isogloss.toml:1:1: select: 'expect' selects no rule"),
        ("select = ['wire']\nignore = ['wire']", "no rule is left: all that are selected are ignored, too"),
        ("dialect = 'gork'", "isogloss.toml:1:1: dialect: no dialect is called 'gork'"),
        ("[paths.own]\ndialect = 'gork'", "isogloss.toml:2:1: paths.own.dialect: no dialect is called 'gork'"),
        ("[tool.isogloss]\nstrict = true", "isogloss.toml:1:2: tool.isogloss: only for pyproject.toml; here the keys"),
        ("dialect = ", "isogloss.toml:1:10: not TOML: Invalid value (at end of document)"),
        (
            "strict = true\nexclude = ['a',\n  'b',\n\n",
            "isogloss.toml:3:7: not TOML: Invalid value (at end of document)",
        ),
        ("dialect-files = ['no.json']", "isogloss.toml:1:1: dialect-files: there is no dialect file no.json"),
        ("dialect-files = ['isogloss.toml']", "isogloss.toml:1:1: the dialect is not JSON: neither"),
    ],
)
def test_a_wrong_configuration_is_a_usage_error_that_says_where(
    isogloss: Isogloss, folder: Path, text: str, message: str
) -> None:
    (folder / "isogloss.toml").write_text(text, "utf-8")
    result = isogloss("check", "own")
    assert result.returncode == 2
    assert message in result.stderr
    assert result.stdout == ""


def test_a_pyproject_without_the_table_is_no_configuration(isogloss: Isogloss, folder: Path) -> None:
    for text in ("tool = 'isogloss'", "[project]\nname = 'isogloss'", "[project", ""):  # the third is not for isogloss
        (folder / "pyproject.toml").write_text(text, "utf-8")
        assert isogloss("config").stdout.startswith("configuration"), text
        assert "default" in isogloss("config").stdout.splitlines()[1]


def test_a_configuration_or_a_baseline_of_more_than_the_limit_is_a_usage_error(
    isogloss: Isogloss, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = 'fail-on = "note"\n'
    (folder / "isogloss.toml").write_text(text, "utf-8")
    monkeypatch.setattr(named_files, "LARGEST_DOCUMENT", len(text))
    assert "isogloss.toml" in isogloss("config").stdout
    monkeypatch.setattr(named_files, "LARGEST_DOCUMENT", len(text) - 1)
    result = isogloss("check", "own")
    assert (result.returncode, "isogloss.toml has more than 0 MiB; is it the right file?" in result.stderr) == (2, True)


def test_a_configuration_whose_name_begins_with_a_dot_is_an_error(isogloss: Isogloss, folder: Path) -> None:
    (folder / ".isogloss.toml").write_text('fail-on = "note"\n', "utf-8")
    result = isogloss("check", "own")
    assert (result.returncode, ".isogloss.toml is not read: call it isogloss.toml" in result.stderr) == (2, True)
    (folder / "isogloss.toml").write_text("", "utf-8")
    result = isogloss("check", "own")
    assert result.returncode == 2
    assert re.search(r"\.isogloss\.toml is not read: \S*isogloss\.toml is\n", result.stderr)


@pytest.mark.parametrize(("option", "exit_code"), [((), 2), (("--fail-on", "error"), 0)])
def test_findings_that_fail_the_run_for_some_files_cannot_be_hidden(
    isogloss: Isogloss, folder: Path, option: tuple[str, ...], exit_code: int
) -> None:
    (folder / "isogloss.toml").write_text('paths."own/**".fail-on = "warning"\n', "utf-8")
    result = isogloss("check", "own", "--min-severity", "error", *option)
    assert result.returncode == exit_code
    assert ("--min-severity error would hide what fails the run: warnings" in result.stderr) is (exit_code == 2)


@pytest.mark.parametrize("command", ["check", "report"])
@pytest.mark.parametrize("name", ["isogloss.toml", "pyproject.toml"])
def test_a_configuration_nearer_to_a_path_than_the_one_that_is_used_is_named(
    isogloss: Isogloss, folder: Path, command: str, name: str
) -> None:
    nearer = folder / "own" / name
    nearer.write_text('fail-on = "note"\n' if name == "isogloss.toml" else "[tool.isogloss]\nstrict = true\n", "utf-8")
    note = f"Note: own/{name} is not used: isogloss uses the configuration of the current folder, or that of --config\n"
    capture = next(path for path in (folder / "own").iterdir() if path != nearer)
    assert isogloss(command, "own").stderr.count(note) == 1
    assert note in isogloss(command, f"own/{capture.name}").stderr
    assert note not in isogloss(command, "own", "--config", nearer).stderr
    (folder / "other.toml").write_text("", "utf-8")
    assert note not in isogloss(command, "own", "--config", folder / "other.toml").stderr
    assert "is not used" not in isogloss(command, ".").stderr


@pytest.mark.parametrize("option", ["--config", "--dialect-file"])
def test_a_folder_is_refused_where_a_file_is_needed(isogloss: Isogloss, folder: Path, option: str) -> None:
    result = isogloss("check", "own", option, "own")
    assert result.returncode == 2
    assert "'own' is a folder, not a file." in result.stderr


@pytest.mark.parametrize("text", ["tool.isogloss = 5", "[[tool.isogloss]]"])
def test_a_setting_in_place_of_the_table_is_a_usage_error(isogloss: Isogloss, folder: Path, text: str) -> None:
    (folder / "pyproject.toml").write_text(text, "utf-8")
    result = isogloss("check", "own")
    assert result.returncode == 2
    assert "the configuration: must be a table" in result.stderr


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each table and list of a configuration, with each of its keys."""
    for key, child in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield value, key
        yield from _places(child)


def test_any_value_at_any_key_is_taken_or_said_to_be_wrong() -> None:
    assert EVERY_KEY.keys() == schema()["properties"].keys()
    assert next(problems(EVERY_KEY, "isogloss.toml"), None) is None
    for number in range(len(list(_places(EVERY_KEY)))):
        for value in WRONG_VALUES:
            changed = copy.deepcopy(EVERY_KEY)
            table, key = list(_places(changed))[number]
            table[key] = value
            problem = next(problems(changed, "isogloss.toml"), None)
            assert problem is None or problem[1]


def test_the_schema_is_valid_and_describes_every_key() -> None:
    document = schema()
    jsonschema_rs.meta.validate(document)
    assert document["$defs"]["path"]["properties"].keys() == {*SETTINGS, "records"} <= document["properties"].keys()
    for name, property_schema in document["properties"].items():
        description = document["$defs"][name] if "$ref" in property_schema else property_schema
        assert description["description"].endswith(".")
        assert "default" in description or name in ("baseline", "records")


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("*.json", "a/b/c.json", True),
        ("*.json", "a/b/c.jsonl", False),
        ("a/*.json", "a/b/c.json", False),
        ("a/**/*.json", "a/c.json", True),
        ("a/**", "a/b/c.json", True),
        ("a/**", "ab/c.json", False),
        ("./a/", "a/b", True),
        ("/a", "b/a", False),
        ("/a", "a", True),
        ("/a/b.json", "a/b.json", True),
        ("[ab].json", "a.json", True),
        ("[!ab].json", "a.json", False),
        ("a.json", "aXjson", False),
        ("(a|b)+", "(a|b)+", True),
        ("*", "../a", False),
    ],
)
def test_patterns_match_as_documented(tmp_path: Path, pattern: str, path: str, expected: bool) -> None:
    assert matches(pattern, relative_to(str(tmp_path / path), tmp_path)) is expected


def test_a_path_is_made_relative_once_for_all_patterns(
    isogloss: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a file takes beside the match of each pattern must not be repeated for each pattern."""
    (tmp_path / "a.json").write_text("{}", "utf-8")
    calls, counts = [], []
    relpath = os.path.relpath
    monkeypatch.setattr(os.path, "relpath", lambda *arguments: calls.append(arguments) or relpath(*arguments))
    for count in (2, 200):
        tables = "".join(f'[paths."b{number}"]\nstrict = true\n' for number in range(count))
        excluded = [f"c{number}" for number in range(count)]
        configuration = tmp_path / "isogloss.toml"
        configuration.write_text(f"exclude = {excluded}\n{tables}", "utf-8")
        calls.clear()
        assert isogloss("check", tmp_path / "a.json", "--config", configuration).returncode == 3
        counts.append(len(calls))
    assert counts[0] == counts[1] > 0


def test_any_file_but_pyproject_has_its_keys_at_the_top(isogloss: Isogloss, folder: Path) -> None:
    (folder / "own.toml").write_text("[tool.isogloss.severity]\nusage-zero = 'note'\n", "utf-8")
    result = isogloss("check", "own", "--config", "own.toml")
    assert result.returncode == 2
    assert "tables have names like [severity]" in result.stderr
