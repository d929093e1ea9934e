"""Test that files which git ignores are left out, as git itself does it."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from file_trees import find_files, write_files
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from isogloss.cli.configuration import patterns
from isogloss.cli.reading import files, gitignore

GIT = shutil.which("git")


def test_the_gitignore_of_each_folder_is_followed(repository: Path) -> None:
    write_files(repository, ".gitignore", text="build/\n*.log\n/top.json\n")
    write_files(repository, "sub/.gitignore", text="!kept.log\nown.json\n")
    write_files(repository, ".git/info/exclude", text="private.json\n")
    write_files(
        repository, "a.json", "top.json", "sub/top.json", "build/x.json", "x.log", "sub/kept.log", "sub/own.json"
    )
    write_files(repository, "own.json", "private.json", "sub/build/deep/y.json")
    read, left_out = find_files()
    assert read == {"a.json", "sub/top.json", "sub/kept.log", "own.json"}
    assert set(left_out) == {"top.json", "build", "x.log", "sub/own.json", "private.json", "sub/build"}
    assert set(left_out.values()) == {"ignored by git"}
    assert len(find_files(respect_gitignore=False)[0]) == 10


def test_the_global_gitignore_of_the_user_is_followed(repository: Path, tmp_path: Path) -> None:
    write_files(repository, "a.json", "b.swp", "c.tmp")
    write_files(tmp_path, ".config/git/ignore", text="*.swp\n")
    assert find_files()[0] == {"a.json", "c.tmp"}
    write_files(tmp_path, ".gitconfig", text="[core]\n\texcludesFile = ~/mine\n")
    write_files(tmp_path, "mine", text="*.tmp\n")
    assert find_files()[0] == {"a.json", "b.swp"}


def test_a_folder_of_a_repository_follows_the_gitignore_of_its_parents(repository: Path) -> None:
    write_files(repository, ".gitignore", text="*.log\n/sub/deep/own.json\n")
    write_files(repository, "sub/deep/own.json", "sub/deep/a.json", "sub/deep/x.log")
    assert find_files("sub/deep")[0] == {"sub/deep/a.json"}


def test_a_folder_follows_the_excludes_of_its_repository_and_the_gitignore_of_each_folder_above_it(
    repository: Path,
) -> None:
    write_files(repository, ".git/info/exclude", text="private.json\n")
    write_files(repository, "sub/middle/.gitignore", text="*.log\n")
    write_files(repository, "middle/.gitignore", text="a.json\n")  # another folder of the same name
    write_files(repository, *(f"sub/middle/deep/{name}" for name in ("a.json", "private.json", "x.log")))
    assert find_files("sub/middle/deep")[0] == {"sub/middle/deep/a.json"}


def test_everything_is_read_in_a_folder_that_is_named_inside_of_an_ignored_one(repository: Path) -> None:
    write_files(repository, ".gitignore", text="build/\n*.log\n")
    write_files(repository, "build/deep/a.json", "build/deep/x.log", "build/deep/more/y.log")
    assert find_files("build/deep")[0] == {"build/deep/a.json", "build/deep/x.log", "build/deep/more/y.log"}


def test_named_files_are_read_even_if_git_ignores_them(repository: Path) -> None:
    write_files(repository, ".gitignore", text="build/\n*.log\n")
    write_files(repository, "build/a.json", "build/.gitignore", "x.log")
    assert find_files("build", "x.log")[0] == {"build/a.json", "x.log"}
    write_files(repository, "venv/pyvenv.cfg", "venv/a.json", "node_modules/a.json")
    assert find_files("venv", "node_modules")[0] == {"venv/pyvenv.cfg", "venv/a.json", "node_modules/a.json"}


def test_outside_of_a_repository_a_gitignore_has_no_effect(tmp_path: Path) -> None:
    write_files(tmp_path, ".gitignore", text="*.json\n")
    write_files(tmp_path, "a.json")
    assert [Path(str(entry)).name for entry in files.walk([str(tmp_path)])] == ["a.json"]


def test_a_repository_within_another_follows_only_its_own_gitignore(repository: Path) -> None:
    write_files(repository, ".gitignore", text="*.json\n")
    write_files(repository, "inner/.git", text="gitdir: ../.git/modules/inner\n")
    write_files(repository, "inner/a.json", "b.json")
    assert find_files()[0] == {"inner/a.json"}


_NAMES = st.sampled_from(["a", "b", "ab", "a.json", "b.log", "x y"])


_LINES = st.lists(
    st.one_of(
        st.sampled_from(["*", "*.log", "!*.json", "a/", "/a", "a/b", "**/b", "a/**", "**/a/**", "a/**/b", "a/**/",
                         "**/", "!a/b", "!a/**", "[ab]", "# a", ""]),
        st.builds(lambda sign, name, end: f"{sign}{name}{end}", st.sampled_from(["", "!", "/"]), _NAMES,
                  st.sampled_from(["", "/", "*", "/*"])),
    ),
    max_size=5,
)  # fmt: skip


@pytest.mark.thorough
@pytest.mark.skipif(GIT is None, reason="needs git")
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(["a.json/a/ab"], ["[ab]", "!*.json"], [])
@example(["a/a.json"], ["a/**"], ["!*.json"])
@example(["a/a.json", "a/b/a.json"], ["a/**/ "], [])
@given(st.lists(st.lists(_NAMES, min_size=1, max_size=3).map("/".join), min_size=1, max_size=8), _LINES, _LINES)
def test_the_files_are_those_that_git_would_add(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], root_patterns: list[str], folder_patterns: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("repository")
    environment = os.environ | {"HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1", "XDG_CONFIG_HOME": str(folder)}
    subprocess.run([str(GIT), "init", "-q", folder], check=True, env=environment)
    for name in names:
        try:
            write_files(folder, name)
        except OSError:
            continue  # a file has the name of a folder, or a folder has the name of a file
    write_files(folder, ".gitignore", text="\n".join(root_patterns) + "\n")
    if (folder / "a").is_dir():
        write_files(folder, "a/.gitignore", text="\n".join(folder_patterns) + "\n")
    listed = subprocess.run(
        [str(GIT), "-C", folder, "ls-files", "-z", "--others", "--exclude-standard"],
        check=True, env=environment, capture_output=True, text=True,
    ).stdout  # fmt: skip
    expected = {name for name in listed.split("\0") if name and not name.endswith(".gitignore")}
    assert {os.path.relpath(entry, folder) for entry in files.walk([str(folder)]) if isinstance(entry, str)} == expected


_PARTS_OF_PATTERNS = st.sampled_from([
    "a", "b", "c", "é", "-", ".", "]", ":", " ", "!", "#", "/", "?", "*", "**", "***", "**/", "/**", "\\/", "\\", "\\*",
    "\\ ", "[", "[ab]", "[!a]", "[^b]", "[a-c]", "[z-a]", "[]a]", "[a-]", "[é]", "[\\]]", "[[:alpha:]]", "[[:x:]]",
    "[a-[:x:]]",
])  # fmt: skip


_PATHS = st.lists(st.text("abc.*é-A[]\\ ", min_size=1, max_size=3), min_size=1, max_size=4).map("/".join)


@pytest.mark.thorough
@pytest.mark.skipif(GIT is None or os.name == "nt", reason="needs git, and names that Windows does not have")
@settings(max_examples=25, deadline=None)
@example(["foo**/bar"], ["foobar", "foo/x/bar", "fo/bar"])
@example(["?**/b", "[a]**/b", "*?**/b"], ["x/y/b", "a/y/b", "xy/z/b", "x/b"])
@example(["[!]", "[z-a]", "[[:", "\\", "**\\/a"], ["z", "[", "a", "b/a", "c/b/a"])
@example(["\ufeffa", "a\r", "a\\\\ ", "/a[.-0]b", "/a[!x]b"], ["a", "a\\", "a\\ ", "a/b", "ab"])
@given(st.lists(st.lists(_PARTS_OF_PATTERNS, min_size=1, max_size=6).map("".join), min_size=10, max_size=30),
       st.lists(_PATHS, min_size=10, max_size=30, unique=True))  # fmt: skip
def test_each_pattern_means_what_git_takes_it_for(lines: list[str], paths: list[str]) -> None:
    paths = [path for path in paths if not {".", ".."} & set(path.split("/"))]
    with TemporaryDirectory() as folder:
        environment = os.environ | {"HOME": folder, "GIT_CONFIG_NOSYSTEM": "1", "XDG_CONFIG_HOME": folder}
        subprocess.run([str(GIT), "init", "-q", folder], check=True, env=environment)
        for number, line in enumerate(lines):
            write_files(Path(folder), f"{number}/.gitignore", text=line)
        names = [f"{number}/{path}" for number in range(len(lines)) for path in paths]
        listed = subprocess.run(
            [str(GIT), "-C", folder, "check-ignore", "--no-index", "-z", "--stdin"],
            check=False, env=environment, input="\0".join(names), capture_output=True, text=True, encoding="utf-8",
        ).stdout  # fmt: skip
        ignored = {name for name in names if _is_ignored(folder, *name.split("/"))}
    assert ignored == set(listed.split("\0")) - {""}


def _is_ignored(root: str, folder: str, *path: str) -> bool:
    """Return whether the patterns in a folder ignore a path in it, or a folder above that path."""
    ignored = gitignore.patterns_below(os.path.join(root, folder), (), "", [], repository=False, listed=True)
    for position, name in enumerate(path, 1):
        if gitignore.ignores(ignored, name, is_directory=position < len(path)):
            return True
        ignored = gitignore.patterns_below("", ignored, f"{name}/", [], repository=False, listed=False)
    return False


@pytest.mark.parametrize(
    "pattern", ["*a" * 30 + "*b", "**/a" * 30 + "/b", "**/*a*a*a/**/*a*a*b", "?*" * 30 + "b", "**\\/a" * 20 + "b"]
)
@pytest.mark.parametrize("path", ["a" * 4000, "a/" * 2000 + "a"])
def test_a_pattern_takes_time_in_proportion_to_the_path(repository: Path, pattern: str, path: str) -> None:
    write_files(repository, ".gitignore", text=pattern)
    ignored = gitignore.patterns_below(str(repository), (), "", [], repository=False, listed=True)
    before = time.process_time()
    assert not gitignore.ignores(ignored, path, is_directory=False)
    assert not patterns.matches(pattern, patterns.relative_to(path, repository))
    assert time.process_time() - before < 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_only_a_regular_file_has_patterns(repository: Path) -> None:
    write_files(repository, "a.json", "b.json", "sub/a.json", "sub/b.json")
    write_files(repository.parent, "patterns", text="a.json\n")
    os.mkfifo(repository / ".gitignore")
    (repository / "sub" / ".gitignore").symlink_to(repository.parent / "patterns")
    (repository / ".git" / "info" / "exclude").symlink_to("/dev/zero")
    assert find_files()[0] == {"a.json", "b.json", "sub/a.json", "sub/b.json"}


def test_a_file_of_patterns_that_is_larger_than_git_reads_has_no_effect(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "a.json\n"
    write_files(repository, ".gitignore", text=text)
    write_files(repository, "a.json")
    monkeypatch.setattr(gitignore, "_LARGEST_FILE", len(text))
    assert find_files()[0] == set()
    monkeypatch.setattr(gitignore, "_LARGEST_FILE", len(text) - 1)
    assert find_files()[0] == {"a.json"}


def test_patterns_that_cannot_be_read_are_reported_and_a_configuration_of_git_is_not(repository: Path) -> None:
    write_files(repository, "a.json")
    for link in (repository / ".git/info/exclude", repository.parent / ".gitconfig"):
        link.symlink_to(link)  # a loop
    found, left_out = find_files()
    assert found == {"a.json"}
    assert [os.path.basename(name) for name in left_out] == ["exclude"]
    assert "cannot be read: " in left_out[os.path.normpath(".git/info/exclude")]


def test_a_worktree_has_the_excludes_of_its_repository_and_a_submodule_has_its_own(repository: Path) -> None:
    write_files(repository, ".git/info/exclude", text="a.json\n")
    for name, common in (("tree", "../.."), ("module", None)):
        folder = repository / ".git" / "of" / name
        write_files(repository.parent, f"{name}/.git", text=f"gitdir: {folder}\n")
        write_files(repository.parent, f"{name}/a.json", f"{name}/b.json")
        write_files(folder, "info/exclude", text="b.json\n")
        if common is not None:
            write_files(folder, "commondir", text=f"{common}\n")
    os.chdir(repository.parent)
    assert find_files("tree")[0] == {"tree/b.json"}
    assert find_files("module")[0] == {"module/a.json"}


@pytest.mark.parametrize("content", ["gitdir: /dev/zero", "gitdir: a\0b", "gitdir: \udcff", "", "gitdir:"])
def test_a_file_that_should_name_a_folder_of_git_may_hold_anything(repository: Path, content: str) -> None:
    write_files(repository, "sub/a.json", "sub/b.json")
    write_files(repository, "sub/.gitignore", text="b.json")
    (repository / "sub" / ".git").write_bytes(os.fsencode(content))
    assert find_files("sub")[0] == {"sub/a.json"}


@pytest.mark.parametrize("line", ["[z-a]", "[b-a].log", "[a--b]", "[a-\\]", "[[a]", "[a&&b]", "[a||b]"])
def test_a_line_of_gitignore_that_is_no_pattern_is_left_out_as_in_git(
    repository: Path, isogloss: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.chdir(repository)
    write_files(repository, ".gitignore", text=f"{line}\n*.skip\n")
    write_files(repository, "y.json", "y.skip")
    result = isogloss("check", ".")
    assert (result.returncode, result.stderr) == (0, "")
    assert find_files()[0] == {"y.json"}


def test_classes_of_characters_in_a_gitignore_are_those_of_git(repository: Path) -> None:
    write_files(repository, ".gitignore", text="[[:alpha:]]*.json\n[[:digit:]_].log\n")
    write_files(repository, "a1.json", "1a.json", "1.log", "_.log", "b.log")
    assert find_files()[0] == {"1a.json", "b.log"}
