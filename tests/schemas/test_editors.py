"""Test the exported catalog in an editor: in the JSON service of Visual Studio Code, from npm."""

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
CONFORMING = json.loads((ROOT / "fixtures" / "conforming" / "completion" / "text.json").read_bytes())
OpenInEditor = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def open_in_editor(tmp_path_factory: pytest.TempPathFactory) -> OpenInEditor:
    """Return a function that returns what an editor with the catalog shows for a file with a name and content."""
    folder = tmp_path_factory.mktemp("editor")
    subprocess.run(
        ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder, SERVICE],
        check=True, capture_output=True, timeout=300,
    )  # fmt: skip
    published = folder / "published"
    cli.main(["schemas", "export", str(published), "--base-uri", "https://example.org/isogloss"], standalone_mode=False)

    def open_file(name: str, payload: Any) -> dict[str, Any]:
        (folder / name).write_text(json.dumps(payload, indent=1), "utf-8")
        script = [Path(__file__).with_name("editor.js"), folder / "node_modules", published, folder / name]
        result = subprocess.run(["node", *script], check=True, capture_output=True, text=True, timeout=60)
        shown: dict[str, Any] = json.loads(result.stdout)["found"][name]
        return shown

    return open_file


pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (shutil.which("npm") and shutil.which("node")), reason="needs npm and node"),
]


def test_an_editor_finds_nothing_in_a_conforming_file_and_offers_the_other_properties(
    open_in_editor: OpenInEditor,
) -> None:
    shown = open_in_editor("good.chat-completion.json", CONFORMING)
    assert {message for _, message in shown["diagnostics"]} <= {"Value is deprecated"}
    assert "metadata" in shown["offered"]
    assert shown["hover"][0].startswith("Model that generated the answer")


def test_an_editor_marks_deviations_on_their_lines(open_in_editor: OpenInEditor) -> None:
    payload = {name: value for name, value in CONFORMING.items() if name != "model"} | {"created": "x", "zzz": 1}
    diagnostics = open_in_editor("bad.chat-completion.json", payload)["diagnostics"]
    lines = json.dumps(payload, indent=1).splitlines()
    assert {
        (0, 'Missing property "model".'),
        (lines.index(' "created": "x",'), 'Incorrect type. Expected "integer".'),
        (lines.index(' "zzz": 1'), "Property zzz is not allowed."),
    } <= {tuple(diagnostic) for diagnostic in diagnostics}


def test_each_kind_of_file_has_its_schema_and_other_files_have_none(open_in_editor: OpenInEditor) -> None:
    assert open_in_editor("other.json", {"created": "x"})["diagnostics"] == []
    request = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "temperature": 5}
    diagnostics = open_in_editor("a.chat-completion-request.json", request)["diagnostics"]
    assert [message for _, message in diagnostics] == ["Value is above the maximum of 2."]
