"""The reproduction that every form is written from."""

from __future__ import annotations

import os
import shlex
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from isogloss.validator.exchange import Exchange
from isogloss.validator.findings import Finding, Severity
from isogloss.validator.quoting import printable

__all__ = ["Repro"]


class Repro(NamedTuple):
    """A capture that is as small as possible, with its exchange and the finding that it has.

    ``properties`` are the properties of the exchange record that the capture stands for. ``dialects`` are the slugs of
    the dialects that are known to have the finding. A check of the capture has to name ``dialect`` and the files with
    dialects of the user's own. It fails from the severity ``fails_on`` on, whatever the configuration says of the rule.
    """

    data: bytes
    properties: dict[str, Any]
    exchange: Exchange
    finding: Finding
    dialects: tuple[str, ...]
    dialect: str
    dialect_files: tuple[Path, ...]
    fails_on: Severity

    @property
    def where(self) -> str:
        """Where the finding is, in words, on one line of printable text: ``at choices[].index of the chunk``."""
        finding = self.finding
        return f"at {printable(finding.path)} of the {finding.kind}" if finding.path else f"in the {finding.kind}"

    @property
    def options(self) -> str:
        """The options with which ``isogloss check`` fails on the finding, and on no other."""
        words = ["--select", self.finding.rule, "--fail-on", self.fails_on.label]
        if self.dialect != "openai":
            files = (("--dialect-file", os.path.abspath(file)) for file in self.dialect_files)
            words += ["--dialect", self.dialect, *chain.from_iterable(files)]
        return shlex.join(words)
