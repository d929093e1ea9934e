"""Test that the documentation site is built from the sources, and that it has no dead link."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from isogloss.validator import rules

pytest.importorskip("material", reason="the site needs pip install -e '.[docs]'")
SCRIPTS = Path(__file__).parents[1] / "scripts"


@pytest.fixture(scope="module")
def script() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SCRIPTS))
        patch.setenv("NO_MKDOCS_2_WARNING", "1")
        yield importlib.import_module("build_site")


@pytest.fixture(scope="module")
def site(script: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("site")
    assert script.build(target) == 0
    return target


def test_every_rule_has_a_page_at_its_address(site: Path) -> None:
    for name in rules.names():
        page = (site / "rules" / name / "index.html").read_text("utf-8")
        assert 'id="what-to-do"' in page


def test_search_finds_every_rule(site: Path) -> None:
    index = json.loads((site / "search" / "search_index.json").read_text("utf-8"))
    locations = {entry["location"] for entry in index["docs"]}
    assert {f"rules/{name}/" for name in rules.names()} <= locations


def test_pages_load_nothing_from_another_host(site: Path) -> None:
    for page in (site / "index.html", site / "docs" / "check" / "index.html"):
        text = page.read_text("utf-8")
        assert 'src="http' not in text
        assert "fonts.googleapis" not in text


def test_code_with_pipes_in_a_table_has_no_backslashes(site: Path) -> None:
    page = (site / "docs" / "check" / "index.html").read_text("utf-8")
    assert "<code>--color auto|always|never</code>" in page


@pytest.mark.parametrize("link", ["no-such-page.md", "RULES.md#no-such-place", "/absolute/"])
def test_a_dead_link_fails_the_build(
    link: str, script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(script, "_GUIDE", ())
    monkeypatch.setattr(script, "_PROJECT", ())
    monkeypatch.setattr(script, "_COPIED", ())
    monkeypatch.setattr(script, "_navigation", lambda: ["RULES.md"])
    monkeypatch.setattr(script, "_pages", lambda: [("RULES.md", f"# Rules\n\n[a link]({link})\n")])
    assert script.build(tmp_path / "site") != 0
