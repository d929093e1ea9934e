"""Name paths as findings and messages name them."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["display_path"]


def display_path(path: str) -> str:
    """Return a path as findings name it: relative to the current folder, unless the file is outside of it."""
    if not os.path.isabs(path):
        return path
    relative = os.path.relpath(path, Path.cwd())
    return path if relative.startswith("..") else relative
