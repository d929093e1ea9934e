"""Write files into folders, and find those that a run would read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from isogloss.cli.reading import files
from isogloss.validator.exchange import Skipped

GOOD = (Path(__file__).parents[2] / "fixtures" / "conforming" / "completion" / "text.json").read_text("utf-8")


def write_files(folder: Path, *names: str, text: str = GOOD) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def find_files(*paths: str, **options: Any) -> tuple[set[str], dict[str, str]]:
    """Return the files to read, and the reason for each file or folder that is left out."""
    entries = list(files.walk(paths or (".",), **options))
    left_out = {os.path.normpath(entry.file): entry.reason for entry in entries if isinstance(entry, Skipped)}
    return {os.path.normpath(entry) for entry in entries if isinstance(entry, str)}, left_out
