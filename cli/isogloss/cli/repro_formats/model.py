"""What every form of a reproduction is written from."""

from __future__ import annotations

from typing import Any, NamedTuple

from isogloss.validator.exchange import Exchange
from isogloss.validator.findings import Finding

__all__ = ["Repro"]


class Repro(NamedTuple):
    """A capture, as small as it could be made, with its exchange and the finding that it has.

    ``members`` are those of the exchange record that it stands for. ``dialects`` are the slugs of those that are known
    to have the finding, and ``dialect`` is what the capture is held to.
    """

    data: bytes
    members: dict[str, Any]
    exchange: Exchange
    finding: Finding
    dialects: tuple[str, ...]
    dialect: str

    @property
    def where(self) -> str:
        """The severity of the finding and its place, in words: ``error at choices[].index of the chunk``."""
        one = self.finding
        place = f"at {one.path} of the {one.kind}" if one.path else f"in the {one.kind}"
        return f"{one.severity.label} {place}"

    @property
    def options(self) -> str:
        """The options with which ``isogloss check`` fails on the finding, and on no other."""
        dialect = f" --dialect {self.dialect}" if self.dialect != "openai" else ""
        return f"--select {self.finding.rule} --fail-on {self.finding.severity.label}{dialect}"
