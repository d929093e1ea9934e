"""Several servers side by side: who is asked with which key, and what each format says of them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from isogloss.cli.main import cli
from isogloss.cli.reporters import FORMATS

FEW = ("--case", "plain,stream,n,refuses-wrong-key")


def run(*arguments: object) -> Result:
    result = CliRunner().invoke(cli, ["probe", *map(str, arguments)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def one_choice(wire: SimpleNamespace) -> Any:
    """Return the behaviour of a server that gives one choice where ``n`` is 2, and needs no key.

    For other requests, it behaves like the reference.
    """

    def behaviour(asked: Any) -> None:
        if b'"n":2' in asked.body:
            single = wire.completion({"model": "tiny", "messages": []})
            asked.write(wire.http(200, "application/json", json.dumps(single).encode()))
        else:
            wire.well(replace(asked, headers={"authorization": f"Bearer {wire.key}", **asked.headers}))

    return behaviour


@pytest.fixture
def configured(serve: Any, wire: SimpleNamespace, one_choice: Any, tmp_path: Path, monkeypatch: Any) -> Any:
    """Configure two servers in the current folder, and return them. The first is good, the second ignores ``n``."""
    good, bad = serve(wire.well), serve(one_choice)
    (tmp_path / "isogloss.toml").write_text(
        f'[probe.servers]\ngood = {{ url = "{good.url}", model = "tiny", api-key-env = "GOOD_KEY" }}\n'
        f'bad.one = {{ url = "{bad.url}", model = "tiny" }}\n'.replace("bad.one", "bad-one")
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GOOD_KEY", wire.key)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai-alone")
    for name in ("http_proxy", "all_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    return SimpleNamespace(good=good, bad=bad)


def test_the_servers_of_the_configuration_are_asked_in_their_order_and_told_in_columns(configured: Any) -> None:
    result = run(*FEW)
    assert result.exit_code == 1
    lines = result.output.splitlines()
    assert lines[0].startswith(f"good  {configured.good.url}  tiny")
    table = {line.split()[0]: line.split()[1:] for line in lines if line and not line.startswith(" ")}
    assert ["good", "bad-one"] in [line.split() for line in lines]
    assert table["plain"] == ["conforms", "conforms"]
    assert table["n"] == ["conforms", "deviates", "1E"]
    assert table["conforming"] == ["4", "of", "4", "3", "of", "4"]
    at = lines.index("error[choice-count-mismatch] completion choices: 1 choice where n asks for 2")
    assert lines[at + 1] == "    bad-one: n"
    assert lines[-1] == "2 servers, 4 cases, conforming: good 4 of 4, bad-one 3 of 4; 1 case differs"


def test_of_several_servers_each_gets_only_the_key_that_is_said_to_be_its_own(
    configured: Any, wire: SimpleNamespace
) -> None:
    run("--case", "plain")
    assert {asked.headers.get("authorization") for asked in configured.good.asked} == {f"Bearer {wire.key}"}
    assert {asked.headers.get("authorization") for asked in configured.bad.asked} == {None}
    run(configured.good.url, configured.bad.url, "--model", "tiny", "--case", "plain", "--api-key-env", "GOOD_KEY")
    assert configured.bad.asked[-1].headers["authorization"] == f"Bearer {wire.key}"
    run("bad-one", "--case", "plain")  # one server gets the usual key, as without a configuration
    assert configured.bad.asked[-1].headers["authorization"] == "Bearer sk-of-openai-alone"


def test_a_server_is_asked_by_its_name_with_the_model_of_the_command_line(configured: Any) -> None:
    result = run("good", "--case", "plain", "--model", "other")
    assert "1 case: 1 unsupported" in result.output  # the server knows no such model
    assert configured.bad.asked == []
    assert [asked.json()["model"] for asked in configured.good.asked] == ["other"]


def test_of_urls_each_has_the_model_in_its_order_or_all_have_one(serve: Any, wire: SimpleNamespace) -> None:
    first, second = serve(wire.well), serve(wire.well)
    run(first.url, second.url, "--model", "a", "--model", "b", "--case", "plain")
    assert [first.asked[0].json()["model"], second.asked[0].json()["model"]] == ["a", "b"]
    run(first.url, second.url, "--model", "c", "--case", "plain")
    assert [first.asked[-1].json()["model"], second.asked[-1].json()["model"]] == ["c", "c"]


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
def test_what_cannot_be_asked_is_a_usage_error_before_anything_is_sent(
    configured: Any, arguments: tuple[str, ...], complaint: str
) -> None:
    result = run(*arguments)
    assert (result.exit_code, configured.good.asked) == (2, [])
    assert complaint in result.output


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        ('key = "sk-1"', "probe.servers.a"),
        ('api-key-env = "sk-proj-1"', "does not match"),
        ("model = 5", "5 is not of type 'string'"),
    ],
)
def test_a_configuration_has_names_of_variables_and_no_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str, complaint: str
) -> None:
    (tmp_path / "isogloss.toml").write_text(f'[probe.servers.a]\nurl = "http://localhost:1/v1"\n{table}\n')
    monkeypatch.chdir(tmp_path)
    result = run()
    assert result.exit_code == 2
    assert complaint in result.output


def test_without_a_url_and_without_servers_in_the_configuration_there_is_nothing_to_ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run()
    assert result.exit_code == 2
    assert "Missing argument 'URL...'" in result.output


def test_a_configuration_is_not_read_for_urls(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "isogloss.toml").write_text("no = toml = file")
    monkeypatch.chdir(tmp_path)
    assert probe(serve(wire.well).url, "--case", "plain").exit_code == 0


def test_servers_without_names_are_called_by_their_addresses_and_no_two_alike(
    serve: Any, probe: Any, wire: SimpleNamespace
) -> None:
    server = serve(wire.well)
    report = json.loads(
        probe(server.url, f"{server.url}/chat/completions?a=1", "--case", "plain", "--format", "json").output
    )
    assert [one["name"] for one in report["servers"]] == [f"127.0.0.1-{server.port}", f"127.0.0.1-{server.port}-2"]
    assert report["servers"][1]["url"] == f"{server.url}/chat/completions"


def test_the_json_report_of_several_has_the_matrix_and_the_whole_report_of_each(configured: Any, validate: Any) -> None:
    report = json.loads(run(*FEW, "--format", "json").output)
    validate(report)
    standings = {row["case"]: row["standings"] for row in report["matrix"]}
    assert standings["n"] == {"good": "conforms", "bad-one": "deviates"}
    good, bad = report["servers"]
    assert (good["conforming"], good["cases"], bad["conforming"]) == (4, 4, 3)
    assert bad["report"]["findings"][0]["source"]["file"] == "bad-one/n.json"


def test_records_of_several_lie_in_a_folder_each_and_check_finds_the_same(configured: Any, tmp_path: Path) -> None:
    live = json.loads(run(*FEW, "--format", "json", "--record", "answers").output)
    assert {path.name for path in (tmp_path / "answers").iterdir()} == {"good", "bad-one"}
    offline = json.loads(CliRunner().invoke(cli, ["check", "answers", "--format", "json"]).output)
    encoded = json.JSONEncoder(sort_keys=True).encode
    found = [one for server in live["servers"] for one in server["report"]["findings"]]
    assert found
    assert sorted(map(encoded, found)) == sorted(map(encoded, offline["findings"]))


def test_the_page_of_several_has_a_row_a_case_whose_cells_lead_to_their_findings(configured: Any) -> None:
    page = run(*FEW, "--format", "html").output
    row = page.partition('<tr id="case-n">')[2].partition("</tr>")[0]
    assert '<td class="known s3">conforms' in row
    assert '<td class="error s4"><details><summary>deviates' in row
    anchor = row.partition('<a href="#')[2].partition('"')[0]
    assert f' id="{anchor}"' in page
    assert '<option value="1">bad-one</option>' in page
    assert "sk-" not in page


def test_sarif_has_a_run_and_junit_a_suite_for_each_server(configured: Any) -> None:
    log = json.loads(run(*FEW, "--format", "sarif").output)
    assert [one["automationDetails"]["id"] for one in log["runs"]] == ["isogloss/good/", "isogloss/bad-one/"]
    assert [len(one["results"]) for one in log["runs"]] == [0, 1]
    suites = ElementTree.fromstring(run(*FEW, "--format", "junit").output)
    assert [(one.get("name"), one.get("tests"), one.get("failures")) for one in suites] == [
        ("good", "4", "0"),
        ("bad-one", "4", "1"),
    ]


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_tells_the_findings_of_several_servers(configured: Any, name: str) -> None:
    result = run(*FEW, "--format", name)
    assert result.exit_code == 1
    assert "choice-count-mismatch" in result.output


def test_markdown_has_a_column_for_each_server(configured: Any) -> None:
    lines = run(*FEW, "--format", "markdown").output.splitlines()
    assert "| case | good | bad-one |" in lines
    assert "| `n` | conforms | **deviates**: 1 error |" in lines


def test_of_a_server_that_is_not_there_the_other_is_told_all_the_same(
    serve: Any, wire: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_KEY", wire.key)
    urls = ("http://127.0.0.1:1/v1", serve(wire.well).url)
    result = run(*urls, "--model", "tiny", "--case", "plain,n", "--api-key-env", "A_KEY")
    assert result.exit_code == 3
    table = {line.split()[0]: line.split()[1:] for line in result.output.splitlines() if line.strip()}
    assert table["n"] == ["inconclusive", "conforms"]


def test_a_badge_says_how_many_of_all_cases_conform(
    serve: Any, probe: Any, wire: SimpleNamespace, one_choice: Any
) -> None:
    badge = {"schemaVersion": 1, "label": "isogloss", "isError": False}
    good, bad = serve(wire.well), serve(one_choice)
    found = [json.loads(probe(one.url, *FEW, "--format", "badge").output) for one in (good, bad)]
    assert found[0] == badge | {"message": "4 of 4", "color": "brightgreen"}
    assert found[1] == badge | {"message": "3 of 4", "color": "red"}
    silent = json.loads(probe("http://127.0.0.1:1/v1", *FEW, "--format", "badge").output)
    assert silent == badge | {"message": "nothing checked", "color": "lightgrey", "isError": True}


def test_one_run_writes_any_number_of_reports(
    serve: Any, probe: Any, wire: SimpleNamespace, validate: Any, tmp_path: Path
) -> None:
    outputs = [f"{name}:{tmp_path / name}" for name in ("html", "sarif", "json", "badge", "text")]
    result = probe(serve(wire.well).url, *FEW, *(word for one in outputs for word in ("--output", one)))
    assert result.output.endswith("4 cases: 4 conform\n")
    assert (tmp_path / "text").read_text() == result.output
    assert {path.name for path in tmp_path.iterdir()} == {"html", "sarif", "json", "badge", "text"}
    validate(json.loads((tmp_path / "json").read_bytes()))


def test_a_server_that_is_being_started_is_waited_for(serve: Any, probe: Any, wire: SimpleNamespace) -> None:
    def behaviour(asked: Any) -> None:
        if len(server.asked) < 3:
            asked.write(wire.http(503, "application/json", b'{"error": {"message": "Loading model"}}'))
        else:
            wire.well(asked)

    server = serve(behaviour)
    assert probe(server.url, "--case", "plain", "--wait", "20").exit_code == 0
    assert [asked.path for asked in server.asked] == ["/v1/models"] * 3 + ["/v1/chat/completions"]
    assert probe("http://127.0.0.1:1/v1", "--case", "plain", "--wait", "0.3").exit_code == 3
