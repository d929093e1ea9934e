"""Read and write baselines: files with known findings, which do not fail a run.

A baseline should only become smaller over time.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from isogloss.cli.checking.fingerprints import Key, key, relative_path
from isogloss.cli.configuration.named_files import as_utf_8, parse_json, read_named
from isogloss.cli.configuration.paths import display_path, outermost
from isogloss.cli.process import output
from isogloss.validator.findings import Finding
from isogloss.validator.secrets import mask_text

__all__ = ["Baseline", "NewBaseline", "load"]

_VERSION = 1
_VERSION_PROPERTY = "baseline_version"
"""The property in which a file says that it is a baseline. Any other file is none of ours, and may be of use."""


class Baseline:
    """The known findings, each with its count. Paths of files are relative to the folder of the baseline."""

    def __init__(self, path: Path, known: Counter[Key]) -> None:
        self.path = path
        self.known = 0
        self._folder = path.absolute().parent
        self._remaining = known

    def new(self, findings: Iterable[Finding]) -> list[Finding]:
        """Return the findings that are not in the baseline, and count the others as known.

        If there are more findings with the same key than the baseline has, the first ones count as known.
        """
        new = []
        for finding in findings:
            finding_key = key(finding, self._folder)
            if self._remaining[finding_key] > 0:
                self._remaining[finding_key] -= 1
                self.known += 1
            else:
                new.append(finding)
        return new

    def gone(self, checked: Collection[str], is_active: Callable[[str, str], bool]) -> list[tuple[Key, int]]:
        """Return the entries, with counts, that no longer occur in the checked files, or whose file does not exist.

        ``checked`` are the files that were read to their ends. ``is_active`` returns whether a checked file is checked
        by a rule: what nobody looked for may still be there.
        """
        files = {relative_path(file, self._folder): file for file in checked}
        return sorted(
            (finding_key, count)
            for finding_key, count in self._remaining.items()
            if count > 0 and self._is_gone(finding_key, files, is_active)
        )

    def _is_gone(self, entry: Key, files: Mapping[str, str], is_active: Callable[[str, str], bool]) -> bool:
        name = outermost(entry.file)
        file = files.get(name)
        if file is not None:
            return is_active(file, entry.rule)
        return not (name.startswith("<") or os.path.exists(self._folder / name))


class NewBaseline:
    """Gathers the findings that are written as a new baseline."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._folder = path.absolute().parent
        self._found: Counter[Key] = Counter()

    def add(self, findings: Iterable[Finding]) -> None:
        """Add findings to the new baseline."""
        self._found.update(key(finding, self._folder) for finding in findings)

    def write(self) -> int:
        """Write the baseline, and return the number of its findings.

        Each entry is one line, so that changes are easy to read.
        """
        lines = [
            json.dumps(finding_key._asdict() | {"count": count}, ensure_ascii=False)
            for finding_key, count in sorted(self._found.items())
        ]
        entries = "[\n    " + ",\n    ".join(lines) + "\n  ]" if lines else "[]"
        with output.open_atomic(self.path) as out:
            out.write(f'{{\n  "{_VERSION_PROPERTY}": {_VERSION},\n  "findings": {entries}\n}}\n')
        return self._found.total()


def load(path: Path) -> Baseline:
    """Read a baseline. Raises ``click.UsageError`` if the file cannot be read or is not a baseline."""
    name = display_path(str(path))
    write = f"--write-baseline {name} writes"
    content = read_named(path, "the baseline", hint=f"; {write} one")
    loses_nothing = not content.strip() or _VERSION_PROPERTY.encode() in as_utf_8(content)
    remedy = f"; if it is a baseline that was damaged, {write} it anew" if loses_nothing else "; is it the right file?"
    file = parse_json(name, content, "the baseline", remedy=remedy)
    data = file.value
    version = data.get(_VERSION_PROPERTY) if isinstance(data, dict) else None
    if version != _VERSION:
        raise click.UsageError(f"{name} is not a baseline of version {_VERSION}, as --write-baseline writes it")
    entries = data.get("findings")
    if not isinstance(entries, list):
        raise file.error("a baseline has a list of findings", ("findings",) if "findings" in data else ())
    known: Counter[Key] = Counter()
    for number, entry in enumerate(entries):
        if not _is_entry(entry):
            raise file.error("this is not an entry of a baseline", ("findings", number))
        known[Key(*(mask_text(entry[name]) for name in Key._fields))] += entry["count"]
    return Baseline(path, known)


def _is_entry(entry: Any) -> bool:
    return (
        isinstance(entry, dict)
        and entry.keys() == {*Key._fields, "count"}
        and all(isinstance(entry[name], str) for name in Key._fields)
        and type(entry["count"]) is int
        and entry["count"] > 0
    )
