"""Tests that findings quote values only with ``--show-values``, and never quote keys."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from planted_keys import SHAPED, pieces, tells_in_pieces

SECRET = "sk-proj-" + "A1b2C3d4" * 4


def test_values_are_shown_on_request_and_keys_never(isogloss: Callable[..., Any], tmp_path: Path) -> None:
    payload = json.loads(Path("fixtures/conforming/completion/text.json").read_text())
    payload["choices"][0]["message"]["thoughts"] = f"The user's cat is ill; the key is {SECRET}, in full \\u001b[31m"
    path = tmp_path / "answer.json"
    path.write_text(json.dumps(payload))
    for output_format in ("text", "json"):
        without_values = isogloss("check", path, "--format", output_format).stdout
        with_values = isogloss("check", path, "--format", output_format, "--show-values").stdout
        assert "cat is ill" not in without_values
        assert "cat is ill" in with_values
        assert SECRET not in without_values + with_values
        assert "\x1b" not in with_values


@pytest.mark.parametrize("output_format", ["sarif", "junit", "github", "gitlab", "markdown", "html"])
def test_show_values_is_refused_with_formats_that_are_published(
    isogloss: Callable[..., Any], tmp_path: Path, output_format: str
) -> None:
    path = "fixtures/captures/json/pair.json"
    for arguments in (("--format", output_format), ("--output", f"{output_format}:{tmp_path / 'report'}")):
        result = isogloss("check", path, "--show-values", *arguments)
        assert result.returncode == 2
        assert f"--show-values is for text, json, jsonl: {output_format} quotes no values" in result.stderr
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("output_format", ["text", "json", "jsonl"])
@pytest.mark.parametrize("property_name", ["response", "response_text"])
def test_keys_that_are_split_into_tokens_are_not_shown(
    isogloss: Callable[..., Any], tmp_path: Path, output_format: str, property_name: str
) -> None:
    payload = json.loads(Path("fixtures/conforming/completion/text.json").read_text())
    choice = payload["choices"][0]
    records = []
    for key in SHAPED:
        tokens = [{"token": part} for part in pieces(key, 3)]  # short, since only the beginning of a value is shown
        answer = payload | {"choices": [choice | {"logprobs": {"content": tokens, "refusal": None, "tokens": tokens}}]}
        records.append(
            json.dumps({property_name: answer if property_name == "response" else json.dumps(answer), "status": 200})
        )
    path = tmp_path / "records.jsonl"
    path.write_text("\n".join(records))
    result = isogloss("check", path, "--format", output_format, "--show-values")
    assert result.returncode == 1
    assert tells_in_pieces(result.stdout) == []
    assert "***" in result.stdout  # the beginning of the tokens is shown
