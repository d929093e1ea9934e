"""Tests of inputs that are not plain files, that cannot be read, or that change while they are read."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from named_pipes import pipe_that_gives

from isogloss.cli.reading import files, inputs
from isogloss.validator.exchange import Exchange, Skipped

ROOT = Path(__file__).parents[2]
ERROR = b'{"error": {"message": "x", "type": "t", "param": null, "code": null}}'


def _find_reasons(*paths: Path) -> dict[str, str]:
    return {Path(entry.file).name: entry.reason for entry in files.walk(map(str, paths)) if isinstance(entry, Skipped)}


def _find_names(*paths: Path) -> list[str]:
    return [Path(entry).name for entry in files.walk(map(str, paths)) if isinstance(entry, str)]


def test_a_directory_is_walked_by_name_without_hidden_entries(tmp_path: Path) -> None:
    for name in ("b.json", "a/z.json", "a/b/y.json", "c.json", ".git/x.json", "a/.hidden.json"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(ERROR)
    assert _find_names(tmp_path) == ["y.json", "z.json", "b.json", "c.json"]
    assert _find_names(tmp_path / "c.json", tmp_path / "a") == ["c.json", "y.json", "z.json"]


def test_a_pipe_that_is_called_like_an_archive_is_not_opened_beside_bodies(tmp_path: Path) -> None:
    body = f"{0:040}.json"
    (tmp_path / body).write_bytes(ERROR)
    with pipe_that_gives(tmp_path / "a.har", f'{{"_file": "{body}"}}'.encode()):
        assert _find_names(tmp_path) == [body]


def test_what_is_not_a_file_is_skipped_with_a_reason(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        (tmp_path / "loop").symlink_to("loop")
        (tmp_path / "gone").symlink_to("nowhere")
        (tmp_path / "up").symlink_to("..")
        (tmp_path / "null").symlink_to("/dev/null")
        (tmp_path / "nothing.json").write_bytes(b"")
        for name in ("endless.json", "endless.har"):  # such as links to files of the system that never end
            (tmp_path / name).symlink_to("nothing.json")
        (tmp_path / "good.json").write_bytes(ERROR)
        (tmp_path / "linked.json").symlink_to("good.json")
        assert _find_names(tmp_path) == ["good.json", "linked.json", "nothing.json"]
        assert _find_reasons(tmp_path) == {
            "endless.har": "a link to a file without contents",
            "endless.json": "a link to a file without contents",
            "gone": "a link to something that does not exist",
            "loop": "cannot be read: Too many levels of symbolic links",
            "null": "neither a file nor a folder",
            "pipe": "neither a file nor a folder",
            "socket": "neither a file nor a folder",
            "up": "a link to a folder, which is not followed",
        }


@pytest.mark.thorough
def test_a_tree_deeper_than_the_recursion_limit_is_walked(tmp_path: Path) -> None:
    path = tmp_path
    for _ in range(sys.getrecursionlimit() + 100):
        path /= "d"
        path.mkdir()
    (path / "a.json").write_bytes(ERROR)
    try:
        assert _find_names(tmp_path) == ["a.json"]
    finally:  # pytest removes folders with shutil, which recurses
        (path / "a.json").unlink()
        while path != tmp_path:
            path.rmdir()
            path = path.parent


def test_a_directory_that_cannot_be_listed_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "closed").mkdir()
    (tmp_path / "open.json").write_bytes(ERROR)
    scandir = os.scandir

    def refuse(path: str) -> object:
        if path.rstrip(os.sep).endswith("closed"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert _find_names(tmp_path) == ["open.json"]
    assert _find_reasons(tmp_path) == {"closed": "cannot be listed: Permission denied"}


def test_a_file_that_vanished_is_skipped(tmp_path: Path) -> None:
    (entry,) = inputs.read(str(tmp_path / "gone.json"))
    assert isinstance(entry, Skipped)
    assert entry.reason == "cannot be read: No such file or directory"


def test_a_file_that_shrinks_while_it_is_read_ends_early(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_bytes((ERROR + b"\n") * 100_000)
    exchanges = inputs.read(str(path))
    first = next(exchanges)
    os.truncate(path, 10)
    assert isinstance(first, Exchange)
    assert len(list(exchanges)) < 99_999


def test_an_error_while_reading_ends_the_file_and_not_the_run() -> None:
    entries = list(inputs.read("/proc/self/mem"))
    assert len(entries) == 1
    assert isinstance(entries[0], Skipped)
    assert entries[0].reason == "cannot be read: Input/output error"


def test_a_pipe_given_as_a_path_is_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    with pipe_that_gives(pipe, ERROR):
        (exchange,) = inputs.read(str(pipe))
    assert isinstance(exchange, Exchange)


@pytest.mark.parametrize(
    "command",
    [
        "check", "report", "report --view coverage", "repro", "fold", "portability", "dialects infer --slug x",
        "compare", "compare --twins fixtures/captures/jsonl/records.jsonl",
        "compare --pair-by none fixtures/captures/jsonl/records.jsonl",
    ],
)  # fmt: skip
@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="a shell gives a pipe its name in /dev/fd")
def test_every_command_reads_a_pipe_as_it_reads_a_file(isogloss: Callable[..., Any], command: str) -> None:
    capture = "fixtures/captures/jsonl/records.jsonl"
    of_file = isogloss(*command.split(), capture)
    reading, writing = os.pipe()
    os.write(writing, (ROOT / capture).read_bytes())
    os.close(writing)
    pipe = f"/dev/fd/{reading}"
    of_pipe = isogloss(*command.split(), pipe)
    os.close(reading)
    assert of_pipe.returncode == of_file.returncode
    assert of_pipe.stdout.replace(pipe, capture).replace(" ", "") == of_file.stdout.replace(" ", "")


def test_an_empty_device_is_skipped_as_empty() -> None:
    (entry,) = inputs.read("/dev/null")
    assert isinstance(entry, Skipped)
    assert entry.reason == "empty"


def test_a_directory_whose_name_begins_with_a_dot_is_skipped_with_a_reason(tmp_path: Path) -> None:
    for name in (".recordings", ".git", ".venv", "seen"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "one.json").write_text("{}", "utf-8")
    (tmp_path / ".hidden.json").write_text("{}", "utf-8")
    skipped, path = files.walk([str(tmp_path)])
    assert isinstance(skipped, Skipped)
    assert skipped.file == str(tmp_path / ".recordings")
    assert "begins with a dot" in skipped.reason
    assert path == str(tmp_path / "seen" / "one.json")
    assert list(files.walk([str(tmp_path / ".recordings")])) == [str(tmp_path / ".recordings" / "one.json")]
