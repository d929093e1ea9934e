"""Test that a command does not pass if a file that is named, or a member of it, could not be read to its end."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

GOOD = Path(__file__).parents[2] / "fixtures" / "conforming" / "completion" / "text.json"
LINES = (GOOD.read_bytes().replace(b"\n", b" ") + b"\n") * 50
KEY = "sk-" + "Ab1" * 8
MASKED_KEY = "sk-" + "*" * 24

Isogloss = Callable[..., Any]


def write_archive(path: Path, *members: tuple[str, bytes]) -> Path:
    """Write a zip or a tar archive, as the name of the path says, and return its path."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in members:
                archive.writestr(name, data)
        return path
    with tarfile.open(path, "w") as tar:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return path


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """Return the path of a file that ends too early."""
    path = tmp_path / "log.jsonl.gz"
    path.write_bytes(gzip.compress(LINES)[:-8])
    return path


@pytest.mark.parametrize("command", [("report",), ("compare", "--pair-by", "none"), ("compare", "--twins")])
def test_no_command_passes_with_a_named_file_that_is_damaged(
    isogloss: Isogloss, damaged: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    name, *options = command
    archive = write_archive(tmp_path / "all.zip", ("a.json", GOOD.read_bytes()), (damaged.name, damaged.read_bytes()))
    result = isogloss(name, archive, archive if name == "compare" else GOOD, *options)
    assert result.returncode == 3
    assert f"Error: {archive}!/log.jsonl.gz: gzip data that ends too early\n" in result.stderr
    damaged_folder, good_folder = tmp_path / "damaged", tmp_path / "good"
    for folder in (damaged_folder, good_folder):
        folder.mkdir()
        (folder / GOOD.name).write_bytes(GOOD.read_bytes())
    archive.rename(damaged_folder / archive.name)  # it is in a folder, and nobody named it
    result = isogloss(name, damaged_folder, good_folder, *options)
    assert (result.returncode, "Error" in result.stderr) == (0, False)


@pytest.mark.parametrize("command", [("fold",), ("portability",), ("dialects", "infer", "--slug", "new")])
def test_no_command_that_writes_what_it_read_passes_with_a_named_file_that_is_damaged(
    isogloss: Isogloss, tmp_path: Path, command: tuple[str, ...]
) -> None:
    chunk = {"index": 0, "delta": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}
    exchange = {
        "request": {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "stream": True},
        "chunks": [{"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [chunk]}],
    }
    damaged = tmp_path / "log.jsonl.gz"
    damaged.write_bytes(gzip.compress((json.dumps(exchange) + "\n").encode() * 300)[:-8])
    result = isogloss(*command, damaged)
    assert (result.returncode, bool(result.stdout)) == (3, True)
    assert f"Error: {damaged}: gzip data that ends too early\n" in result.stderr
    damaged.write_bytes(gzip.compress((json.dumps(exchange) + "\n").encode()))
    assert isogloss(*command, damaged).returncode == 0


def test_what_counts_most_in_a_capture_is_not_sure_if_it_was_read_only_in_part(
    isogloss: Isogloss, damaged: Path, tmp_path: Path
) -> None:
    deviating = json.loads(GOOD.read_bytes()) | {"created": "now", "odd": 1}
    members = [("a.json", json.dumps(deviating).encode()), (damaged.name, damaged.read_bytes())]
    for name, ordered in (("behind.zip", members), ("before.zip", members[::-1])):
        archive = write_archive(tmp_path / name, *ordered)
        for rule, reads_all in (("wrong-type", name == "before.zip"), ("unknown-property", name == "before.zip")):
            result = isogloss("repro", archive, "--rule", rule)
            assert (result.returncode, bool(result.stdout)) == (3 if reads_all else 0, True)
            assert (f"Error: {archive}!/log.jsonl.gz: gzip data that ends" in result.stderr) == reads_all


@pytest.mark.parametrize(("options", "name"), [((), "<stdin>"), (("--stdin-filename", "a.gz"), "a.gz")])
def test_standard_input_that_is_damaged_does_not_pass(
    isogloss: Isogloss, damaged: Path, options: tuple[str, ...], name: str
) -> None:
    result = isogloss("check", "-", GOOD, *options, input=damaged.read_bytes())
    assert (result.returncode, result.stderr) == (3, f"Error: {name}: gzip data that ends too early\n")


@pytest.mark.parametrize("name", ["all.zip", "all.tar"])
def test_a_named_archive_with_a_member_that_is_damaged_does_not_pass(
    isogloss: Isogloss, damaged: Path, tmp_path: Path, name: str
) -> None:
    archive = write_archive(tmp_path / name, ("a.json", GOOD.read_bytes()), (damaged.name, damaged.read_bytes()))
    result = isogloss("check", archive, "--quiet")
    assert (result.returncode, result.stdout) == (3, "")
    assert result.stderr == f"Error: {archive}!/log.jsonl.gz: gzip data that ends too early\n"
    assert isogloss("check", archive, "--allow-empty").returncode == 0
    assert isogloss("check", tmp_path, GOOD).returncode == 0


def test_a_damaged_end_is_reported_behind_any_number_of_skipped_lines(isogloss: Isogloss, tmp_path: Path) -> None:
    damaged = tmp_path / "log.jsonl.gz"
    damaged.write_bytes(gzip.compress(b'{"object": "list", "data": []}\n' * 1500 + LINES)[:-8])
    result = isogloss("check", damaged, GOOD)
    assert (result.returncode, result.stderr) == (3, f"Error: {damaged}: gzip data that ends too early\n")
    assert f"{damaged}: skipped: gzip data that ends too early\n" in result.stdout


def test_of_the_damaged_members_behind_very_many_skipped_lines_the_first_is_named(
    isogloss: Isogloss, damaged: Path, tmp_path: Path
) -> None:
    others = ("a.jsonl", b'{"object": "list", "data": []}\n' * 1500)
    members = [(f"{number}.gz", damaged.read_bytes()) for number in (1, 2)]
    archive = write_archive(tmp_path / "all.zip", others, *members)
    result = isogloss("check", archive, GOOD)
    assert (result.returncode, result.stderr) == (3, f"Error: {archive}!/1.gz: gzip data that ends too early\n")


@pytest.mark.parametrize("command", ["check", "report", "compare"])
def test_a_long_file_without_traffic_in_its_beginning_says_how_all_of_it_is_read(
    isogloss: Isogloss, tmp_path: Path, command: str
) -> None:
    late = tmp_path / "late.log"
    line = b"10:00:00 INFO started%s\n" % (b" and waited" * 100)
    late.write_bytes(line * (1 << 14) + b"10:00:00 DEBUG got " + LINES.splitlines()[0])
    result = isogloss(command, late)
    assert result.returncode == 3
    words = "no input format recognises its first 16 MiB; isogloss check --input-format NAME reads all of it\n"
    assert words in result.stdout + result.stderr
    assert "next: isogloss check --input-format log, or another format" in result.stdout + result.stderr
    assert command != "check" or isogloss("check", late, "--input-format", "log").returncode == 0


@pytest.mark.parametrize("name", [f"{KEY}.jsonl.gz", f"{KEY}.zip", "all.zip"])
def test_a_key_in_the_name_of_a_file_or_a_member_is_masked_once(
    isogloss: Isogloss, damaged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    if name.endswith(".zip"):
        member = f"{KEY}.log.gz"
        write_archive(tmp_path / name, (member, damaged.read_bytes()))
        shown = f"{name}!/{member}".replace(KEY, MASKED_KEY)
    else:
        damaged.rename(tmp_path / name)
        shown = name.replace(KEY, MASKED_KEY)
    result = isogloss("check", name, GOOD)
    assert f"{shown}: skipped: gzip data that ends too early\n" in result.stdout
    assert (result.returncode, result.stderr) == (3, f"Error: {shown}: gzip data that ends too early\n")


def test_a_key_in_the_name_of_a_member_that_is_left_out_is_masked(isogloss: Isogloss, tmp_path: Path) -> None:
    archive = write_archive(tmp_path / "all.tar", ("a.json", GOOD.read_bytes()))
    with tarfile.open(archive, "a") as tar:
        link = tarfile.TarInfo(f"{KEY}.json")
        link.type, link.linkname = tarfile.SYMTYPE, "a.json"
        tar.addfile(link)
    result = isogloss("check", archive)
    assert f"{archive}!/{MASKED_KEY}.json: skipped: in the archive, neither a file nor a folder\n" in result.stdout
    assert result.returncode == 0
