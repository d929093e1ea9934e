"""Test ``isogloss probe --since``: the formats for people show all changes, and only what became worse fails a run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

CASES = ("--case", "plain,stream,n,stop")


@pytest.fixture
def server(serve: Any, wire: SimpleNamespace) -> SimpleNamespace:
    """Start a server that answers as the reference does, except for the faults that a test adds, and return it.

    ``faults`` maps bytes to handlers. If the body of a request has these bytes, their handler answers it.
    """
    faults: dict[bytes, Any] = {}

    def handle(request: Any) -> None:
        handler = next((handler for part, handler in faults.items() if part in request.body), wire.answer_correctly)
        handler(request)

    return SimpleNamespace(url=serve(handle).url, faults=faults)


def json_handler(wire: SimpleNamespace, status: int, payload: Any) -> Any:
    return lambda request: request.respond(wire.response(status, "application/json", json.dumps(payload).encode()))


@pytest.fixture
def faults(wire: SimpleNamespace) -> SimpleNamespace:
    return SimpleNamespace(
        one_choice=json_handler(wire, 200, wire.completion({"model": "tiny", "messages": []})),
        numbered=json_handler(wire, 200, wire.completion({"model": "tiny", "messages": [], "stop": "e"}) | {"id": 5}),
        refuses=json_handler(wire, 400, wire.error("not supported")),
        fails=json_handler(wire, 500, wire.error("failed")),
    )


def write_report(probe: Any, url: str, path: Path, *arguments: str) -> Any:
    result = probe(url, *CASES, "--format", "json", *arguments)
    path.write_text(result.output)
    return json.loads(result.output)


def test_known_findings_do_not_fail_and_new_ones_do(server: Any, probe: Any, faults: Any, tmp_path: Path) -> None:
    before = tmp_path / "before.json"
    server.faults[b'"n":2'] = faults.one_choice
    write_report(probe, server.url, before)
    assert probe(server.url, *CASES).exit_code == 1
    result = probe(server.url, *CASES, "--since", str(before))
    assert result.exit_code == 0
    assert result.output.endswith("since before.json:\n  nothing changed\n")
    server.faults[b'"stop":'] = faults.numbered
    result = probe(server.url, *CASES, "--since", str(before))
    assert result.exit_code == 1
    assert "  stop: worse: conforms → deviates; new: error[wrong-type] completion id" in result.output


def test_a_repaired_case_is_better_and_does_not_fail_the_run(
    server: Any, probe: Any, faults: Any, validate: Any, tmp_path: Path
) -> None:
    before = tmp_path / "before.json"
    server.faults[b'"n":2'] = faults.one_choice
    write_report(probe, server.url, before)
    server.faults.clear()
    now = write_report(probe, server.url, tmp_path / "now.json", "--since", str(before))
    validate(now)
    [change] = now["changes"]
    assert (change["case"], change["before"], change["now"]) == ("n", "deviates", "conforms")
    assert (change["direction"], change["failed"], change["new"]) == ("better", False, [])
    assert [finding["rule"] for finding in change["gone"]] == ["choice-count-mismatch"]


@pytest.mark.parametrize(("first", "second", "direction"), [("id", "usage", "better"), ("usage", "id", "worse")])
def test_a_case_that_still_deviates_has_changed_by_its_worst_findings(
    server: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path, first: str, second: str, direction: str
) -> None:
    answer = wire.completion({"model": "tiny", "messages": [], "stop": "e"})
    faulty = {"id": 5, "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 3}}  # an error, a warning
    before = tmp_path / "before.json"
    server.faults[b'"stop":'] = json_handler(wire, 200, answer | {first: faulty[first]})
    write_report(probe, server.url, before)
    server.faults[b'"stop":'] = json_handler(wire, 200, answer | {second: faulty[second]})
    [change] = write_report(probe, server.url, tmp_path / "now.json", "--since", str(before))["changes"]
    assert (change["before"], change["now"], change["direction"]) == ("deviates", "deviates", direction)


def test_a_server_that_has_another_name_now_is_found_by_its_url(
    server: Any, probe: Any, serve: Any, wire: SimpleNamespace, tmp_path: Path
) -> None:
    urls = {"first": server.url, "second": serve(wire.answer_correctly).url}
    before = tmp_path / "before.json"
    before.write_text(probe(*urls.values(), "--case", "plain", "--format", "json").output)
    tables = "".join(f'[probe.servers.{name}]\nurl = "{url}"\nmodel = "tiny"\n' for name, url in urls.items())
    (tmp_path / "isogloss.toml").write_text(tables)
    options = ("--case", "plain,seed", "--since", str(before), "--config", str(tmp_path / "isogloss.toml"))
    now = json.loads(probe(*urls, *options, "--format", "json").output)
    changes = {one["name"]: [change["case"] for change in one["changes"]] for one in now["servers"]}
    assert changes == {"first": ["seed"], "second": ["seed"]}


def test_a_case_that_conformed_and_is_now_refused_fails_the_run(
    server: Any, probe: Any, faults: Any, tmp_path: Path
) -> None:
    before = tmp_path / "before.json"
    write_report(probe, server.url, before)
    server.faults[b'"n":2'] = faults.refuses
    assert probe(server.url, *CASES).exit_code == 0
    result = probe(server.url, *CASES, "--since", str(before))
    assert result.exit_code == 1
    assert "n: worse: conforms → unsupported" in result.output


def test_a_failing_case_fails_the_run_unless_it_failed_before(
    server: Any, probe: Any, faults: Any, tmp_path: Path
) -> None:
    before = tmp_path / "before.json"
    write_report(probe, server.url, before)
    server.faults[b'"n":2'] = faults.fails
    failing = tmp_path / "failing.json"
    write_report(probe, server.url, failing)
    exit_codes = [probe(server.url, *CASES, "--since", str(path)).exit_code for path in (before, failing)]
    exit_code_without = probe(server.url, *CASES).exit_code
    assert exit_codes[1] == 0
    assert exit_codes[0] == exit_code_without != 0


def test_a_case_without_an_answer_fails_the_run_only_if_it_had_one_before(
    server: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path
) -> None:
    before, busy = tmp_path / "before.json", tmp_path / "busy.json"
    write_report(probe, server.url, before)
    server.faults[b'"n":2'] = json_handler(wire, 503, wire.error("busy"))
    write_report(probe, server.url, busy)
    assert [probe(server.url, *CASES, "--since", str(path)).exit_code for path in (before, busy)] == [3, 0]


def test_a_case_without_a_verdict_is_neither_better_nor_worse_and_its_findings_are_not_gone(
    server: Any, probe: Any, wire: SimpleNamespace, faults: Any, tmp_path: Path
) -> None:
    deviating, busy = tmp_path / "deviating.json", tmp_path / "busy.json"
    server.faults[b'"n":2'] = faults.one_choice
    write_report(probe, server.url, deviating)
    server.faults[b'"n":2'] = json_handler(wire, 503, wire.error("busy"))
    [lost] = write_report(probe, server.url, busy, "--since", str(deviating))["changes"]
    server.faults[b'"n":2'] = faults.one_choice
    [found] = write_report(probe, server.url, tmp_path / "now.json", "--since", str(busy))["changes"]
    for change, standings in ((lost, ("deviates", "inconclusive")), (found, ("inconclusive", "deviates"))):
        assert (change["before"], change["now"], change["direction"]) == (*standings, "different")
    assert (lost["gone"], len(found["new"])) == ([], 1)


@pytest.mark.parametrize("name", ["html", "markdown", "text"])
def test_cases_that_changed_alike_are_listed_together(
    server: Any, probe: Any, faults: Any, tmp_path: Path, name: str
) -> None:
    before = tmp_path / "before.json"
    write_report(probe, server.url, before)
    server.faults[b'"stop":'] = server.faults[b'"n":2'] = faults.refuses
    output = probe(server.url, *CASES, "--since", str(before), "--format", name).output
    assert output.count("conforms → unsupported") == 1
    names = re.sub(r"<[^>]*>|\\", "", output)
    assert re.search(r"\bstop, n\b|\bn, stop\b", names)


def test_cases_that_only_one_of_the_reports_has_are_shown(server: Any, probe: Any, tmp_path: Path) -> None:
    before = tmp_path / "before.json"
    write_report(probe, server.url, before)
    result = probe(server.url, "--case", "plain,seed", "--since", str(before))
    assert result.exit_code == 0
    assert "seed: not sent before, conforms" in result.output
    assert "n: conforms before, not sent" in result.output


@pytest.mark.parametrize("name", ["html", "markdown", "text"])
def test_the_formats_for_people_show_the_changes_of_a_single_server(
    server: Any, probe: Any, faults: Any, tmp_path: Path, name: str
) -> None:
    before = tmp_path / "before.json"
    write_report(probe, server.url, before)
    server.faults[b'"n":2'] = faults.one_choice
    output = probe(server.url, *CASES, "--since", str(before), "--format", name).output
    assert "before.json" in output.replace("\\", "")
    assert "conforms → deviates" in output


def test_a_case_with_warnings_alone_has_their_colour_and_one_without_a_verdict_is_not_called_skipped(
    server: Any, probe: Any, faults: Any, wire: SimpleNamespace
) -> None:
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 3}
    wrong_total = wire.completion({"model": "tiny", "messages": [], "stop": "e"}) | {"usage": usage}
    server.faults[b'"stop":'] = json_handler(wire, 200, wrong_total)
    server.faults[b'"n":2'] = json_handler(wire, 503, wire.error("busy"))
    page = probe(server.url, *CASES, "--format", "html").output
    assert '<span class="level warning">deviates</span><span class="name"><code>stop</code>' in page
    assert re.search(r'<p class="summary">[^<]*, 1 inconclusive', page)
    assert " skipped" not in page


def test_the_page_begins_with_the_changes_and_its_title_has_the_colour_of_the_run(
    server: Any, probe: Any, faults: Any, tmp_path: Path
) -> None:
    before = tmp_path / "before.json"
    server.faults[b'"n":2'] = faults.one_choice
    write_report(probe, server.url, before)
    arguments = (server.url, *CASES, "--since", str(before), "--format", "html")
    page = probe(*arguments).output
    assert '<header class="good">' in page  # it deviates, but as before
    assert page.index('<section id="changes"') < page.index('<section id="matrix"')
    server.faults[b'"stop":'] = faults.numbered
    assert '<header class="bad">' in probe(*arguments).output


def test_each_of_several_servers_is_compared_with_its_own_earlier_report(
    server: Any, probe: Any, faults: Any, validate: Any, tmp_path: Path
) -> None:
    before = tmp_path / "before.json"
    arguments = (server.url, server.url, "--api-key-env", "OPENAI_API_KEY")
    first = probe(*arguments, *CASES, "--format", "json").output
    before.write_text(first)
    server.faults[b'"n":2'] = faults.one_choice
    now = json.loads(probe(*arguments, *CASES, "--format", "json", "--since", str(before)).output)
    validate(now)
    assert [[change["case"] for change in server_report["changes"]] for server_report in now["servers"]] == [
        ["n"],
        ["n"],
    ]
    alone = probe(server.url, *CASES, "--since", str(before))
    assert "n: worse: conforms → deviates" in alone.output


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "is not JSON"),
        ("[]", "is not a JSON report of isogloss probe"),
        ('{"report_version": 1, "findings": []}', "is not a JSON report of isogloss probe"),
        ('{"cases": [{"name": "n"}], "findings": []}', "is not a JSON report of isogloss probe"),
        ('{"servers": []}', "has none of these servers"),
    ],
)
def test_a_file_that_is_no_report_of_a_probe_is_a_usage_error_before_anything_is_sent(
    probe: Any, tmp_path: Path, text: str, complaint: str
) -> None:
    path = tmp_path / "before.json"
    path.write_text(text)
    result = probe("http://127.0.0.1:1/v1", "--since", str(path))
    assert result.exit_code == 2
    assert complaint in result.output
