"""Identify a finding across runs: by file, rule, kind and pointer, but never by line numbers or messages."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from isogloss.validator.findings import Finding
from isogloss.validator.quoting import printable

__all__ = ["Key", "key", "relative_path", "with_fingerprints"]


class Key(NamedTuple):
    """What identifies a finding across runs. If findings have the same key, a number distinguishes them."""

    file: str
    rule: str
    kind: str
    pointer: str


@lru_cache(1024)
def relative_path(file: str, folder: Path) -> str:
    """Return the path of a file relative to a folder, with slashes. What is no file (``<stdin>``) stays as it is."""
    if file.startswith("<"):
        return file
    return os.path.relpath(file, folder).replace(os.sep, "/")


def key(finding: Finding, folder: Path) -> Key:
    """Return the key that identifies a finding. Its file is relative to the folder."""
    file = printable(relative_path(finding.source.file, folder))
    return Key(file, finding.rule, finding.kind, printable(finding.pointer))


def with_fingerprints(findings: Iterable[Finding]) -> Iterator[tuple[Finding, str]]:
    """Yield each finding with its own digest, which is the same in every run that is started in the same folder."""
    import hashlib

    counts: Counter[Key] = Counter()
    folder = Path.cwd()
    for finding in findings:
        finding_key = key(finding, folder)
        counts[finding_key] += 1
        data = "\0".join((*finding_key, str(counts[finding_key])))
        yield finding, hashlib.sha256(data.encode()).hexdigest()[:32]
