"""What changed since an earlier report: told in every format for people, and all that fails a run then."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

CASES = ("--case", "plain,stream,n,stop")


@pytest.fixture
def server(serve: Any, wire: SimpleNamespace) -> SimpleNamespace:
    """Start a server that can be given faults.

    If a request has a key of ``faults`` in its body, the server does what is under that key. Otherwise it behaves like
    the reference.
    """
    faults: dict[bytes, Any] = {}

    def behaviour(asked: Any) -> None:
        fault = next((fault for part, fault in faults.items() if part in asked.body), wire.well)
        fault(asked)

    return SimpleNamespace(url=serve(behaviour).url, faults=faults)


def answering(wire: SimpleNamespace, status: int, payload: Any) -> Any:
    return lambda asked: asked.write(wire.http(status, "application/json", json.dumps(payload).encode()))


@pytest.fixture
def faults(wire: SimpleNamespace) -> SimpleNamespace:
    return SimpleNamespace(
        one_choice=answering(wire, 200, wire.completion({"model": "tiny", "messages": []})),
        numbered=answering(wire, 200, wire.completion({"model": "tiny", "messages": [], "stop": "e"}) | {"id": 5}),
        refuses=answering(wire, 400, wire.error("not supported")),
        fails=answering(wire, 500, wire.error("failed")),
    )


def report(probe: Any, url: str, path: Path, *arguments: str) -> Any:
    result = probe(url, *CASES, "--format", "json", *arguments)
    path.write_text(result.output)
    return json.loads(result.output)


def test_known_findings_do_not_fail_and_new_ones_do(server: Any, probe: Any, faults: Any, tmp_path: Path) -> None:
    before = tmp_path / "before.json"
    server.faults[b'"n":2'] = faults.one_choice
    report(probe, server.url, before)
    assert probe(server.url, *CASES).exit_code == 1
    result = probe(server.url, *CASES, "--since", str(before))
    assert result.exit_code == 0
    assert result.output.endswith("since before.json:\n  nothing changed\n")
    server.faults[b'"stop":'] = faults.numbered
    result = probe(server.url, *CASES, "--since", str(before))
    assert result.exit_code == 1
    assert "  stop: worse: conforms → deviates; new: error[wrong-type] completion id" in result.output


def test_what_is_repaired_is_better_and_fails_nothing(
    server: Any, probe: Any, faults: Any, validate: Any, tmp_path: Path
) -> None:
    before = tmp_path / "before.json"
    server.faults[b'"n":2'] = faults.one_choice
    report(probe, server.url, before)
    server.faults.clear()
    now = report(probe, server.url, tmp_path / "now.json", "--since", str(before))
    validate(now)
    [change] = now["changes"]
    assert (change["case"], change["before"], change["now"]) == ("n", "deviates", "conforms")
    assert (change["direction"], change["failed"], change["new"]) == ("better", False, [])
    assert [one["rule"] for one in change["gone"]] == ["choice-count-mismatch"]


def test_what_conformed_and_is_refused_now_fails(server: Any, probe: Any, faults: Any, tmp_path: Path) -> None:
    before = tmp_path / "before.json"
    report(probe, server.url, before)
    server.faults[b'"n":2'] = faults.refuses
    assert probe(server.url, *CASES).exit_code == 0
    result = probe(server.url, *CASES, "--since", str(before))
    assert result.exit_code == 1
    assert "n: worse: conforms → unsupported" in result.output


def test_what_never_was_answered_does_not_count_and_what_is_no_more_does(
    server: Any, probe: Any, faults: Any, tmp_path: Path
) -> None:
    before = tmp_path / "before.json"
    report(probe, server.url, before)
    server.faults[b'"n":2'] = faults.fails
    failing = tmp_path / "failing.json"
    report(probe, server.url, failing)
    codes = [probe(server.url, *CASES, "--since", str(path)).exit_code for path in (before, failing)]
    plain = probe(server.url, *CASES).exit_code
    assert codes[1] == 0
    assert codes[0] == plain != 0


def test_cases_that_one_of_the_reports_does_not_have_are_told(server: Any, probe: Any, tmp_path: Path) -> None:
    before = tmp_path / "before.json"
    report(probe, server.url, before)
    result = probe(server.url, "--case", "plain,seed", "--since", str(before))
    assert result.exit_code == 0
    assert "seed: not asked before, conforms" in result.output
    assert "n: conforms before, not asked" in result.output


@pytest.mark.parametrize("name", ["html", "markdown", "text"])
def test_the_formats_for_people_tell_changes_also_of_one_server(
    server: Any, probe: Any, faults: Any, tmp_path: Path, name: str
) -> None:
    before = tmp_path / "before.json"
    report(probe, server.url, before)
    server.faults[b'"n":2'] = faults.one_choice
    output = probe(server.url, *CASES, "--since", str(before), "--format", name).output
    assert "before.json" in output.replace("\\", "")
    assert "conforms → deviates" in output


def test_several_servers_are_compared_each_with_its_own(
    server: Any, probe: Any, faults: Any, validate: Any, tmp_path: Path
) -> None:
    before = tmp_path / "before.json"
    both = (server.url, server.url, "--api-key-env", "OPENAI_API_KEY")
    first = probe(*both, *CASES, "--format", "json").output
    before.write_text(first)
    server.faults[b'"n":2'] = faults.one_choice
    now = json.loads(probe(*both, *CASES, "--format", "json", "--since", str(before)).output)
    validate(now)
    assert [[change["case"] for change in one["changes"]] for one in now["servers"]] == [["n"], ["n"]]
    alone = probe(server.url, *CASES, "--since", str(before))
    assert "n: worse: conforms → deviates" in alone.output


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "is no JSON"),
        ("[]", "is no JSON report of isogloss probe"),
        ('{"report_version": 1, "findings": []}', "is no JSON report of isogloss probe"),
        ('{"cases": [{"name": "n"}], "findings": []}', "is no JSON report of isogloss probe"),
        ('{"servers": []}', "has none of these servers"),
    ],
)
def test_what_is_no_report_of_a_probe_is_a_usage_error_before_anything_is_sent(
    probe: Any, tmp_path: Path, text: str, complaint: str
) -> None:
    path = tmp_path / "before.json"
    path.write_text(text)
    result = probe("http://127.0.0.1:1/v1", "--since", str(path))
    assert result.exit_code == 2
    assert complaint in result.output
