"""``isogloss check --live``: one request of the user's own."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from isogloss.cli.main import cli


def check(*arguments: str) -> Any:
    return CliRunner().invoke(cli, ["check", *arguments])


@pytest.mark.parametrize("stream", [True, False])
def test_the_request_is_sent_as_it_is_and_its_answer_judged(
    serve: Any, wire: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stream: bool
) -> None:
    monkeypatch.setenv("MY_KEY", wire.key)
    request = tmp_path / "request.json"
    request.write_text(
        json.dumps({"stream": stream, "messages": [{"role": "user", "content": "Hi"}], "model": "tiny"}, indent=3)
    )
    server = serve(wire.well)
    result = check("--live", server.url, "--request", str(request), "--api-key-env", "MY_KEY", "--header", "X-A: b")
    assert result.exit_code == 0, result.output
    assert "1 exchange (1 request, 1 stream" in result.output or "(1 request, 1 completion)" in result.output
    [asked] = server.asked
    assert asked.body == request.read_bytes()
    assert asked.headers["authorization"] == f"Bearer {wire.key}"
    assert asked.headers["x-a"] == "b"


def test_the_answer_is_held_against_the_request(
    serve: Any, wire: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    request = tmp_path / "request.json"
    request.write_text('{"model": "tiny", "messages": [{"role": "user", "content": "Hi"}], "stream": true}')

    def behaviour(asked: Any) -> None:
        asked.write(wire.http(200, "application/json", json.dumps(wire.completion(asked.json())).encode()))

    result = check("--live", serve(behaviour).url, "--request", str(request))
    assert "error[stream-refused]" in result.output
    assert result.exit_code == 1


def test_a_server_that_is_not_there_leaves_nothing_checked(tmp_path: Path, probe: Any) -> None:
    (tmp_path / "request.json").write_text("{}")
    result = check("--live", "http://127.0.0.1:1/v1", "--request", str(tmp_path / "request.json"))
    assert "skipped: cannot connect" in result.output
    assert result.exit_code == 3


@pytest.mark.parametrize("arguments", [["--live", "http://127.0.0.1:1/v1"], ["--request", __file__]])
def test_a_server_without_a_request_or_the_reverse_is_a_usage_error(arguments: list[str]) -> None:
    result = check(*arguments)
    assert result.exit_code == 2
    assert "need each other" in result.output
