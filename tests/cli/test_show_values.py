"""Findings quote no content unless asked to, and never a key."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

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
