"""Make the description of the package: README.md, with links to other pages that lead to the documentation site.

The build of a distribution runs this, as ``[tool.hatch.metadata.hooks.custom]`` in ``pyproject.toml`` says. A package
index shows the README without the files beside it. As long as the site has no address, links to them are left out.
"""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

__all__ = ["ReadmeHook", "description"]

_CODE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?P<image>!?)\[(?P<text>(?:!\[[^\]]*\]\([^)\s]*\)|[^\]\[])*)\]\((?P<to>[^)\s]+)\)")


class ReadmeHook(MetadataHookInterface):
    """Gives the package its description."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the description."""
        root = Path(self.root)
        address = runpy.run_path(str(root / "cli" / "isogloss" / "cli" / "descriptions" / "site.py"))["ADDRESS"]
        readme = (root / "README.md").read_text("utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": description(readme, address)}


def description(readme: str, address: str) -> str:
    """Return a page with its relative links made absolute below an address, or left out where there is none."""
    parts = _CODE.split(readme)
    return "".join(part if part.startswith("```") else _absolute_links(part, address) for part in parts)


def _absolute_links(text: str, address: str) -> str:
    def link(match: re.Match[str]) -> str:
        image, target = match["image"], match["to"]
        content = match["text"] if image else _absolute_links(match["text"], address)
        if re.match(r"[a-z]+:|#", target):
            return f"{image}[{content}]({target})"
        return f"{image}[{content}]({address}{_site_path(target)})" if address else content

    return _LINK.sub(link, text)


def _site_path(path: str) -> str:
    """Return the path on the site of a file in the repository: each page has a folder, other files stay as they are."""
    page, mark, anchor = path.partition("#")
    return f"{page.removesuffix('.md')}/{mark}{anchor}" if page.endswith(".md") else path
