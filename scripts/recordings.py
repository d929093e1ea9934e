"""Read the recordings that scripts measure on: exchange records, with ``vendor``, ``provenance`` and ``fidelity``."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from isogloss.validator import captures
from isogloss.validator.exchange import Exchange

__all__ = ["CORPUS", "ROOT", "arguments", "exchanges_in", "files_in", "is_as_sent", "records_in"]

ROOT = Path(__file__).parents[1]
CORPUS = ROOT.parent / "shared" / "corpus"
"""The folder of the recordings, unless the command line names another."""
_FIDELITIES = frozenset({"wire", "parsed", "wire-redacted", "chunks"})


def arguments(description: str | None) -> argparse.ArgumentParser:
    """Return a parser of the command line of a script, which shows the docstring of the script as its help."""
    return argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)


def is_as_sent(record: Mapping[str, Any]) -> bool:
    """Return whether a server sent what a record holds, as it is there."""
    return record["provenance"] != "handwritten" and record["fidelity"] in _FIDELITIES


def files_in(folder: Path) -> list[Path]:
    """Return the files with records in a folder, sorted by name. Raises ``OSError`` if there is no such folder."""
    return sorted(path for path in folder.iterdir() if path.suffix == ".jsonl")


def records_in(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the records in a file, one from each line."""
    yield from map(orjson.loads, file.read_bytes().splitlines())


def exchanges_in(file: Path) -> Iterator[tuple[dict[str, Any], Exchange]]:
    """Yield the exchange of each record in a file that is as a server sent it, with the record."""
    records = list(records_in(file))
    with file.open("rb") as stream:
        for exchange in captures.read(captures.Capture(stream, file.name)):
            if isinstance(exchange, Exchange) and is_as_sent(record := records[exchange.text.place(0).line - 1]):
                yield record, exchange
