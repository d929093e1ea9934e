"""Adapters are spoken to line by line, every client has what it needs, and data is written the same each time."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import client_data
import pytest
import registry
from adapter_process import AdapterFailed, AdapterProcess
from case_building import built, sources

ADAPTER = """
import threading
from serving import serve, waited

def raises(job):
    raise KeyError("choices")

async def later(job):
    return {"text": job.base_url}

serve({
    "says": lambda job: print("noise") or {"text": job.base_url},
    "waits": lambda job: waited(later(job)),
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
    asked = {"stream": False, "tools": None, "response_format": None, "n": 1, "timeout": timeout}
    return {"id": path, "base_url": "http://x", "path": path, **asked}


@pytest.mark.processes
def test_an_adapter_answers_each_job_and_what_its_client_prints_is_no_answer(adapter: AdapterProcess) -> None:
    assert adapter.do(_job("says")) == {"id": "says", "ok": {"text": "http://x"}}
    assert adapter.do(_job("waits")) == {"id": "waits", "ok": {"text": "http://x"}}


@pytest.mark.processes
def test_whatever_a_client_raises_is_its_outcome(adapter: AdapterProcess) -> None:
    assert adapter.do(_job("raises")) == {"id": "raises", "raised": {"class": "KeyError", "message": "'choices'"}}


@pytest.mark.processes
def test_an_adapter_that_hangs_is_ended_and_started_again(adapter: AdapterProcess) -> None:
    adapter.do(_job("says"))
    assert adapter.do(_job("hangs", timeout=0.1)) is None
    assert adapter.do(_job("says")) is not None


@pytest.mark.processes
def test_an_adapter_that_ends_by_itself_is_a_failure_of_the_harness(adapter: AdapterProcess) -> None:
    with pytest.raises(AdapterFailed):
        adapter.do(_job("ends"))


@pytest.mark.parametrize("slug", registry.names())
def test_every_client_has_an_adapter_and_a_lock_of_each_version(slug: str) -> None:
    client = registry.named(slug)
    assert client.adapter.is_file()
    for version in client.versions:
        lock = client.lock(version)
        if client.registry == "npm":
            assert (lock / "package-lock.json").is_file()
        else:
            pins = lock.read_text("utf-8").split()
            assert f"{client.package}=={version}" in pins
            assert all("==" in pin for pin in pins if not pin.startswith((";", "sys_platform", "platform"))), slug


def test_no_lock_has_a_release_of_litellm_that_may_have_been_tampered_with() -> None:
    locked = {
        line.strip()
        for lock in (registry.FOLDER / "locks").glob("*.txt")
        for line in lock.read_text("utf-8").splitlines()
        if line.startswith("litellm==")
    }
    assert locked == {"litellm==1.106.2"}


def test_no_lock_names_an_index() -> None:
    for lock in (registry.FOLDER / "locks").rglob("*.txt"):
        assert "://" not in lock.read_text("utf-8"), lock.name


def test_data_is_written_once_and_a_run_that_gives_the_same_keeps_its_date(tmp_path: Path) -> None:
    client = registry.named("openai-python")
    outcome = {"outcome": "raises", "seen": "KeyError"}
    newest, *older = client.versions
    found: Any = {"plain": {"b/two": None, "a/one": outcome, "c/three": False}}
    assert client_data.write_client(client, {newest: found}, "2026-11-22", tmp_path)
    assert not client_data.write_client(client, {newest: found}, "2026-12-24", tmp_path)
    assert client_data.write_client(client, {older[0]: found}, "2026-12-24", tmp_path)
    written = json.loads((tmp_path / "openai-python.json").read_text("utf-8"))
    assert [(run["version"], run["date"]) for run in written["runs"]] == [
        (older[0], "2026-12-24"),
        (newest, "2026-11-22"),
    ]
    assert written["runs"][1]["paths"]["plain"] == {
        "same": ["b/two"],
        "unpublished": ["c/three"],
        "differs": {"a/one": outcome},
    }


def test_a_case_that_is_gone_is_left_out_of_the_data(tmp_path: Path) -> None:
    client = registry.named("openai-python")
    outcome = {"outcome": "raises", "seen": "KeyError"}
    found: Any = {"plain": {"b/two": None, "a/one": outcome, "c/three": False}}
    client_data.write_client(client, {client.versions[0]: found}, "2026-11-22", tmp_path)
    assert not client_data.forget({"a/one", "b/two", "c/three"}, tmp_path)
    assert client_data.forget({"b/two"}, tmp_path)
    written = json.loads((tmp_path / "openai-python.json").read_text("utf-8"))
    assert written["runs"][0]["paths"]["plain"] == {"same": ["b/two"], "unpublished": [], "differs": {}}


def test_the_file_of_cases_has_one_a_line(tmp_path: Path) -> None:
    cases, _ = built(sources()[:20])
    assert client_data.write_cases(cases.values(), tmp_path)
    assert not client_data.write_cases(cases.values(), tmp_path)
    text = (tmp_path / "cases.json").read_text("utf-8")
    assert list(json.loads(text)["cases"]) == sorted(cases)
    assert len(text.splitlines()) == len(cases) + 2
