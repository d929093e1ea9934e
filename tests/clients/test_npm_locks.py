"""Tests of the locks of clients from npm: they have exact versions and checksums, and name no registry."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
LOCKS = sorted(FOLDER.glob("locks/*/package-lock.json"))
NODE = "node-22.23.3"


def _npm_versions() -> set[str]:
    clients = {file.stem: tomllib.loads(file.read_text("utf-8")) for file in FOLDER.glob("clients/*.toml")}
    npm_clients = {slug: client for slug, client in clients.items() if client["registry"] == "npm"}
    return {f"{slug}-{version}" for slug, client in npm_clients.items() for version in client["versions"]}


def test_each_version_of_each_client_from_npm_has_a_lock_and_no_other_locks_exist() -> None:
    """A client cannot be run without its lock, and a lock without a client is not used."""
    assert {lock.parent.name for lock in LOCKS} == _npm_versions() | {NODE}


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.parent.name)
def test_a_lock_has_exact_versions_and_checksums_and_names_no_registry(lock: Path) -> None:
    """The same packages are installed everywhere, whichever registry they come from."""
    packages = json.loads(lock.read_text("utf-8"))["packages"]
    root_package = packages.pop("")
    assert root_package == {
        name: value
        for name, value in json.loads((lock.parent / "package.json").read_text("utf-8")).items()
        if name in ("dependencies", "optionalDependencies")
    }
    versions = [version for name in root_package for version in root_package[name].values()]
    assert versions
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in versions)
    for name, package in packages.items():
        assert "resolved" not in package, name
        assert package["integrity"].startswith("sha512-"), name


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.parent.name)
def test_the_folder_of_a_lock_is_named_after_a_version_in_it(lock: Path) -> None:
    """The name of the folder ends with the version of the client's package."""
    package = json.loads((lock.parent / "package.json").read_text("utf-8"))
    versions = {**package.get("dependencies", {}), **package.get("optionalDependencies", {})}
    assert any(lock.parent.name.endswith(f"-{version}") for version in versions.values())
