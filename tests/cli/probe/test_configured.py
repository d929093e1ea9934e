"""Test that a probe judges by the configuration, as a check of its records does."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from isogloss.cli.main import cli

DIALECT = {
    "slug": "mine",
    "name": "Mine",
    "kind": "server",
    "summary": "The server of these tests.",
    "sources": {"seen": {"where": "these tests", "date": "2026-11", "confidence": "recorded"}},
    "deviations": [{"in": ["completion"], "at": "extra", "schema": {"type": "integer"}, "source": "seen"}],
}


def with_faults(wire: SimpleNamespace) -> Any:
    """Return the handler of a server whose completions have a property of their own, and no ``created``."""

    def handler(request: Any) -> None:
        refusal = request.headers.get("authorization") != f"Bearer {wire.key}"
        if refusal or request.path != "/v1/chat/completions" or request.json().get("stream"):
            wire.answer_correctly(request)
            return
        answer = wire.completion(request.json()) | {"extra": 1}
        del answer["created"]
        request.respond(wire.response(200, "application/json", json.dumps(answer).encode()))

    return handler


@pytest.mark.parametrize(
    ("settings", "options", "found", "exit_code"),
    [
        ("", (), {"missing-property": "error", "unknown-property": "note"}, 1),
        ('ignore = ["missing-property"]', (), {"unknown-property": "note"}, 0),
        ('select = ["missing-property"]', (), {"missing-property": "error"}, 1),
        ('select = ["missing-property"]', ("--select", "unknown-property"), {"unknown-property": "note"}, 0),
        ('fail-on = "note"\nignore = ["missing-property"]', (), {"unknown-property": "note"}, 1),
        ('fail-on = "note"\nignore = ["missing-property"]', ("--fail-on", "error"), {"unknown-property": "note"}, 0),
        (
            "severity = { missing-property = 'note', unknown-property = 'warning' }",
            (),
            {"missing-property": "note", "unknown-property": "warning"},
            0,
        ),
        (
            'dialect = "mine"\ndialect-files = ["mine.json"]\nseverity.unknown-property = "error"',
            (),
            {"missing-property": "error", "unknown-property": "note"},
            1,
        ),
        (
            '[[expect]]\nname = "no-extra"\nin = "completion"\nschema.not.required = ["extra"]',
            (),
            {"missing-property": "error", "unknown-property": "note", "expect/no-extra": "error"},
            1,
        ),
    ],
)
def test_the_configuration_and_the_options_before_it_decide_live_and_offline(
    serve: Any,
    probe: Any,
    wire: SimpleNamespace,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    settings: str,
    options: tuple[str, ...],
    found: dict[str, str],
    exit_code: int,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.json").write_text(json.dumps(DIALECT))
    (tmp_path / "isogloss.toml").write_text(settings)
    url = serve(with_faults(wire)).url
    live = probe(url, "--case", "plain", "--record", "answers", "--format", "json", *options)
    assert live.exit_code == exit_code
    findings = json.loads(live.output)["findings"]
    assert {one["rule"]: one["severity"] for one in findings} == found
    offline = CliRunner().invoke(cli, ["check", "answers", "--format", "json", *options])
    assert (offline.exit_code, json.loads(offline.output)["findings"]) == (exit_code, findings)


def test_the_configuration_of_an_option_counts_for_a_url_too(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path
) -> None:
    (tmp_path / "other.toml").write_text('ignore = ["missing-property", "unknown-property"]\n')
    url = serve(with_faults(wire)).url
    assert probe(url, "--case", "plain", "--config", str(tmp_path / "other.toml")).exit_code == 0


def test_a_dialect_file_of_the_configuration_can_name_the_speaker(
    serve: Any, probe: Any, wire: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.json").write_text(json.dumps(DIALECT | {"hosts": ["127.0.0.1"]}))
    (tmp_path / "isogloss.toml").write_text('dialect-files = ["mine.json"]\n')
    result = probe(serve(with_faults(wire)).url, "--case", "plain")
    assert "speaks the dialect mine" in result.output
    assert result.exit_code == 1
