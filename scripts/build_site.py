"""Build the site of the documentation, with a page for each rule, and fail on a dead link.

    python scripts/build_site.py FOLDER

Needs ``pip install -e '.[docs]'``. The site has the layout of the repository, so that the links of pages work in both.
The page of a rule is at ``rules/<name>/``, and this address stays the same.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from generate_pages import ROOT, change_outside_code, rules_tables

from isogloss.cli.commands.explain import markdown
from isogloss.cli.descriptions.site import ADDRESS
from isogloss.validator import rules

__all__ = ["build", "main"]

_GUIDE = (
    "check", "clients", "compare", "formats", "ci", "configuration", "proxy", "probe", "cases", "python", "repro",
    "scale", "schemas", "secrets", "speed", "cli",
)  # fmt: skip
_DECISIONS = "schemas/isogloss/schemas/openai/DECISIONS.md"
_PROJECT = ("CHANGELOG.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md", "docs/releasing.md", _DECISIONS)
_COPIED = ("README.md", "DIALECTS.md", "LICENSE", "docs", "schemas/isogloss/schemas/report", *_PROJECT)
_RULE_NAME = re.compile(r"(?<!\[)`([a-z0-9]+(?:-[a-z0-9]+)+)`")


def build(target: Path) -> int:
    """Build the site in a folder, which is made anew, and return the exit code of the generator."""
    with tempfile.TemporaryDirectory() as folder:
        pages = Path(folder) / "pages"
        for path, text in _pages():
            (pages / path).parent.mkdir(parents=True, exist_ok=True)
            (pages / path).write_text(text, "utf-8")
        for name in _COPIED:
            _copy(ROOT / name, pages / name)
        for page in pages.rglob("*.md"):
            page.write_text(_plain_pipes(page.read_text("utf-8")), "utf-8")
        settings = {
            "INHERIT": str(ROOT / "mkdocs.yml"),
            "docs_dir": str(pages),
            "nav": _navigation(),
            **({"site_url": ADDRESS} if ADDRESS else {}),
        }
        file = Path(folder) / "mkdocs.yml"
        file.write_text(json.dumps(settings), "utf-8")  # JSON is YAML
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", str(file)]
        return subprocess.run([*command, "--site-dir", str(target.absolute())], check=False).returncode


def _pages() -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each page that is made for the site: the list of rules, and each rule."""
    yield "RULES.md", rules_tables(lambda name: f"rules/{name}.md")
    for name in rules.names():
        yield f"rules/{name}.md", _page_with_links(name)


def _plain_pipes(text: str) -> str:
    """Return a page without the backslashes before pipes in code, which GitHub needs in a table and the site shows."""
    return re.sub(r"`[^`\n]+`", lambda code: code[0].replace(r"\|", "|"), text)


def _page_with_links(name: str) -> str:
    """Return the page of a rule, with a link wherever it names another rule outside of code blocks."""

    def link(match: re.Match[str]) -> str:
        other = match[1]
        return f"[`{other}`]({other}.md)" if other != name and other in rules.names() else match[0]

    return change_outside_code(markdown(name), lambda part: _RULE_NAME.sub(link, part))


def _navigation() -> list[dict[str, Any]]:
    groups = [{group: [f"rules/{name}.md" for name in rules.names(group)]} for group in rules.GROUPS]
    return [
        {"Start": "README.md"},
        {"Guide": [f"docs/{name}.md" for name in _GUIDE]},
        {"Rules": [{"All rules": "RULES.md"}, *groups]},
        {"Dialects": ["docs/dialects.md", {"All dialects": "DIALECTS.md"}]},
        {"Project": list(_PROJECT)},
    ]


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True)
    else:
        shutil.copyfile(source, target)


def main(argv: list[str]) -> int:
    """Build the site and return the exit code."""
    if len(argv) != 1:
        print("usage: python scripts/build_site.py FOLDER", file=sys.stderr)
        return 2
    return build(Path(argv[0]))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
