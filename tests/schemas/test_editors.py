"""The exported catalog in an editor: the JSON service of Visual Studio Code, from npm."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from isogloss.cli.main import cli

ROOT = Path(__file__).parents[2]
SERVICE = "vscode-json-languageservice@5"
GOOD = json.loads((ROOT / "fixtures" / "conforming" / "completion" / "text.json").read_bytes())
Says = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Says:
    """Return what an editor that knows the catalog shows for a file with this name and content."""
    folder = tmp_path_factory.mktemp("editor")
    subprocess.run(
        ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder, SERVICE],
        check=True, capture_output=True, timeout=300,
    )  # fmt: skip
    published = folder / "published"
    cli.main(["schemas", "export", str(published), "--base-uri", "https://example.org/isogloss"], standalone_mode=False)

    def says(name: str, payload: Any) -> dict[str, Any]:
        (folder / name).write_text(json.dumps(payload, indent=1), "utf-8")
        script = [Path(__file__).with_name("editor.js"), folder / "node_modules", published, folder / name]
        done = subprocess.run(["node", *script], check=True, capture_output=True, text=True, timeout=60)
        found: dict[str, Any] = json.loads(done.stdout)["found"][name]
        return found

    return says


pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (shutil.which("npm") and shutil.which("node")), reason="needs npm and node"),
]


def test_an_editor_finds_nothing_in_what_conforms_and_offers_what_is_left(editor: Says) -> None:
    said = editor("good.chat-completion.json", GOOD)
    assert {message for _, message in said["diagnostics"]} <= {"Value is deprecated"}
    assert "metadata" in said["offered"]
    assert said["hover"][0].startswith("Model that generated the answer")


def test_an_editor_marks_what_deviates_on_its_line(editor: Says) -> None:
    payload = {name: value for name, value in GOOD.items() if name != "model"} | {"created": "x", "zzz": 1}
    found = editor("bad.chat-completion.json", payload)["diagnostics"]
    lines = json.dumps(payload, indent=1).splitlines()
    assert {
        (0, 'Missing property "model".'),
        (lines.index(' "created": "x",'), 'Incorrect type. Expected "integer".'),
        (lines.index(' "zzz": 1'), "Property zzz is not allowed."),
    } <= {tuple(one) for one in found}


def test_each_kind_of_file_has_its_schema_and_other_files_have_none(editor: Says) -> None:
    assert editor("other.json", {"created": "x"})["diagnostics"] == []
    request = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "temperature": 5}
    found = editor("a.chat-completion-request.json", request)["diagnostics"]
    assert [message for _, message in found] == ["Value is above the maximum of 2."]
