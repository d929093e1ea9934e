"""Test ``isogloss check --live``, which sends one request that the user wrote."""

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
def test_the_request_is_sent_unchanged_and_its_answer_is_judged(
    serve: Any, wire: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stream: bool
) -> None:
    monkeypatch.setenv("MY_KEY", wire.key)
    path = tmp_path / "request.json"
    path.write_text(
        json.dumps({"stream": stream, "messages": [{"role": "user", "content": "Hi"}], "model": "tiny"}, indent=3)
    )
    server = serve(wire.answer_correctly)
    result = check("--live", server.url, "--request", str(path), "--api-key-env", "MY_KEY", "--header", "X-A: b")
    assert result.exit_code == 0, result.output
    assert "1 exchange (1 request, 1 stream" in result.output or "(1 request, 1 completion)" in result.output
    [request] = server.requests
    assert request.body == path.read_bytes()
    assert request.headers["authorization"] == f"Bearer {wire.key}"
    assert request.headers["x-a"] == "b"


def test_the_answer_is_judged_together_with_the_request(
    serve: Any, wire: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    path = tmp_path / "request.json"
    path.write_text('{"model": "tiny", "messages": [{"role": "user", "content": "Hi"}], "stream": true}')

    def handle(request: Any) -> None:
        request.respond(wire.response(200, "application/json", json.dumps(wire.completion(request.json())).encode()))

    result = check("--live", serve(handle).url, "--request", str(path))
    assert "error[stream-refused]" in result.output
    assert result.exit_code == 1


def test_a_completion_with_the_status_of_an_error_is_judged(serve: Any, wire: SimpleNamespace, tmp_path: Path) -> None:
    path = tmp_path / "request.json"
    path.write_text('{"model": "tiny", "messages": [{"role": "user", "content": "Hi"}]}')

    def handle(request: Any) -> None:
        request.respond(wire.response(500, "application/json", json.dumps(wire.completion(request.json())).encode()))

    result = check("--live", serve(handle).url, "--request", str(path))
    assert "error[completion-with-error-status]" in result.output
    assert "only the error was checked" not in result.output
    assert result.exit_code == 1


@pytest.mark.thorough
def test_with_an_unreachable_server_nothing_is_checked(tmp_path: Path, probe: Any) -> None:
    (tmp_path / "request.json").write_text("{}")
    result = check("--live", "http://127.0.0.1:1/v1", "--request", str(tmp_path / "request.json"))
    assert "skipped: cannot connect" in result.output
    assert result.exit_code == 3
    junit = check(
        "--live", "http://127.0.0.1:1/v1", "--request", str(tmp_path / "request.json"), "--format", "junit"
    ).output
    assert '<skipped message="cannot connect' in junit


@pytest.mark.parametrize("arguments", [["--live", "http://127.0.0.1:1/v1"], ["--request", __file__]])
def test_a_server_without_a_request_or_the_reverse_is_a_usage_error(arguments: list[str]) -> None:
    result = check(*arguments)
    assert result.exit_code == 2
    assert "need each other" in result.output
