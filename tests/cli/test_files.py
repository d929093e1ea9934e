"""Which files are read: as git has it, without what tools keep, and what is left out says why."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from isogloss.cli import files
from isogloss.validator.exchange import Skipped

ROOT = Path(__file__).parents[2]
GOOD = (ROOT / "fixtures" / "conforming" / "completion" / "text.json").read_text("utf-8")
GIT = shutil.which("git")
Isogloss = Callable[..., Any]


def write(folder: Path, *names: str, text: str = GOOD) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder that is a repository only by its files, and make it the current folder. Git itself is not run."""
    folder = tmp_path / "repository"
    (folder / ".git" / "info").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.chdir(folder)
    return folder


def found(*paths: str, **options: Any) -> tuple[set[str], dict[str, str]]:
    """Return the files to read, and the reason for each file that is left out."""
    walked = list(files.walk(paths or (".",), **options))
    left_out = {os.path.normpath(one.file): one.reason for one in walked if isinstance(one, Skipped)}
    return {os.path.normpath(one) for one in walked if isinstance(one, str)}, left_out


def test_what_git_ignores_is_left_out_folder_by_folder(repository: Path) -> None:
    write(repository, ".gitignore", text="build/\n*.log\n/top.json\n")
    write(repository, "sub/.gitignore", text="!kept.log\nown.json\n")
    write(repository, ".git/info/exclude", text="private.json\n")
    write(repository, "a.json", "top.json", "sub/top.json", "build/x.json", "x.log", "sub/kept.log", "sub/own.json")
    write(repository, "own.json", "private.json", "sub/build/deep/y.json")
    read, left_out = found()
    assert read == {"a.json", "sub/top.json", "sub/kept.log", "own.json"}
    assert set(left_out) == {"top.json", "build", "x.log", "sub/own.json", "private.json", "sub/build"}
    assert set(left_out.values()) == {files.IGNORED}
    assert len(found(respect_gitignore=False)[0]) == 10


def test_what_the_user_has_git_ignore_everywhere_is_left_out(repository: Path, tmp_path: Path) -> None:
    write(repository, "a.json", "b.swp", "c.tmp")
    write(tmp_path, ".config/git/ignore", text="*.swp\n")
    assert found()[0] == {"a.json", "c.tmp"}
    write(tmp_path, ".gitconfig", text="[core]\n\texcludesFile = ~/mine\n")
    write(tmp_path, "mine", text="*.tmp\n")
    assert found()[0] == {"a.json", "b.swp"}


def test_a_folder_inside_a_repository_keeps_the_patterns_from_above(repository: Path) -> None:
    write(repository, ".gitignore", text="*.log\n/sub/deep/own.json\n")
    write(repository, "sub/deep/own.json", "sub/deep/a.json", "sub/deep/x.log")
    assert found("sub/deep")[0] == {"sub/deep/a.json"}


def test_what_is_named_is_read_though_git_ignores_it(repository: Path) -> None:
    write(repository, ".gitignore", text="build/\n*.log\n")
    write(repository, "build/a.json", "build/.gitignore", "x.log")
    assert found("build", "x.log")[0] == {"build/a.json", "x.log"}
    write(repository, "venv/pyvenv.cfg", "venv/a.json", "node_modules/a.json")
    assert found("venv", "node_modules")[0] == {"venv/pyvenv.cfg", "venv/a.json", "node_modules/a.json"}


def test_outside_of_a_repository_a_gitignore_is_a_file_like_any_other(tmp_path: Path) -> None:
    write(tmp_path, ".gitignore", text="*.json\n")
    write(tmp_path, "a.json")
    assert [Path(str(one)).name for one in files.walk([str(tmp_path)])] == ["a.json"]


def test_a_repository_within_another_has_its_own_patterns(repository: Path) -> None:
    write(repository, ".gitignore", text="*.json\n")
    write(repository, "inner/.git", text="gitdir: ../.git/modules/inner\n")
    write(repository, "inner/a.json", "b.json")
    assert found()[0] == {"inner/a.json"}


def test_packages_environments_and_caches_are_left_out_with_one_reason_each(tmp_path: Path) -> None:
    write(tmp_path, "venv/pyvenv.cfg", "venv/lib/a.json", "web/node_modules/p/package.json", "__pycache__/a.json")
    write(tmp_path, "made/CACHEDIR.TAG", "made/a.json", ".hidden/a.json", "a.json")
    walked = list(files.walk([str(tmp_path)]))
    reasons = {os.path.relpath(one.file, tmp_path): one.reason for one in walked if isinstance(one, Skipped)}
    assert reasons == {
        "venv": "a virtual environment",
        "web/node_modules": "installed packages",
        "__pycache__": "a cache",
        "made": "a cache",
        ".hidden": "a directory whose name begins with a dot, read only where it is named itself",
    }
    assert [Path(one).name for one in walked if isinstance(one, str)] == ["a.json"]


_NAMES = st.sampled_from(["a", "b", "ab", "a.json", "b.log", "x y"])
_LINES = st.lists(
    st.one_of(
        st.sampled_from(["*", "*.log", "!*.json", "a/", "/a", "a/b", "**/b", "a/**", "!a/b", "[ab]", "# a", ""]),
        st.builds(lambda sign, name, end: f"{sign}{name}{end}", st.sampled_from(["", "!", "/"]), _NAMES,
                  st.sampled_from(["", "/", "*", "/*"])),
    ),
    max_size=5,
)  # fmt: skip


@pytest.mark.thorough
@pytest.mark.skipif(GIT is None, reason="asks git")
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(["a.json/a/ab"], ["[ab]", "!*.json"], [])
@given(st.lists(st.lists(_NAMES, min_size=1, max_size=3).map("/".join), min_size=1, max_size=8), _LINES, _LINES)
def test_the_files_are_those_that_git_would_add(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], top: list[str], below: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("repository")
    environment = os.environ | {"HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1", "XDG_CONFIG_HOME": str(folder)}
    subprocess.run([str(GIT), "init", "-q", folder], check=True, env=environment)
    for name in names:
        try:
            write(folder, name)
        except OSError:
            continue  # a file is in the way of a folder, or a folder of a file
    write(folder, ".gitignore", text="\n".join(top) + "\n")
    if (folder / "a").is_dir():
        write(folder, "a/.gitignore", text="\n".join(below) + "\n")
    listed = subprocess.run(
        [str(GIT), "-C", folder, "ls-files", "-z", "--others", "--exclude-standard"],
        check=True, env=environment, capture_output=True, text=True,
    ).stdout  # fmt: skip
    expected = {name for name in listed.split("\0") if name and not name.endswith(".gitignore")}
    assert {os.path.relpath(one, folder) for one in files.walk([str(folder)]) if isinstance(one, str)} == expected


def test_a_run_over_a_repository_tells_each_reason_once(isogloss: Isogloss, repository: Path) -> None:
    write(repository, ".gitignore", text="*.log\n")
    os.chdir(repository)
    write(repository, "good.json", *(f"x{number}.log" for number in range(20)))
    write(repository, *(f"src/{number}.py" for number in range(300)), text="x = 1\n")
    write(repository, "node_modules/a/package.json", "venv/pyvenv.cfg", text="{}")
    done = isogloss("check", ".")
    assert done.returncode == 0
    assert set(done.stdout.splitlines()[:-1]) == {
        "skipped: 20 files or folders left out: ignored by git (--no-respect-gitignore reads them)",
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
    write(repository, "isogloss.toml", text="respect-gitignore = false\n")
    assert json.loads(isogloss("check", ".", "--format", "json").stdout)["summary"]["files"] == 322


def test_a_file_that_is_named_and_excluded_says_by_what(isogloss: Isogloss, repository: Path) -> None:
    os.chdir(repository)
    write(repository, "made/a.json", "b.json")
    write(repository, "isogloss.toml", text='exclude = ["made/**"]\n')
    done = isogloss("check", "made/a.json")
    assert done.returncode == 3
    assert 'made/a.json: skipped: excluded by "made/**" of exclude in isogloss.toml\n' in done.stdout
    assert 'b.json: skipped: excluded by --exclude "b*"\n' in isogloss("check", "b.json", "--exclude", "b*").stdout


def test_patterns_that_match_nothing_are_told_where_all_was_looked_at(isogloss: Isogloss, repository: Path) -> None:
    os.chdir(repository)
    write(repository, "made/a.json", "b.json")
    config = 'exclude = ["made/**", "gone/**"]\n[paths."other/**"]\nfail-on = "note"\n[paths."b*"]\nstrict = true\n'
    write(repository, "isogloss.toml", text=config)
    told = isogloss("check", ".").stderr
    assert told.splitlines() == [
        'Note: "gone/**" of exclude in isogloss.toml matches nothing',
        'Note: "other/**" of paths in isogloss.toml matches nothing',
    ]
    assert isogloss("check", "b.json").stderr == isogloss("check", ".", "-q").stderr == ""
    assert isogloss("check", "b.json", "--exclude", "x").stderr == 'Note: --exclude "x" matches nothing\n'


def test_quietly_nothing_to_check_is_still_said(isogloss: Isogloss, tmp_path: Path) -> None:
    write(tmp_path, "notes.txt", text="nothing\n")
    done = isogloss("check", tmp_path / "notes.txt", "-q")
    assert (done.returncode, done.stdout) == (3, "")
    assert "notes.txt: skipped: not a capture" in done.stderr
    assert "nothing-checked: " in done.stderr
    allowed = isogloss("check", tmp_path / "notes.txt", "-q", "--allow-empty")
    assert (allowed.returncode, allowed.stdout, allowed.stderr) == (0, "", "")
