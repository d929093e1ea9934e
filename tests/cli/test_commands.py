"""The commands beside ``check``."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from isogloss import schemas
from isogloss.cli.explain import markdown
from isogloss.validator import rules

Isogloss = Callable[..., Any]


def test_help_names_every_command_with_a_summary(isogloss: Isogloss) -> None:
    done = isogloss("--help")
    assert done.returncode == 0
    for name in ("check", "explain", "fold", "rules", "schemas"):
        assert f"\n  {name}" in done.stdout
        assert isogloss(name, "--help").returncode == 0


def test_no_command_and_an_unknown_one_are_wrong_command_lines(isogloss: Isogloss) -> None:
    assert isogloss().returncode == 2
    done = isogloss("chekc")
    assert done.returncode == 2
    assert "no command is called 'chekc'; did you mean 'check'?" in done.stderr


def test_rules_lists_every_rule_under_its_group_with_its_severity(isogloss: Isogloss) -> None:
    lines = isogloss("rules").stdout.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == list(rules.GROUPS)
    listed = [line.split()[:2] for line in lines if line.startswith(" ")]
    assert listed == [[name, rules.rule(name).severity.label] for name in rules.names()]


def test_explain_prints_the_page_of_a_rule(isogloss: Isogloss) -> None:
    done = isogloss("explain", "done-missing")
    assert done.returncode == 0
    assert done.stdout == markdown("done-missing") + "\n"
    assert "# done-missing\n\n`wire` · error · since 0.1.0\n" in done.stdout
    assert "\n## Why it matters\n" in done.stdout
    assert "\nSource: " in done.stdout


def test_what_is_known_is_listed_for_machines(isogloss: Isogloss) -> None:
    listed = json.loads(isogloss("rules", "--format", "json").stdout)
    assert [one["name"] for one in listed] == list(rules.names())
    page = json.loads(isogloss("explain", "done-missing", "--format", "json").stdout)
    assert {name: value for name, value in page.items() if name != "page"} in listed
    assert page["page"] == rules.page("done-missing")
    assert [one["name"] for one in json.loads(isogloss("schemas", "list", "--format", "json").stdout)] == list(
        schemas.NAMES
    )


def test_every_rule_has_a_page_to_print() -> None:
    pages = {name: markdown(name) for name in rules.names()}
    assert [name for name, page in pages.items() if not page.startswith(f"# {name}\n") or "## Good" not in page] == []


def test_explain_names_the_nearest_rule_for_one_it_does_not_know(isogloss: Isogloss) -> None:
    done = isogloss("explain", "finish-reason-repeted")
    assert done.returncode == 2
    assert "no rule or group is called 'finish-reason-repeted'; did you mean 'finish-reason-repeated'?" in done.stderr
    assert isogloss("explain", "zzz").returncode == 2


def test_schemas_lists_and_shows_each_as_one_document(isogloss: Isogloss) -> None:
    assert [line.split()[0] for line in isogloss("schemas", "list").stdout.splitlines()] == list(schemas.NAMES)
    for option, variant in (((), "reference"), (("--open",), "open"), (("--strict",), "strict")):
        shown = json.loads(isogloss("schemas", "show", "chunk", *option).stdout)
        assert shown == schemas.bundle("chunk", variant)
    assert isogloss("schemas", "show", "answer").returncode == 2


def test_export_writes_documents_that_are_schemas_by_themselves(isogloss: Isogloss, tmp_path: Path) -> None:
    target = tmp_path / "new" / "folder"
    done = isogloss("schemas", "export", target, "--strict")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [str(target / f"{name}.json") for name in schemas.NAMES]
    assert sorted(path.name for path in target.iterdir()) == sorted(f"{name}.json" for name in schemas.NAMES)
    for name in schemas.NAMES:
        document = json.loads((target / f"{name}.json").read_bytes())
        assert document == schemas.bundle(name, "strict")
        jsonschema_rs.Draft202012Validator(document)


@pytest.mark.thorough
def test_export_for_a_place_on_the_web_names_each_file_by_its_address_there(isogloss: Isogloss, tmp_path: Path) -> None:
    for address in ("https://example.org/isogloss", "https://example.org/isogloss/"):
        assert isogloss("schemas", "export", tmp_path, "--base-uri", address, "--dialect", "groq").returncode == 0
        catalog = json.loads((tmp_path / "catalog.json").read_bytes())
        urls = [one["url"] for one in catalog["schemas"]]
        assert sorted(urls) == sorted(
            f"https://example.org/isogloss/{path.name}" for path in tmp_path.iterdir() if path.name != "catalog.json"
        )
        for url in urls:
            document = json.loads((tmp_path / url.rpartition("/")[2]).read_bytes())
            assert document["$id"] == url
            jsonschema_rs.Draft202012Validator(document)
        matched = [pattern for one in catalog["schemas"] for pattern in one["fileMatch"]]
        assert len(set(matched)) == len(matched) == len(urls)


@pytest.mark.parametrize("address", ["http://example.org/", "https://", "example.org", "https://a/?b", "https://a/#b"])
def test_export_takes_https_addresses_of_folders_alone(isogloss: Isogloss, tmp_path: Path, address: str) -> None:
    done = isogloss("schemas", "export", tmp_path / "new", "--base-uri", address)
    assert done.returncode == 2
    assert "is not the https address of a folder" in done.stderr
    assert not (tmp_path / "new").exists()


def test_export_to_where_nothing_can_be_written_is_a_wrong_command_line(isogloss: Isogloss, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    done = isogloss("schemas", "export", tmp_path / "file" / "folder")
    assert done.returncode == 2
    assert ": Not a directory" in done.stderr


def test_an_interrupt_from_the_keyboard_is_no_verdict(environment: dict[str, str]) -> None:
    run = [sys.executable, "-c", "from isogloss.cli.main import main; main()", "check", "-"]
    with subprocess.Popen(run, env=environment, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdin is not None
        running.stdin.write(b"{" + b" " * (1 << 20))  # more than a pipe holds: ends when the check has read of it
        running.stdin.flush()
        running.send_signal(signal.SIGINT)
        _, complaint = running.communicate()
    assert running.returncode == 130
    assert b"Traceback" not in complaint
