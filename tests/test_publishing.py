"""Test that the workflows pin their actions and limit their permissions, and that only a fitting tag is released."""

from __future__ import annotations

import re
import runpy
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted(path for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml")


@pytest.fixture
def faults() -> Callable[[str, Path], list[str]]:
    return runpy.run_path(str(ROOT / "scripts" / "check_release.py"))["faults"]  # type: ignore[no-any-return]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_name_actions_by_commit_with_the_version_in_a_comment(path: Path) -> None:
    actions = re.findall(r"uses: (.*)$", path.read_text("utf-8"), re.MULTILINE)
    assert actions
    for action in actions:
        assert re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_grant_only_permissions_that_a_job_names(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text("utf-8"))
    assert workflow["permissions"] == {}
    assert all("permissions" in job and "timeout-minutes" in job for job in workflow["jobs"].values())


def test_workflows_run_the_tests_on_every_python_that_the_package_names() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text("utf-8"))
    versions = re.findall(r"Programming Language :: Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text("utf-8"))
    assert workflow["jobs"]["tests"]["strategy"]["matrix"]["python"] == versions


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_issue_forms_have_no_two_fields_with_the_same_id(path: Path) -> None:
    form = yaml.safe_load(path.read_text("utf-8"))
    ids = [field["id"] for field in form["body"] if field["type"] != "markdown"]
    assert len(ids) == len(set(ids))


def test_the_form_for_dialects_requires_only_a_capture_and_its_origin() -> None:
    form = yaml.safe_load((ROOT / ".github/ISSUE_TEMPLATE/dialect.yml").read_text("utf-8"))
    required = [field["id"] for field in form["body"] if field.get("validations", {}).get("required")]
    assert required == ["server", "date", "capture"]


def test_a_tag_that_fits_is_released(tmp_path: Path, faults: Callable[[str, Path], list[str]]) -> None:
    _write_project(tmp_path, "1.2.3", "## [1.2.3] - 2026-11-22\n")
    assert faults("v1.2.3", tmp_path) == []


@pytest.mark.parametrize("tag", ["1.2.3", "v1.2.4", "v1.2", "main"])
def test_a_tag_that_differs_from_the_version_is_not_released(
    tag: str, tmp_path: Path, faults: Callable[[str, Path], list[str]]
) -> None:
    _write_project(tmp_path, "1.2.3", "## [1.2.3] - 2026-11-22\n")
    assert faults(tag, tmp_path) == [f"the tag is {tag}, and the version in pyproject.toml is 1.2.3"]


@pytest.mark.parametrize("changelog", ["## [Unreleased]\n", "## [1.2.3]\n", "## [1x2x3] - 2026-11-22\n"])
def test_a_version_without_a_dated_entry_is_not_released(
    changelog: str, tmp_path: Path, faults: Callable[[str, Path], list[str]]
) -> None:
    _write_project(tmp_path, "1.2.3", changelog)
    assert faults("v1.2.3", tmp_path) == ["CHANGELOG.md has no heading [1.2.3] with a date"]


def _write_project(folder: Path, version: str, changelog: str) -> None:
    (folder / "pyproject.toml").write_text(f'[project]\nname = "isogloss"\nversion = "{version}"\n', "utf-8")
    (folder / "CHANGELOG.md").write_text(changelog, "utf-8")
