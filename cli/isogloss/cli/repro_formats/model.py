"""The reproduction that every form is written from."""

from __future__ import annotations

from typing import Any, NamedTuple

from isogloss.validator.exchange import Exchange
from isogloss.validator.findings import Finding

__all__ = ["Repro"]


class Repro(NamedTuple):
    """A capture that is as small as possible, with its exchange and the finding that it has.

    ``properties`` are the properties of the exchange record that the capture stands for. ``dialects`` are the slugs of
    the dialects that are known to have the finding. ``dialect`` is the dialect that the capture is checked with.
    """

    data: bytes
    properties: dict[str, Any]
    exchange: Exchange
    finding: Finding
    dialects: tuple[str, ...]
    dialect: str

    @property
    def where(self) -> str:
        """The severity of the finding and its path, in words: ``error at choices[].index of the chunk``."""
        finding = self.finding
        kind_and_path = f"at {finding.path} of the {finding.kind}" if finding.path else f"in the {finding.kind}"
        return f"{finding.severity.label} {kind_and_path}"

    @property
    def options(self) -> str:
        """The options with which ``isogloss check`` fails on the finding, and on no other."""
        dialect = f" --dialect {self.dialect}" if self.dialect != "openai" else ""
        return f"--select {self.finding.rule} --fail-on {self.finding.severity.label}{dialect}"
