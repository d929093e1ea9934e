"""Tests of the help, of the commands ``rules``, ``explain`` and ``schemas``, and of an interrupt."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import jsonschema_rs
import pytest

from isogloss import schemas
from isogloss.cli.commands.explain import markdown
from isogloss.cli.main import cli
from isogloss.validator import rules

Isogloss = Callable[..., Any]


def test_help_names_every_command_with_a_summary(isogloss: Isogloss) -> None:
    result = isogloss("--help")
    assert result.returncode == 0
    for name in ("check", "explain", "fold", "rules", "schemas"):
        assert f"\n  {name}" in result.stdout
        assert isogloss(name, "--help").returncode == 0


def _commands(command: click.Command, *names: str) -> Iterator[tuple[str, ...]]:
    yield names
    if isinstance(command, click.Group):
        ctx = click.Context(command)
        for name in command.list_commands(ctx):
            inner = command.get_command(ctx, name)
            assert inner is not None
            yield from _commands(inner, *names, name)


def test_the_help_of_every_command_fits_80_columns(isogloss: Isogloss) -> None:
    for names in _commands(cli):
        lines = isogloss(*names, "--help").stdout.splitlines()
        assert [line for line in lines if len(line) > 80] == [], names


@pytest.mark.parametrize("group", [(), ("clients",), ("dialects",), ("schemas",)])
def test_no_command_is_a_usage_error_with_the_help(isogloss: Isogloss, group: tuple[str, ...]) -> None:
    result = isogloss(*group)
    assert result.returncode == 2
    assert (result.stdout + result.stderr).rstrip() == isogloss(*group, "--help").stdout.rstrip()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("chekc",), "no command is called 'chekc'; did you mean 'check'?"),
        (("validate", "README.md"), "no command is called 'validate'; see: isogloss --help"),
        (("README.md",), "no command is given; did you mean: isogloss check README.md?"),
        (("docs", "--strict"), "no command is given; did you mean: isogloss check docs?"),
        (("-",), "no command is given; did you mean: isogloss check -?"),
        (("http://localhost/v1",), "no command is given; did you mean: isogloss probe http://localhost/v1?"),
        (("--formt",), "No such option"),
    ],
)
def test_a_word_that_is_no_command_is_a_usage_error_that_says_what_may_be_meant(
    isogloss: Isogloss, arguments: tuple[str, ...], message: str
) -> None:
    result = isogloss(*arguments)
    assert result.returncode == 2
    assert message in result.stderr


def test_rules_lists_every_rule_under_its_group_with_its_severity(isogloss: Isogloss) -> None:
    lines = isogloss("rules").stdout.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == list(rules.GROUPS)
    listed = [line.split()[:2] for line in lines if line.startswith(" ")]
    assert listed == [[name, rules.rule(name).severity.label] for name in rules.names()]
    assert len({len(line) - len(re.sub(r"^  \S+ +", "", line)) for line in lines if line.startswith(" ")}) == 1


def test_explain_prints_the_page_of_a_rule(isogloss: Isogloss) -> None:
    result = isogloss("explain", "done-missing")
    assert result.returncode == 0
    assert result.stdout == markdown("done-missing") + "\n"
    assert "# done-missing\n\n`wire` · error · since 0.1.0\n" in result.stdout
    assert "\n## Why it matters\n" in result.stdout
    assert "\nSource: " in result.stdout


def test_rules_pages_and_schemas_are_printed_as_json(isogloss: Isogloss) -> None:
    listed = json.loads(isogloss("rules", "--format", "json").stdout)
    assert [rule["name"] for rule in listed] == list(rules.names())
    assert [rule["group"] for rule in listed] == [rules.group_of(name) for name in rules.names()]
    assert all(rule["sources"] and {"where", "date"} == source.keys() for rule in listed for source in rule["sources"])
    page = json.loads(isogloss("explain", "done-missing", "--format", "json").stdout)
    assert {name: value for name, value in page.items() if name not in ("page", "seen_to_break")} in listed
    assert page["page"] == rules.page("done-missing")
    assert [schema["name"] for schema in json.loads(isogloss("schemas", "list", "--format", "json").stdout)] == list(
        schemas.NAMES
    )


def test_every_rule_has_a_page_to_print() -> None:
    pages = {name: markdown(name) for name in rules.names()}
    assert [name for name, page in pages.items() if not page.startswith(f"# {name}\n") or "## Good" not in page] == []


def test_explain_names_the_nearest_rule_for_an_unknown_one(isogloss: Isogloss) -> None:
    result = isogloss("explain", "finish-reason-repeted")
    assert result.returncode == 2
    assert "no rule is called 'finish-reason-repeted'; did you mean 'finish-reason-repeated'?" in result.stderr
    assert isogloss("explain", "zzz").returncode == 2
    assert "'schema' is a group of rules" in isogloss("explain", "schema").stderr


def test_schemas_lists_and_shows_each_as_one_document(isogloss: Isogloss) -> None:
    assert [line.split()[0] for line in isogloss("schemas", "list").stdout.splitlines()] == list(schemas.NAMES)
    for option, variant in (((), "reference"), (("--open",), "open"), (("--strict",), "strict")):
        document = json.loads(isogloss("schemas", "show", "chunk", *option).stdout)
        assert document == schemas.bundle("chunk", variant)
    assert isogloss("schemas", "show", "answer").returncode == 2


def test_export_writes_self_contained_schemas(isogloss: Isogloss, tmp_path: Path) -> None:
    target = tmp_path / "new" / "folder"
    result = isogloss("schemas", "export", target, "--strict")
    assert result.returncode == 0
    assert result.stdout.splitlines() == [str(target / f"{name}.json") for name in schemas.NAMES]
    assert sorted(path.name for path in target.iterdir()) == sorted(f"{name}.json" for name in schemas.NAMES)
    for name in schemas.NAMES:
        document = json.loads((target / f"{name}.json").read_bytes())
        assert document == schemas.bundle(name, "strict")
        jsonschema_rs.Draft202012Validator(document)


@pytest.mark.thorough
def test_export_overwrites_no_file_but_a_schema(isogloss: Isogloss, tmp_path: Path) -> None:
    request = tmp_path / "request.json"
    request.write_text('{"model": "m", "messages": []}')
    result = isogloss("schemas", "export", tmp_path)
    assert result.returncode == 2
    assert f"{request} is there already and no schema: name another folder" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["request.json"]
    request.unlink()
    for _ in range(2):
        assert isogloss("schemas", "export", tmp_path).returncode == 0


def test_export_with_a_base_uri_identifies_each_file_by_its_address(isogloss: Isogloss, tmp_path: Path) -> None:
    for address in ("https://example.org/isogloss", "https://example.org/isogloss/"):
        assert isogloss("schemas", "export", tmp_path, "--base-uri", address, "--dialect", "groq").returncode == 0
        catalog = json.loads((tmp_path / "catalog.json").read_bytes())
        urls = [entry["url"] for entry in catalog["schemas"]]
        assert sorted(urls) == sorted(
            f"https://example.org/isogloss/{path.name}" for path in tmp_path.iterdir() if path.name != "catalog.json"
        )
        for url in urls:
            document = json.loads((tmp_path / url.rpartition("/")[2]).read_bytes())
            assert document["$id"] == url
            jsonschema_rs.Draft202012Validator(document)
        patterns = [pattern for entry in catalog["schemas"] for pattern in entry["fileMatch"]]
        assert len(set(patterns)) == len(patterns) == len(urls)


@pytest.mark.parametrize("address", ["http://example.org/", "https://", "example.org", "https://a/?b", "https://a/#b"])
def test_export_accepts_only_https_addresses_of_folders(isogloss: Isogloss, tmp_path: Path, address: str) -> None:
    result = isogloss("schemas", "export", tmp_path / "new", "--base-uri", address)
    assert result.returncode == 2
    assert "is not the https address of a folder" in result.stderr
    assert not (tmp_path / "new").exists()


def test_export_to_a_path_that_cannot_be_written_is_a_usage_error(isogloss: Isogloss, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    result = isogloss("schemas", "export", tmp_path / "file" / "folder")
    assert result.returncode == 2
    assert ": Not a directory" in result.stderr


def test_an_interrupt_from_the_keyboard_ends_with_130(environment: dict[str, str]) -> None:
    command = [sys.executable, "-c", "from isogloss.cli.main import main; main()", "check", "-"]
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        # This is more than a pipe holds, so it returns only when the check has begun to read.
        process.stdin.write(b"{" + b" " * (1 << 20))
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        _, error_output = process.communicate()
    assert process.returncode == 130
    assert b"Traceback" not in error_output


def test_pages_are_there_where_python_leaves_docstrings_out(environment: dict[str, str]) -> None:
    command = [sys.executable, "-OO", "-m", "isogloss", "explain", "role-repeated"]
    page = subprocess.run(command, env=environment, capture_output=True, check=True, encoding="utf-8").stdout
    assert "## What to do" in page


def test_explain_links_the_threads_among_the_sources(isogloss: Isogloss) -> None:
    source = isogloss("explain", "thoughts-in-content").stdout.rpartition("\nSource: ")[2]
    address = "https://github.com/tenstorrent/tt-inference-server/issues/4386"
    assert f"[tenstorrent/tt-inference-server#4386]({address}) (2026-09)" in source
