"""Test which files are read, and which are left out and how a report says so; test_gitignore has what git ignores."""

from __future__ import annotations

import json
import os
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from file_trees import GOOD, find_files, write_files
from named_pipes import pipe_that_gives

from isogloss.cli.reading import files
from isogloss.validator.exchange import Skipped

ROOT = Path(__file__).parents[2]
Isogloss = Callable[..., Any]


def test_packages_environments_and_caches_are_left_out_with_a_reason(tmp_path: Path) -> None:
    write_files(tmp_path, "venv/pyvenv.cfg", "venv/lib/a.json", "web/node_modules/p/package.json", "__pycache__/a.json")
    write_files(tmp_path, "made/CACHEDIR.TAG", "made/a.json", ".hidden/a.json", "a.json")
    entries = list(files.walk([str(tmp_path)]))
    reasons = {os.path.relpath(entry.file, tmp_path): entry.reason for entry in entries if isinstance(entry, Skipped)}
    assert reasons == {
        "venv": "a virtual environment",
        "web/node_modules": "installed packages",
        "__pycache__": "a cache",
        "made": "a cache",
        ".hidden": "a folder whose name begins with a dot; name it to read it",
    }
    assert [Path(entry).name for entry in entries if isinstance(entry, str)] == ["a.json"]


def test_files_without_traffic_are_counted_together_with_the_members_of_archives(
    isogloss: Isogloss, tmp_path: Path
) -> None:
    with zipfile.ZipFile(tmp_path / "sources.zip", "w") as archive:
        for number in range(5):
            archive.writestr(f"{number}.py", "x = 1")
    result = isogloss("check", str(tmp_path))
    assert result.returncode == 3
    assert "skipped: 5 files and members of archives hold no Chat Completions traffic" in result.stdout


@pytest.mark.parametrize("named", ["answer.json", "resources/answer.json", f"{'a' * 40}.json"])
def test_of_what_an_http_archive_names_only_files_with_names_of_bodies_are_left_to_it(
    repository: Path, named: str
) -> None:
    write_files(repository, "recorded.har", text=json.dumps({"log": {"entries": [{"content": {"_file": named}}]}}))
    write_files(repository, named, "b" * 40 + ".json")
    left_to_it = {named} if named.startswith("aaa") else set()
    assert find_files()[0] == {"recorded.har", named, "b" * 40 + ".json"} - left_to_it


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_among_the_mappings_of_wiremock_is_not_waited_for(repository: Path) -> None:
    write_files(repository, "mappings/a.json", text='{"response": {"bodyFileName": "served.json"}}')
    write_files(repository, "__files/served.json", "__files/other.json")
    mapping_of_other = b'{"response": {"bodyFileName": "other.json"}}'
    with pipe_that_gives(repository / "mappings" / "pipe.json", mapping_of_other):
        assert find_files()[0] == {"mappings/a.json", "__files/other.json"}


def test_a_run_over_a_repository_prints_each_reason_once(isogloss: Isogloss, repository: Path) -> None:
    write_files(repository, ".gitignore", text="*.log\n")
    os.chdir(repository)
    write_files(repository, "good.json", *(f"x{number}.log" for number in range(20)))
    write_files(repository, *(f"src/{number}.py" for number in range(300)), text="x = 1\n")
    write_files(repository, "node_modules/a/package.json", "venv/pyvenv.cfg", text="{}")
    result = isogloss("check", ".")
    assert result.returncode == 0
    assert set(result.stdout.splitlines()[:-1]) == {
        "skipped: 20 files or folders: ignored by git (--no-respect-gitignore reads them)",
        "./node_modules: skipped: installed packages",
        "skipped: 300 files hold no Chat Completions traffic",
        "./venv: skipped: a virtual environment",
    }
    report = json.loads(isogloss("check", ".", "--format", "json").stdout)
    assert len(report["skipped"]) == report["summary"]["skipped"] == 322
    assert isogloss("check", ".", "-v").stdout.count("skipped: ignored by git") == 20
    assert (
        json.loads(isogloss("check", ".", "--no-respect-gitignore", "--format", "json").stdout)["summary"]["files"]
        == 321
    )
    write_files(repository, "isogloss.toml", text="respect-gitignore = false\n")
    assert json.loads(isogloss("check", ".", "--format", "json").stdout)["summary"]["files"] == 322


def test_what_is_no_traffic_is_counted_together_and_what_lacks_something_says_so(
    isogloss: Isogloss, tmp_path: Path
) -> None:
    other = {"null.json": "null", "list.json": "[]", "a.py": "x = 1", "b.json": '{"a": 1', "c.ipynb": '{"cells": []}'}
    for name, text in other.items():
        (tmp_path / name).write_text(text)
    for number in range(4):
        (tmp_path / f"{number}.json").write_text('{"messages": [{"role": "user", "content": "a"}]}')
    lines = isogloss("check", str(tmp_path)).stdout.splitlines()
    assert "skipped: 5 files hold no Chat Completions traffic" in lines
    assert "skipped: 4 files: fine-tuning example: messages without a model" in lines


@pytest.mark.parametrize("command", ["check", "report"])
def test_all_counts_of_a_summary_are_written_alike(isogloss: Isogloss, tmp_path: Path, command: str) -> None:
    for number in range(1_000):
        (tmp_path / f"{number}.txt").touch()
    summary = isogloss(command, tmp_path).stdout
    assert "1,000 files" in summary
    assert "1,000 skipped" in summary


def test_a_named_file_is_skipped_with_the_pattern_that_excludes_it(isogloss: Isogloss, repository: Path) -> None:
    os.chdir(repository)
    write_files(repository, "made/a.json", "b.json")
    write_files(repository, "isogloss.toml", text='exclude = ["made/**"]\n')
    result = isogloss("check", "made/a.json")
    assert result.returncode == 3
    assert 'made/a.json: skipped: excluded by "made/**" of exclude in isogloss.toml\n' in result.stdout
    assert 'b.json: skipped: excluded by --exclude "b*"\n' in isogloss("check", "b.json", "--exclude", "b*").stdout


def test_patterns_that_match_nothing_are_reported_if_the_whole_folder_is_checked(
    isogloss: Isogloss, repository: Path
) -> None:
    os.chdir(repository)
    write_files(repository, "made/a.json", "b.json")
    config = 'exclude = ["made/**", "gone/**"]\n[paths."other/**"]\nfail-on = "note"\n[paths."b*"]\nstrict = true\n'
    write_files(repository, "isogloss.toml", text=config)
    messages = isogloss("check", ".").stderr
    assert messages.splitlines() == [
        'Note: "gone/**" of exclude in isogloss.toml matches nothing',
        'Note: "other/**" of paths in isogloss.toml matches nothing',
    ]
    assert isogloss("check", "b.json").stderr == isogloss("check", ".", "-q").stderr == ""
    assert isogloss("check", "b.json", "--exclude", "x").stderr == 'Note: --exclude "x" matches nothing\n'


def test_quiet_still_reports_that_nothing_was_checked(isogloss: Isogloss, tmp_path: Path) -> None:
    write_files(tmp_path, "notes.txt", text="nothing\n")
    result = isogloss("check", tmp_path / "notes.txt", "-q")
    assert (result.returncode, result.stdout) == (3, "")
    assert "notes.txt: skipped: not a capture" in result.stderr
    assert "nothing-checked: " in result.stderr
    allowed = isogloss("check", tmp_path / "notes.txt", "-q", "--allow-empty")
    assert (allowed.returncode, allowed.stdout, allowed.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", ["--exclude", "[z-a]"], "'--exclude': '[z-a]' is no pattern: bad character range z-a"),
        ('exclude = ["[z-a]"]\n', [], "isogloss.toml:1:1: exclude: '[z-a]' is no pattern"),
        ("[paths.'[z-a]']\nstrict = true\n", [], "'[z-a]' is no pattern"),
        ('"\\u001b]0;x\\u0007" = 1\n', [], 'isogloss.toml: "\\x1b]0;x\\x07": unknown key'),
    ],
)
def test_a_wrong_pattern_or_key_is_named_without_what_a_terminal_acts_on(
    repository: Path,
    isogloss: Isogloss,
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    options: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(repository)
    write_files(repository, "isogloss.toml", text=text)
    write_files(repository, "a.json")
    result = isogloss("check", ".", *options)
    assert (result.returncode, "\x1b" in result.stderr) == (2, False)
    assert message in result.stderr


def test_behind_a_link_to_a_folder_two_dots_lead_to_another_file(
    isogloss: Isogloss, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path, "a.json", "far/a.json", "far/away/b.json")
    (tmp_path / "link").symlink_to(tmp_path / "far" / "away")
    monkeypatch.chdir(tmp_path)
    summary = json.loads(isogloss("check", "a.json", "link/../a.json", "--format", "json").stdout)["summary"]
    assert summary["files"] == 2


def test_a_file_that_is_called_like_standard_input_is_read_beside_it(
    isogloss: Isogloss, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path, "-")
    monkeypatch.chdir(tmp_path)
    summary = json.loads(isogloss("check", "-", "./-", "--format", "json", input=GOOD).stdout)["summary"]
    assert summary["files"] == 2


@pytest.mark.parametrize(
    "given",
    [("a.json", "a.json"), (".", "./a.json", "sub"), ("sub", "a.json", "."), ("a.json", "sub/../a.json", "/a.json")],
)
def test_a_file_that_is_named_twice_counts_once(
    isogloss: Isogloss, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: tuple[str, ...]
) -> None:
    write_files(tmp_path, "a.json", "sub/b.json", "sub/c.txt", text=GOOD.replace('"stop"', '"end"'))
    monkeypatch.chdir(tmp_path)
    given = tuple(f"{tmp_path}{path}" if path.startswith("/") else path for path in given)
    expected = {"a.json"} if not {"sub", "."} & {*given} else {"a.json", "sub/b.json", "sub/c.txt"}
    summary = json.loads(isogloss("check", *given, "--format", "json").stdout)["summary"]
    assert summary["files"] == len(expected)
    assert json.loads(isogloss("report", *given, "--format", "json").stdout)["summary"]["files"] == len(expected)
    draft = json.loads(isogloss("dialects", "infer", *given, "--slug", "x").stdout)
    assert {tuple(fact["seen"]) for fact in draft["deviations"]} == {(summary["exchanges"], summary["exchanges"])}
    isogloss("check", *given, "--write-baseline", "known.json")
    assert isogloss("check", *given, "--baseline", "known.json").returncode == 0


def test_pages_in_a_folder_are_left_out_unless_they_are_named(repository: Path) -> None:
    write_files(repository, "README.md", "site/Index.HTML", "site/a.htm", "a.rst", "log.json")
    reason = "documentation; name a page to read it"
    pages = {"README.md", "site/Index.HTML", "site/a.htm", "a.rst"}
    assert find_files() == ({"log.json"}, dict.fromkeys(pages, reason))
    assert find_files(*pages) == (pages, {})


def test_an_empty_folder_is_said_to_hold_no_file(isogloss: Isogloss, tmp_path: Path) -> None:
    result = isogloss("check", tmp_path)
    assert result.returncode == 3
    advice = "next: name files, or folders with files in them: no file was found\n"
    assert result.stdout.partition("\n")[2] == advice
    for command in (["report"], ["compare"], ["portability"], ["dialects", "infer", "--slug", "x"]):
        result = isogloss(*command, tmp_path)
        assert result.returncode == 3
        assert result.stderr.endswith(advice)
    answer_alone = isogloss("portability", "fixtures/conforming/completion/text.json")
    assert (answer_alone.returncode, answer_alone.stderr) == (3, "no request was recognised in these files\n")


def test_an_archive_without_files_is_skipped_with_this_reason(isogloss: Isogloss, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "nothing.zip", "w"), zipfile.ZipFile(tmp_path / "folder.zip", "w") as archive:
        archive.writestr("logs/", b"")
    with tarfile.open(tmp_path / "folder.tar", "w") as tar:
        folder = tarfile.TarInfo("logs")
        folder.type = tarfile.DIRTYPE
        tar.addfile(folder)
    for path in sorted(tmp_path.iterdir()):
        result = isogloss("check", path)
        assert (result.returncode, f"{path}: skipped: an archive without files\n" in result.stdout) == (3, True)
