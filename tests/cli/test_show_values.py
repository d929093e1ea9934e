"""Findings quote content only with ``--show-values``, and never a key."""

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
    for output in ("text", "json"):
        hidden = isogloss("check", path, "--format", output).stdout
        shown = isogloss("check", path, "--format", output, "--show-values").stdout
        assert "cat is ill" not in hidden
        assert "cat is ill" in shown
        assert SECRET not in hidden + shown
        assert "\x1b" not in shown


@pytest.mark.parametrize("output", ["sarif", "junit", "github", "gitlab", "markdown", "html"])
def test_values_are_refused_where_they_would_be_published(
    isogloss: Callable[..., Any], tmp_path: Path, output: str
) -> None:
    path = "fixtures/captures/json/pair.json"
    for arguments in (("--format", output), ("--output", f"{output}:{tmp_path / 'report'}")):
        done = isogloss("check", path, "--show-values", *arguments)
        assert done.returncode == 2
        assert f"--show-values is for text, json, jsonl: {output} quotes no values" in done.stderr
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("output", ["text", "json", "jsonl"])
@pytest.mark.parametrize("where", ["response", "response_text"])
def test_keys_in_the_pieces_that_tokens_are_show_nothing(
    isogloss: Callable[..., Any], tmp_path: Path, output: str, where: str
) -> None:
    payload = json.loads(Path("fixtures/conforming/completion/text.json").read_text())
    choice = payload["choices"][0]
    records = []
    for key in SHAPED:
        tokens = [{"token": part, "logprob": "none", "bytes": part} for part in pieces(key, 3)]
        answer = payload | {"choices": [choice | {"logprobs": {"content": tokens, "refusal": None, "tokens": tokens}}]}
        records.append(json.dumps({where: answer if where == "response" else json.dumps(answer), "status": 200}))
    path = tmp_path / "records.jsonl"
    path.write_text("\n".join(records))
    done = isogloss("check", path, "--format", output, "--show-values")
    assert done.returncode == 1
    assert f"{len(SHAPED)}" in done.stdout
    assert tells_in_pieces(done.stdout) == []
