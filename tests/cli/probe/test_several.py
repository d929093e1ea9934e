"""Test probes of several servers: which server gets which key and model, and what each format reports about them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace as replace_fields

from isogloss.cli.main import cli
from isogloss.cli.probe.matrix.table import groups
from isogloss.cli.reporters import FORMATS
from isogloss.validator import check

ROOT = Path(__file__).parents[3]

FEW_CASES = ("--case", "plain,stream,n,refuses-wrong-key")


def run_probe(*arguments: object) -> Result:
    result = CliRunner().invoke(cli, ["probe", *map(str, arguments)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def ignore_n(wire: SimpleNamespace) -> Any:
    """Return a handler for a server that sends one choice if ``n`` is 2, and needs no key.

    It answers all other requests as the reference does.
    """

    def handle(request: Any) -> None:
        if b'"n":2' in request.body:
            single = wire.completion({"model": "tiny", "messages": []})
            request.respond(wire.response(200, "application/json", json.dumps(single).encode()))
        else:
            wire.answer_correctly(replace(request, headers={"authorization": f"Bearer {wire.key}", **request.headers}))

    return handle


@pytest.fixture
def servers(serve: Any, wire: SimpleNamespace, ignore_n: Any, tmp_path: Path, monkeypatch: Any) -> Any:
    """Start two servers, name them in the configuration of the current folder, and return them.

    The server ``good`` follows the reference, and ``bad`` ignores ``n``.
    """
    good_server, bad_server = serve(wire.answer_correctly), serve(ignore_n)
    (tmp_path / "isogloss.toml").write_text(
        f'[probe.servers]\ngood = {{ url = "{good_server.url}", model = "tiny", api-key-env = "GOOD_KEY" }}\n'
        f'bad.one = {{ url = "{bad_server.url}", model = "tiny" }}\n'.replace("bad.one", "bad-one")
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GOOD_KEY", wire.key)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai-alone")
    for name in ("http_proxy", "all_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    return SimpleNamespace(good=good_server, bad=bad_server)


def test_the_text_report_has_a_column_for_each_server_in_the_order_of_the_configuration(servers: Any) -> None:
    result = run_probe(*FEW_CASES)
    assert result.exit_code == 1
    lines = result.output.splitlines()
    assert lines[0].startswith(f"good  {servers.good.url}  tiny")
    table = {line.split()[0]: line.split()[1:] for line in lines if line and not line.startswith(" ")}
    assert ["good", "bad-one"] in [line.split() for line in lines]
    assert table["plain"] == ["conforms", "conforms"]
    assert table["n"] == ["conforms", "deviates", "1E"]
    assert table["conforming"] == ["4", "of", "4", "3", "of", "4"]
    start = lines.index("error[choice-count-mismatch] completion choices: 1 choice where n asks for 2")
    assert lines[start + 1] == "    bad-one: n"
    assert lines[-1] == "2 servers, 4 cases, conforming: good 4 of 4, bad-one 3 of 4; 1 case differs"


def test_the_text_report_counts_notes_and_lists_none_of_them(servers: Any, serve: Any, wire: SimpleNamespace) -> None:
    body = json.dumps(wire.completion({"model": "tiny", "messages": []}) | {"x": 1, "y": 2}).encode()
    added = serve(lambda request: request.respond(wire.response(200, "application/json", body)))
    config = Path("isogloss.toml")
    config.write_text(config.read_text().replace(servers.bad.url, added.url))
    result = run_probe("--case", "plain")
    assert "unknown-property" not in result.output
    assert "2 different notes: --format html and json list them" in result.output
    assert result.exit_code == 0
    assert (
        "completion x: <code>x</code> is not part of the reference</a>"
        in run_probe("--case", "plain", "--format", "html").output
    )


def test_each_of_several_servers_gets_only_the_key_that_is_configured_for_it(
    servers: Any, wire: SimpleNamespace
) -> None:
    run_probe("--case", "plain")
    assert {request.headers.get("authorization") for request in servers.good.requests} == {f"Bearer {wire.key}"}
    assert {request.headers.get("authorization") for request in servers.bad.requests} == {None}
    run_probe(servers.good.url, servers.bad.url, "--model", "tiny", "--case", "plain", "--api-key-env", "GOOD_KEY")
    assert servers.bad.requests[-1].headers["authorization"] == f"Bearer {wire.key}"
    run_probe("bad-one", "--case", "plain")  # one server gets the usual key, as without a configuration
    assert servers.bad.requests[-1].headers["authorization"] == "Bearer sk-of-openai-alone"


def test_several_servers_that_want_a_key_are_not_said_to_get_the_usual_one(serve: Any, wire: SimpleNamespace) -> None:
    first, second = serve(wire.answer_correctly), serve(wire.answer_correctly)
    result = run_probe(first.url, second.url, "--model", "tiny", "--case", "plain")
    assert "no key was sent (status 401): see --api-key-env, since OPENAI_API_KEY is not sent to" in result.output


def test_a_server_is_chosen_by_its_name_and_gets_the_model_of_the_command_line(servers: Any) -> None:
    result = run_probe("good", "--case", "plain", "--model", "other")
    assert "there is no such endpoint or model (status 404)" in result.output
    assert servers.bad.requests == []
    assert [request.json()["model"] for request in servers.good.requests] == ["other"]


def test_each_url_gets_the_model_in_the_same_position_or_all_get_the_only_model(
    serve: Any, wire: SimpleNamespace
) -> None:
    first, second = serve(wire.answer_correctly), serve(wire.answer_correctly)
    run_probe(first.url, second.url, "--model", "a", "--model", "b", "--case", "plain")
    assert [first.requests[0].json()["model"], second.requests[0].json()["model"]] == ["a", "b"]
    run_probe(first.url, second.url, "--model", "c", "--case", "plain")
    assert [first.requests[-1].json()["model"], second.requests[-1].json()["model"]] == ["c", "c"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("goood",), "no server is called 'goood' in the configuration; did you mean 'good'?"),
        (("good", "http://localhost/v1"), "no model is known for http://localhost/v1"),
        (("--model", "a", "--model", "b", "--model", "c"), "--model is given 3 times for 2 servers"),
        (("--format", "badge"), "a badge is of one server; write one for each"),
        (("--output", "badge:b.json"), "a badge is of one server; write one for each"),
    ],
)
def test_arguments_that_do_not_fit_the_servers_are_a_usage_error_before_anything_is_sent(
    servers: Any, arguments: tuple[str, ...], complaint: str
) -> None:
    result = run_probe(*arguments)
    assert (result.exit_code, servers.good.requests) == (2, [])
    assert complaint in result.output


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        ('key = "sk-1"', "probe.servers.a"),
        ('api-key-env = "sk-proj-1"', "must be the name of an environment variable"),
        ("model = 5", "must be a text in quotation marks"),
    ],
)
def test_a_configured_server_with_a_key_or_a_wrong_type_is_a_usage_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str, complaint: str
) -> None:
    (tmp_path / "isogloss.toml").write_text(f'[probe.servers.a]\nurl = "http://localhost:1/v1"\n{table}\n')
    monkeypatch.chdir(tmp_path)
    result = run_probe()
    assert result.exit_code == 2
    assert complaint in result.output


def test_a_url_is_required_if_the_configuration_has_no_servers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run_probe()
    assert result.exit_code == 2
    assert "Missing argument 'URL...'" in result.output


def test_a_configuration_that_cannot_be_read_is_a_usage_error_before_anything_is_sent(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "isogloss.toml").write_text("no = toml = file")
    monkeypatch.chdir(tmp_path)
    server = serve(wire.answer_correctly)
    result = probe(server.url, "--case", "plain")
    assert (result.exit_code, server.requests) == (2, [])
    assert "isogloss.toml:1:6: not TOML" in result.output


def test_servers_without_names_get_different_names_from_their_addresses(
    serve: Any, probe: Any, wire: SimpleNamespace
) -> None:
    server = serve(wire.answer_correctly)
    report = json.loads(
        probe(server.url, f"{server.url}/chat/completions?a=1", "--case", "plain", "--format", "json").output
    )
    assert [row["name"] for row in report["servers"]] == [f"127.0.0.1-{server.port}", f"127.0.0.1-{server.port}-2"]
    assert report["servers"][1]["url"] == f"{server.url}/chat/completions"


def test_the_json_report_of_several_servers_has_the_matrix_and_the_report_of_each_server(
    servers: Any, validate: Any
) -> None:
    report = json.loads(run_probe(*FEW_CASES, "--format", "json").output)
    validate(report)
    standings = {row["case"]: row["standings"] for row in report["matrix"]}
    assert standings["n"] == {"good": "conforms", "bad-one": "deviates"}
    good_server, bad_server = report["servers"]
    assert (good_server["conforming"], good_server["cases"], bad_server["conforming"]) == (4, 4, 3)
    assert bad_server["report"]["findings"][0]["source"]["file"] == "bad-one/n.json"


def test_records_of_several_servers_are_in_a_folder_each_and_check_finds_the_same(servers: Any, tmp_path: Path) -> None:
    live = json.loads(run_probe(*FEW_CASES, "--format", "json", "--record", "answers").output)
    assert {path.name for path in (tmp_path / "answers").iterdir()} == {"good", "bad-one"}
    offline = json.loads(CliRunner().invoke(cli, ["check", "answers", "--format", "json"]).output)
    encode = json.JSONEncoder(sort_keys=True).encode
    live_findings = [finding for server in live["servers"] for finding in server["report"]["findings"]]
    assert live_findings
    assert sorted(map(encode, live_findings)) == sorted(map(encode, offline["findings"]))


def test_no_server_is_asked_if_the_records_of_one_of_them_cannot_be_written(servers: Any, tmp_path: Path) -> None:
    (tmp_path / "answers").mkdir()
    (tmp_path / "answers" / "bad-one").write_text("a file", "utf-8")
    result = run_probe(*FEW_CASES, "--record", "answers")
    assert result.exit_code == 2
    assert "cannot write to answers/bad-one: " in result.output
    assert list((tmp_path / "answers" / "good").iterdir()) == []


def test_the_page_of_several_servers_has_a_row_for_each_case_with_links_to_its_findings(servers: Any) -> None:
    page = run_probe(*FEW_CASES, "--format", "html").output
    assert "2 servers, 4 cases, conforming: good 4 of 4, bad-one 3 of 4; 1 case differs</p>" in page
    row = page.partition('<tr id="case-n">')[2].partition("</tr>")[0]
    assert '<td class="known s3">conforms' in row
    assert '<td class="error s4"><details><summary>deviates' in row
    anchor = row.partition('<a href="#')[2].partition('"')[0]
    assert f' id="{anchor}"' in page
    assert '<a href="#file-1">bad-one</a><br>3 of 4</th>' in page
    assert '<td class="word">3 of 4</td>' in page.partition('<tr id="file-1">')[2]
    assert '<option value="1">bad-one</option>' in page
    assert "sk-" not in page


def test_sarif_has_a_run_and_junit_a_suite_for_each_server(servers: Any) -> None:
    sarif_log = json.loads(run_probe(*FEW_CASES, "--format", "sarif").output)
    assert [run["automationDetails"]["id"] for run in sarif_log["runs"]] == ["isogloss/good/", "isogloss/bad-one/"]
    assert [len(run["results"]) for run in sarif_log["runs"]] == [0, 1]
    suites = ElementTree.fromstring(run_probe(*FEW_CASES, "--format", "junit").output)
    assert [(suite.get("name"), suite.get("tests"), suite.get("failures")) for suite in suites] == [
        ("good", "4", "0"),
        ("bad-one", "4", "1"),
    ]


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_reports_the_findings_of_several_servers(servers: Any, name: str) -> None:
    result = run_probe(*FEW_CASES, "--format", name)
    assert result.exit_code == 1
    assert "choice-count-mismatch" in result.output


def test_markdown_has_a_column_for_each_server(servers: Any) -> None:
    lines = run_probe(*FEW_CASES, "--format", "markdown").output.splitlines()
    assert "| case | good | bad-one |" in lines
    assert "| `n` | conforms | **deviates**: 1 error |" in lines


def test_a_finding_is_one_entry_although_a_dialect_explains_it_on_one_of_the_servers() -> None:
    payload = json.loads((ROOT / "fixtures/conforming/completion/text.json").read_bytes()) | {"x": 1}
    [finding] = check(payload).findings
    shown = [finding, replace_fields(finding, explained_by=("groq",))]
    [group] = groups([SimpleNamespace(cases=[SimpleNamespace(name="plain", findings=(one,))]) for one in shown])
    assert group.cases == {0: ["plain"], 1: ["plain"]}


def test_an_unreachable_server_does_not_stop_the_report_about_the_other(
    serve: Any, wire: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_KEY", wire.key)
    urls = ("http://127.0.0.1:1/v1", serve(wire.answer_correctly).url)
    result = run_probe(*urls, "--model", "tiny", "--case", "plain,n", "--api-key-env", "A_KEY")
    assert result.exit_code == 3
    table = {line.split()[0]: line.split()[1:] for line in result.output.splitlines() if line.strip()}
    assert table["n"] == ["inconclusive", "conforms"]


def test_a_badge_says_how_many_of_all_cases_conform(
    serve: Any, probe: Any, wire: SimpleNamespace, ignore_n: Any
) -> None:
    badge = {"schemaVersion": 1, "label": "isogloss", "isError": False}
    good_server, bad_server = serve(wire.answer_correctly), serve(ignore_n)
    badges = [
        json.loads(probe(server.url, *FEW_CASES, "--format", "badge").output) for server in (good_server, bad_server)
    ]
    assert badges[0] == badge | {"message": "4 of 4", "color": "brightgreen"}
    assert badges[1] == badge | {"message": "3 of 4", "color": "red"}
    unreachable = json.loads(probe("http://127.0.0.1:1/v1", *FEW_CASES, "--format", "badge").output)
    assert unreachable == badge | {"message": "nothing checked", "color": "lightgrey", "isError": True}


def test_one_run_writes_any_number_of_reports(
    serve: Any, probe: Any, wire: SimpleNamespace, validate: Any, tmp_path: Path
) -> None:
    outputs = [f"{name}:{tmp_path / name}" for name in ("html", "sarif", "json", "badge", "text")]
    result = probe(
        serve(wire.answer_correctly).url, *FEW_CASES, *(word for output in outputs for word in ("--output", output))
    )
    assert result.output.endswith("4 cases: 4 conform\n")
    assert (tmp_path / "text").read_text() == result.output
    assert {path.name for path in tmp_path.iterdir()} == {"html", "sarif", "json", "badge", "text"}
    validate(json.loads((tmp_path / "json").read_bytes()))


def test_a_server_that_is_being_started_is_waited_for(serve: Any, probe: Any, wire: SimpleNamespace) -> None:
    def handle(request: Any) -> None:
        if len(server.requests) < 3:
            request.respond(wire.response(503, "application/json", b'{"error": {"message": "Loading model"}}'))
        else:
            wire.answer_correctly(request)

    server = serve(handle)
    assert probe(server.url, "--case", "plain", "--wait", "20").exit_code == 0
    assert [request.path for request in server.requests] == ["/v1/models"] * 3 + ["/v1/chat/completions"]
    assert probe("http://127.0.0.1:1/v1", "--case", "plain", "--wait", "0.3").exit_code == 3
