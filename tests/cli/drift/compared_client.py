"""Say whether the reference client that is installed is one that the schemas were compared with."""

from __future__ import annotations

import re
from importlib import resources
from importlib.metadata import version

import pytest

__all__ = ["compared"]


def _versions() -> list[str]:
    """Return the versions that the row of the client in DECISIONS.md names."""
    text = resources.files("isogloss.schemas").joinpath("openai", "DECISIONS.md").read_text("utf-8")
    row = re.search(r"^\| SDK \| openai \(PyPI\) .+", text, re.MULTILINE)
    assert row is not None
    return re.findall(r"\d+\.\d+\.\d+", row[0])


compared = pytest.mark.skipif(
    version("openai") not in _versions(), reason="DECISIONS.md does not name the version of openai that is installed"
)
"""Skips a test about the client that is installed, unless the schemas were compared with it."""
