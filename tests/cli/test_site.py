"""Findings link to the published page of their rule, once there is a site."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from isogloss.cli import site
from isogloss.cli.main import cli

CAPTURE = Path(__file__).parents[2] / "docs" / "examples" / "cassette.yaml"


def _rules() -> list[dict[str, str]]:
    done = CliRunner().invoke(cli, ["check", str(CAPTURE), "--format", "sarif"])
    rules: list[dict[str, str]] = json.loads(done.stdout)["runs"][0]["tool"]["driver"]["rules"]
    return rules


def test_sarif_names_the_address_of_each_rule_when_there_is_a_site(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site, "ADDRESS", "https://docs.example/isogloss/")
    rules = _rules()
    assert rules
    assert all(rule["helpUri"] == f"https://docs.example/isogloss/rules/{rule['id']}/" for rule in rules)


def test_sarif_names_no_address_without_a_site(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site, "ADDRESS", "")
    assert not any("helpUri" in rule for rule in _rules())


def test_the_address_of_the_site_ends_with_a_slash_where_there_is_one() -> None:
    assert site.ADDRESS == "" or (site.ADDRESS.startswith("https://") and site.ADDRESS.endswith("/"))
