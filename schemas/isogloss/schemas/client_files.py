"""Read the observations of clients: one JSON file for each client under ``clients/``, and the cases of all clients.

``client.schema.json`` and ``client-cases.schema.json`` describe the files. A ``folder`` holds such files. By default
it is the folder of the files that ship with isogloss.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import orjson

__all__ = ["CLIENTS", "client", "client_cases", "clients"]

CLIENTS = Path(__file__).parent / "clients"
"""The folder of the files that ship with isogloss."""

_CASES = "cases.json"


def clients(folder: Path | None = None) -> tuple[str, ...]:
    """Return the slugs of all clients in a folder, sorted. The result is empty if the folder does not exist."""
    return _slugs(folder or CLIENTS)


def client(slug: str, folder: Path | None = None) -> dict[str, Any]:
    """Return the content of the file of a client. The value is shared and must not be changed.

    Raises ``KeyError`` for an unknown slug.
    """
    if slug not in clients(folder):
        raise KeyError(slug)
    return _read((folder or CLIENTS) / f"{slug}.json")


def client_cases(folder: Path | None) -> dict[str, dict[str, Any]]:
    """Return the cases by their ids. The result is empty if there is no client.

    The value is shared and must not be changed.
    """
    cases: dict[str, dict[str, Any]] = _read((folder or CLIENTS) / _CASES)["cases"] if clients(folder) else {}
    return cases


@cache
def _slugs(folder: Path) -> tuple[str, ...]:
    files = folder.iterdir() if folder.is_dir() else ()
    return tuple(sorted(file.stem for file in files if file.suffix == ".json" and file.name != _CASES))


@cache
def _read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = orjson.loads(path.read_bytes())
    return content
