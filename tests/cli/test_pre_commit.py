"""Tests of the hook for pre-commit and of the scripts of the GitHub Action."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from identify import identify
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
GOOD = json.loads((ROOT / "fixtures" / "conforming" / "completion" / "text.json").read_bytes())


def test_the_hook_selects_captures_by_their_file_names(tmp_path: Path) -> None:
    [hook] = HOOKS
    pattern = re.compile(hook["files"])
    for name in ("a.json", "b/c.yaml", "c.yml", "d.har", "e.jsonl", "f.sse", "g.json.gz"):
        assert pattern.search(name)
    for name in ("a.py", "json", "a.json.py", "README.md"):
        assert not pattern.search(name)
    (tmp_path / "a.har").write_text("{}", "utf-8")
    assert "file" in identify.tags_from_path(str(tmp_path / "a.har"))


NOT_SELECTED = {
    "pages, which hold examples": "md markdown mdx html htm rst adoc asciidoc",
    "programs": "R",
    "texts, most of which hold something else": "txt log xml sql ipynb",
    "recordings and tables that nobody reviews as text": "mitm gor rec parquet arrow saz chlsx jtl",
    "archives": "zip",
}
"""Endings of files that isogloss reads and the hook does not select, by the reason."""


def test_the_hook_selects_every_ending_of_captures_unless_there_is_a_reason() -> None:
    table = [line for line in (ROOT / "docs" / "formats.md").read_text("utf-8").splitlines() if line[:3] == "| `"]
    endings = {ending for line in table for ending in re.findall(r"`\.(\w+)`", line)}
    for folder in ("captures", "logs", "packed"):
        endings |= {path.suffix[1:] for path in (ROOT / "fixtures" / folder).rglob("*") if path.is_file()}
    assert {"rest", "snap", "txtar"} <= endings
    selected = {ending for ending in endings if re.search(HOOKS[0]["files"], f"a.{ending}")}
    packed = {ending for ending in endings if re.search(HOOKS[0]["files"], f"a.json.{ending}")}
    assert endings - selected - packed == set(" ".join(NOT_SELECTED.values()).split())


def test_the_hook_prints_nothing_about_conforming_captures_and_other_files(
    isogloss: Callable[..., Any], tmp_path: Path
) -> None:
    program, *arguments = [*HOOKS[0]["entry"].split(), *HOOKS[0]["args"]]
    assert program == "isogloss"
    (tmp_path / "package.json").write_text('{"name": "x", "version": "1"}', "utf-8")
    (tmp_path / "ci.yaml").write_text("jobs: {}\n", "utf-8")
    (tmp_path / "good.json").write_text(json.dumps(GOOD), "utf-8")
    result = isogloss(*arguments, *sorted(tmp_path.iterdir()))
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    (tmp_path / "bad.json").write_text(json.dumps(GOOD | {"model": 5, "x": 1}), "utf-8")
    result = isogloss(*arguments, *sorted(tmp_path.iterdir()))
    assert result.returncode == 1
    lines = [line for line in result.stdout.splitlines() if not line.startswith("      ")]
    assert len(lines) == 2  # the error and the summary, not the note


def test_the_hook_checks_a_file_whose_name_begins_with_a_dash(
    isogloss: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("-a.json", "--exit-zero.json", "--help"):
        (tmp_path / name).write_text(json.dumps(GOOD | {"model": 5}), "utf-8")
        _, *arguments = [*HOOKS[0]["entry"].split(), *HOOKS[0]["args"]]
        result = isogloss(*arguments, name)
        assert (result.returncode, result.stdout.startswith(f"{name}:1:")) == (1, True)


def _run_step(name: str, folder: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run a step of the action in a folder, with an isogloss that is installed where the action installs it."""
    [step] = [step for step in ACTION["runs"]["steps"] if step["name"] == name]
    program = folder / "isogloss" / "bin" / "isogloss"
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "from isogloss.cli.main import main; main()" "$@"\n')
    program.chmod(0o755)
    environment = {**os.environ, "RUNNER_TEMP": str(folder), "PYTHONPATH": os.pathsep.join(sys.path), **inputs}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_the_action_runs_isogloss_check_on_its_paths(tmp_path: Path) -> None:
    run_step = partial(_run_step, "isogloss check", tmp_path)
    (tmp_path / "a b.json").write_text(json.dumps(GOOD | {"service_tier": "x"}), "utf-8")
    assert run_step(PATHS="\na b.json\n", ARGS="").returncode == 0
    result = run_step(PATHS="a b.json\n", ARGS="--fail-on warning\n--output sarif:out.sarif")
    assert result.returncode == 1, result.stderr
    assert result.stdout.startswith("::warning file=a b.json,line=1,")
    assert (tmp_path / "out.sarif").exists()
    result = run_step(PATHS=" \n", ARGS="")
    assert (result.returncode, result.stdout) == (
        2,
        "::error::isogloss needs paths, the files and folders to check; or probe, the URL of a server\n",
    )
    result = run_step(PATHS="a b.json", ARGS="", FOR_PROBE="tiny")
    assert (result.returncode, "are for probe" in result.stdout) == (2, True)
    assert run_step(PATHS="$(touch pwned)", ARGS="; touch pwned").returncode == 2
    assert not (tmp_path / "pwned").exists()


def test_the_action_puts_no_input_into_a_script() -> None:
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", "")


def test_the_action_pins_other_actions_to_a_commit() -> None:
    actions = re.findall(r"uses: (.*)$", (ROOT / "action.yml").read_text("utf-8"), re.MULTILINE)
    assert all(re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action) for action in actions)


@pytest.mark.parametrize("programs", ["bin", "Scripts"])
def test_the_action_finds_its_programs_on_every_system(programs: str, tmp_path: Path) -> None:
    [step] = [step for step in ACTION["runs"]["steps"] if step["name"] == "Install isogloss"]
    python = tmp_path / "python"
    python.write_text(f"""#!/bin/sh
folder="$3/{programs}"
mkdir -p "$folder"
printf '#!/bin/sh\necho "$@" >> "$RUNNER_TEMP/called"\n' > "$folder/python"
chmod +x "$folder/python"
""")
    python.chmod(0o755)
    environment = os.environ | {"RUNNER_TEMP": str(tmp_path), "PYTHON": str(python), "SOURCE": "/action", "VERSION": ""}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    subprocess.run(command, env=environment, check=True, capture_output=True)
    first, second = (tmp_path / "called").read_text("utf-8").splitlines()
    assert first == "-m pip install --quiet --require-hashes -r /action/action.lock"
    assert second.endswith(" /action")


def test_the_action_installs_every_dependency_from_its_lock() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    dependencies = project["project"]["dependencies"] + project["project"]["optional-dependencies"]["compression"]
    locked = {
        canonicalize_name(line.partition("==")[0]): line.partition("==")[2].split()[0]
        for line in (ROOT / "action.lock").read_text("utf-8").splitlines()
        if "==" in line and not line.startswith((" ", "#"))
    }
    for text in [*dependencies, *project["build-system"]["requires"]]:
        requirement = Requirement(text)
        assert locked[canonicalize_name(requirement.name)] in requirement.specifier
    [step] = [step for step in ACTION["runs"]["steps"] if step["name"] == "Install isogloss"]
    assert '--require-hashes -r "$SOURCE/action.lock"' in step["run"]


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_the_action_starts_a_server_probes_it_and_stops_it(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(_SERVER)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    (tmp_path / "answer.json").write_text(json.dumps(GOOD))
    inputs = {
        "MODEL": "tiny",
        "WAIT": "60",
        "FOLDER": "reports",
        "SINCE": "",
        "GITHUB_STEP_SUMMARY": "",
        "PROBE": f"http://127.0.0.1:{port}/v1\n",
        "ARGS": "--case plain\n--timeout 20",
        "START": "",
        "PATHS": "",
    }
    run_step = partial(_run_step, "isogloss probe", tmp_path, **inputs)
    result = run_step(START=f'"{sys.executable}" server.py {port}', SINCE="missing.json")
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.startswith("::warning::there is no missing.json: nothing is compared")
    names = {path.name for path in (tmp_path / "reports").iterdir()}
    assert names == {"report.html", "report.json", "report.sarif", "junit.xml", "badge.json"}
    assert json.loads((tmp_path / "reports" / "badge.json").read_text())["message"] == "1 of 1"
    # Now no server answers, because the first one was stopped.
    second = run_step(START="echo ::error::no such model", WAIT="0.1")
    assert second.returncode == 3, second.stdout + second.stderr
    assert second.stdout.endswith("the end of what the server wrote:\n  | ::error::no such model\n")
    result = run_step(PATHS="tests/cassettes")
    assert (result.returncode, "with probe, no paths are checked" in result.stdout) == (2, True)
    assert run_step(PROBE="$(touch pwned)", MODEL="; touch pwned", WAIT="0").returncode == 2
    assert not (tmp_path / "pwned").exists()


_SERVER = """import http.server, pathlib, sys

class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self):
        self.rfile.read(int(self.headers.get("content-length", 0)))
        body = pathlib.Path("answer.json").read_bytes()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    do_GET = do_POST = answer

http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""
