"""Tests of the hook and the CI command in a repository with deviating captures, with the wheel that is released."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GOOD = json.loads((ROOT / "fixtures" / "conforming" / "completion" / "text.json").read_bytes())


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_findings_stop_a_commit_until_a_baseline_has_them_and_new_ones_stop_the_next(tmp_path: Path) -> None:
    isogloss = _install_wheel(tmp_path)
    hooks = _make_hook_repository(tmp_path / "hooks")
    project = tmp_path / "project"
    (project / "tests" / "cassettes").mkdir(parents=True)
    for number in range(20):
        change = {"model": number} if number % 4 == 0 else {}
        (project / "tests/cassettes" / f"{number:02}.json").write_text(json.dumps(GOOD | change), "utf-8")
    (project / ".pre-commit-config.yaml").write_text(
        f"repos:\n- repo: {hooks.as_uri()}\n  rev: v1\n  hooks:\n  - id: isogloss\n", "utf-8"
    )
    environment = {**os.environ, "PRE_COMMIT_HOME": str(tmp_path / "pre-commit")}
    environment |= {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }

    def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)

    def commit(message: str) -> subprocess.CompletedProcess[str]:
        run("git", "add", "-A")
        return run("git", *_IDENTITY, "commit", "-m", message)

    check = (isogloss, "check", "tests/cassettes")
    assert run("git", "init", "-q").returncode == 0
    assert run("pre-commit", "install").returncode == 0
    stopped = commit("first")
    assert stopped.returncode == 1, stopped.stdout + stopped.stderr
    assert "completion model: an integer where the reference has a string  (×5 in 5 files" in stopped.stderr
    assert run(*check).returncode == 1

    (project / "isogloss.toml").write_text('baseline = "isogloss-baseline.json"\n', "utf-8")
    assert run(*check, "--write-baseline", "isogloss-baseline.json").returncode == 0
    passed = commit("first")
    assert passed.returncode == 0, passed.stdout + passed.stderr
    assert "Passed" in passed.stderr
    assert run(*check).returncode == 0

    (project / "tests/cassettes/01.json").write_text(json.dumps(GOOD | {"id": 5}), "utf-8")
    stopped = commit("second")
    assert stopped.returncode == 1
    assert "tests/cassettes/01.json:1:" in stopped.stderr
    assert run(*check).returncode == 1


_IDENTITY = ("-c", "user.name=Example", "-c", "user.email=example@example.com")


def _install_wheel(folder: Path) -> Path:
    """Build the wheel, install it in an environment of its own, and return the path of its command."""
    code = "import sys, hatchling.build; print(hatchling.build.build_wheel(sys.argv[1]))"
    build = subprocess.run([sys.executable, "-c", code, folder], cwd=ROOT, capture_output=True, text=True, check=True)
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    wheel = folder / build.stdout.splitlines()[-1]
    subprocess.run([folder / "venv/bin/pip", "install", "-q", wheel], check=True, capture_output=True)
    return folder / "venv/bin/isogloss"


def _make_hook_repository(folder: Path) -> Path:
    """Make a repository of the current tree, from which pre-commit installs the hook, and return its folder."""
    folder.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml"):
        shutil.copy(ROOT / name, folder)
    for name in ("schemas", "validator", "cli", "scripts"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for command in (["init", "-q"], ["add", "-A"], [*_IDENTITY, "commit", "-q", "-m", "it"], ["tag", "v1"]):
        subprocess.run(["git", *command], cwd=folder, check=True, capture_output=True)
    return folder
