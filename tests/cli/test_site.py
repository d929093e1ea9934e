"""Tests that findings link to the published page of their rule, if there is a site."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from isogloss.cli.descriptions import site
from isogloss.cli.main import cli

CAPTURE = Path(__file__).parents[2] / "docs" / "examples" / "cassette.yaml"


def _read_rules() -> list[dict[str, str]]:
    result = CliRunner().invoke(cli, ["check", str(CAPTURE), "--format", "sarif"])
    rules: list[dict[str, str]] = json.loads(result.stdout)["runs"][0]["tool"]["driver"]["rules"]
    return rules


def test_sarif_has_the_address_of_each_rule_if_there_is_a_site(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site, "ADDRESS", "https://docs.example/isogloss/")
    rules = _read_rules()
    assert rules
    assert all(rule["helpUri"] == f"https://docs.example/isogloss/rules/{rule['id']}/" for rule in rules)


def test_sarif_has_no_addresses_without_a_site(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site, "ADDRESS", "")
    assert not any("helpUri" in rule for rule in _read_rules())


def test_the_address_of_the_site_is_empty_or_ends_with_a_slash() -> None:
    assert site.ADDRESS == "" or (site.ADDRESS.startswith("https://") and site.ADDRESS.endswith("/"))
