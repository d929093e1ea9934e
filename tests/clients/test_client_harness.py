"""Tests of the harness: the processes of adapters, the files that each client needs, and the data that is written."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import client_data
import debian
import pytest
import registry
from adapter_process import AdapterFailed, AdapterProcess
from case_building import build_cases, source_files

ADAPTER = """
import threading
from serving import run_coroutine, serve

def raises(job):
    raise KeyError("choices")

async def later(job):
    return {"text": job.base_url}

serve({
    "says": lambda job: print("noise") or {"text": job.base_url},
    "waits": lambda job: run_coroutine(later(job)),
    "raises": raises,
    "hangs": lambda job: threading.Event().wait(),
    "ends": lambda job: __import__("os")._exit(3),
})
"""


@pytest.fixture
def adapter(tmp_path: Path) -> Iterator[AdapterProcess]:
    file = tmp_path / "adapter.py"
    file.write_text(ADAPTER, "utf-8")
    with AdapterProcess([sys.executable, "-P", str(file)]) as process:
        yield process


def _job(path: str, timeout: float = 60) -> dict[str, Any]:
    options = {"stream": False, "tools": None, "response_format": None, "n": 1, "timeout": timeout}
    return {"id": path, "base_url": "http://x", "path": path, **options}


@pytest.mark.processes
def test_an_adapter_returns_a_result_for_each_job_even_if_its_client_prints(adapter: AdapterProcess) -> None:
    assert adapter.run_job(_job("says")) == {"id": "says", "ok": {"text": "http://x"}}
    assert adapter.run_job(_job("waits")) == {"id": "waits", "ok": {"text": "http://x"}}


@pytest.mark.processes
def test_an_exception_of_a_client_is_returned_as_its_result(adapter: AdapterProcess) -> None:
    assert adapter.run_job(_job("raises")) == {"id": "raises", "raised": {"class": "KeyError", "message": "'choices'"}}


@pytest.mark.processes
def test_an_adapter_may_say_what_the_message_of_an_exception_is(tmp_path: Path) -> None:
    file = tmp_path / "adapter.py"
    file.write_text(
        "from serving import serve\nserve({'raises': lambda job: 1 / 0}, lambda error: 'the cause')", "utf-8"
    )
    with AdapterProcess([sys.executable, "-P", str(file)]) as process:
        result = process.run_job(_job("raises"))
    assert result == {"id": "raises", "raised": {"class": "ZeroDivisionError", "message": "the cause"}}


@pytest.mark.processes
def test_an_adapter_that_hangs_is_stopped_and_restarted(adapter: AdapterProcess) -> None:
    adapter.run_job(_job("says"))
    assert adapter.run_job(_job("hangs", timeout=0.1)) is None
    assert adapter.run_job(_job("says")) is not None


@pytest.mark.processes
def test_an_adapter_that_ends_by_itself_raises_an_error(adapter: AdapterProcess) -> None:
    with pytest.raises(AdapterFailed):
        adapter.run_job(_job("ends"))


@pytest.mark.parametrize("slug", registry.client_slugs())
def test_each_client_has_an_adapter_and_a_lock_for_each_version(slug: str) -> None:
    client = registry.load_client(slug)
    assert client.adapter.is_file()
    for version in client.versions:
        lock = client.lock(version)
        if client.registry == "npm":
            assert (lock / "package-lock.json").is_file()
        else:
            pins = lock.read_text("utf-8").split()
            assert client.requirements(version)[0] in pins
            equals = "==" if client.registry == "pypi" else "="
            assert all(equals in pin for pin in pins if not pin.startswith((";", "sys_platform", "platform"))), slug


def test_locks_have_no_release_of_litellm_that_may_be_compromised() -> None:
    locked = {
        line.strip()
        for lock in (registry.FOLDER / "locks").glob("*.txt")
        for line in lock.read_text("utf-8").splitlines()
        if line.startswith("litellm==")
    }
    assert locked == {"litellm==1.110.2"}


APT_GET = """#!/bin/sh
case "$*" in
  *indextargets*) echo https://archive.example/debian/ ;;
  *--simulate*) echo "Inst base-files (13.8 Archive:testing [amd64])"
                echo "Inst ruby (1:3.3+b1 Archive:testing [amd64]) [other:amd64 ]"
                echo "Conf ruby (1:3.3+b1 Archive:testing [amd64])" ;;
esac
"""


@pytest.mark.processes
def test_a_lock_of_debian_has_each_package_that_would_be_installed_with_its_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin" / "apt-get"
    program.parent.mkdir()
    program.write_text(APT_GET, "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    assert debian.locked_packages(["ruby"], tmp_path) == ["base-files=13.8", "ruby=1:3.3+b1"]
    assert f"https://archive.example/debian/ {debian.RELEASE} main" in (tmp_path / "apt" / "sources.list").read_text()


def test_locks_name_no_package_index() -> None:
    for lock in (registry.FOLDER / "locks").rglob("*.txt"):
        assert "://" not in lock.read_text("utf-8"), lock.name


def test_each_run_has_the_day_on_which_it_was_made_last_even_if_its_results_are_the_same(tmp_path: Path) -> None:
    client = registry.load_client("openai-python")
    outcome = {"outcome": "raises", "seen": "KeyError"}
    newest, *older = client.versions
    results: Any = {"plain": {"b/two": None, "a/one": outcome, "c/three": False}}
    assert client_data.write_client(client, {newest: results}, "2026-11-22", tmp_path)
    assert client_data.write_client(client, {older[0]: results}, "2026-11-22", tmp_path)
    assert not client_data.write_client(client, {newest: results}, "2026-12-24", tmp_path)
    written = json.loads((tmp_path / "openai-python.json").read_text("utf-8"))
    assert [(run["version"], run["date"]) for run in written["runs"]] == [
        (older[0], "2026-11-22"),
        (newest, "2026-12-24"),
    ]
    assert written["runs"][1]["paths"]["plain"] == {
        "same": ["b/two"],
        "unpublished": ["c/three"],
        "differs": {"a/one": outcome},
    }
    assert client_data.read_results(client, newest, tmp_path) == results


def test_a_run_to_which_only_new_cases_are_added_keeps_its_day(tmp_path: Path) -> None:
    client = registry.load_client("openai-python")
    newest, *older = client.versions
    client_data.write_client(client, {newest: {"plain": {"a/one": None}}}, "2026-11-22", tmp_path)
    both: Any = {version: {"plain": {"a/one": None, "b/two": None}} for version in (newest, older[0])}
    assert client_data.write_client(client, both, "2026-12-24", tmp_path, keep_dates=True)
    written = json.loads((tmp_path / "openai-python.json").read_text("utf-8"))
    assert {run["version"]: run["date"] for run in written["runs"]} == {newest: "2026-11-22", older[0]: "2026-12-24"}
    assert client_data.read_results(client, newest, tmp_path) == both[newest]


def test_a_case_that_no_longer_exists_is_removed_from_the_data(tmp_path: Path) -> None:
    client = registry.load_client("openai-python")
    outcome = {"outcome": "raises", "seen": "KeyError"}
    results: Any = {"plain": {"b/two": None, "a/one": outcome, "c/three": False}}
    client_data.write_client(client, {client.versions[0]: results}, "2026-11-22", tmp_path)
    assert not client_data.keep_outcomes_of({"a/one", "b/two", "c/three"}, tmp_path)
    assert client_data.keep_outcomes_of({"b/two"}, tmp_path)
    written = json.loads((tmp_path / "openai-python.json").read_text("utf-8"))
    assert written["runs"][0]["paths"]["plain"] == {"same": ["b/two"], "unpublished": [], "differs": {}}


def test_the_file_of_cases_has_one_case_on_each_line(tmp_path: Path) -> None:
    cases, _ = build_cases(source_files()[:20])
    replayed = tmp_path / "replayed.txt"
    assert client_data.write_cases(cases.values(), tmp_path, replayed)
    assert not client_data.write_cases(cases.values(), tmp_path, replayed)
    text = (tmp_path / "cases.json").read_text("utf-8")
    assert list(json.loads(text)["cases"]) == sorted(cases)
    assert len(text.splitlines()) == len(cases) + 2
