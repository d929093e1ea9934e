"""A corpus seen through dialects: who speaks what, which deviations are whose, and which are nobody's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from isogloss.validator.dialects.attribution import UNDETERMINED, Attribution
from isogloss.validator.dialects.model import Dialect, Fact
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.findings import Finding, Severity, Source
from isogloss.validator.judging.judge import Verdict

__all__ = ["Cell", "Deviation", "Row", "Survey"]


@dataclass(frozen=True, slots=True)
class Deviation:
    """What deviates, whatever its value: a rule at a generic place of a kind of payload."""

    rule: str
    kind: str
    path: str

    def __str__(self) -> str:
        return f"{self.rule} · {self.kind} {self.path}".rstrip()


@dataclass(slots=True)
class Cell:
    """How many exchanges of a dialect show a deviation, how many times unexplained, how severe, and where first."""

    exchanges: int = 0
    unexplained: int = 0
    severity: Severity = Severity.NOTE
    first: Source | None = None


@dataclass(slots=True)
class Row:
    """The exchanges that surely speak a dialect, or of which that is undetermined; and their findings.

    ``ties`` counts, by slug, dialects that could not be told from the one named, ``tied`` the exchanges with such.
    ``nearest`` counts the dialects nearest to the undetermined ones.
    """

    exchanges: int = 0
    sure: int = 0
    tied: int = 0
    explained: int = 0
    unexplained: int = 0
    ties: Counter[str] = field(default_factory=Counter)
    nearest: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class Survey:
    """What a run over a corpus says about dialects. ``dialects`` are all that could have been found."""

    dialects: Mapping[str, Dialect]
    rows: dict[str, Row] = field(default_factory=dict)
    cells: dict[Deviation, dict[str, Cell]] = field(default_factory=dict)
    evidence: list[tuple[Exchange, Attribution]] = field(default_factory=list)
    exchanges: int = 0
    files: int = 0
    skipped: list[Skipped] = field(default_factory=list)

    def add(self, exchange: Exchange, verdict: Verdict, *, keep_evidence: bool = False) -> None:
        """Take what was found in one exchange."""
        attribution = verdict.attribution
        if attribution is None:
            return
        self.exchanges += 1
        if keep_evidence:
            self.evidence.append((exchange, attribution))
        slug = attribution.speaks
        row = self.rows.setdefault(slug, Row())
        row.exchanges += 1
        row.sure += attribution.sure
        if not attribution.sure:
            row.nearest[attribution.nearest.slug] += 1
        if len(attribution.tied) > 1:
            row.tied += 1
            row.ties.update(attribution.tied[1:])
        shown: dict[Deviation, list[Finding]] = {}
        for finding in verdict.findings:
            if finding.kind == "request" and not finding.explained_by:
                continue  # what a client asks for is nobody's dialect
            shown.setdefault(Deviation(finding.rule, finding.kind, finding.path), []).append(finding)
        for deviation, findings in shown.items():
            cell = self.cells.setdefault(deviation, {}).setdefault(slug, Cell())
            unexplained = any(not finding.explained_by for finding in findings)
            cell.exchanges += 1
            cell.unexplained += unexplained
            cell.severity = max(cell.severity, *(finding.severity for finding in findings))
            cell.first = cell.first or findings[0].source
            row.unexplained += unexplained
            row.explained += not unexplained

    def spoken(self) -> list[tuple[str, Row]]:
        """The dialects spoken, most exchanges first, and last what is undetermined."""
        return sorted(self.rows.items(), key=lambda one: (one[0] == UNDETERMINED, -one[1].exchanges, one[0]))

    def unexplained(self) -> list[tuple[Deviation, str, Cell]]:
        """Deviations that the dialect they were found in does not know, most severe and most frequent first."""
        found = [
            (deviation, slug, cell)
            for deviation, cells in self.cells.items()
            for slug, cell in cells.items()
            if cell.unexplained
        ]
        return sorted(found, key=lambda one: (-one[2].severity, -one[2].unexplained, str(one[0]), one[1]))

    def explained(self) -> list[tuple[Deviation, dict[str, Cell]]]:
        """Deviations that every dialect they were found in knows, by kind and place."""
        found = [
            (deviation, cells)
            for deviation, cells in self.cells.items()
            if not any(cell.unexplained for cell in cells.values())
        ]
        return sorted(found, key=lambda one: (one[0].kind, one[0].path, one[0].rule))

    def unused(self) -> Iterator[tuple[str, list[str]]]:
        """For each dialect spoken, the deviations and behaviours claimed of it that no exchange showed."""
        for slug, _ in self.spoken():
            if slug == UNDETERMINED:
                continue
            dialect = self.dialects[slug]
            seen = {deviation for deviation, cells in self.cells.items() if slug in cells}
            facts: Iterable[Fact] = (*dialect.deviations, *dialect.behaviours)
            never = [_name(fact) for fact in facts if not any(_shows(fact, deviation) for deviation in seen)]
            if never:
                yield slug, never


def _shows(fact: Fact, deviation: Deviation) -> bool:
    rule = getattr(fact, "rule", None)
    if rule is not None:
        return rule == deviation.rule and fact.at in ("", deviation.path)
    return deviation.kind in getattr(fact, "kinds", ()) and (
        deviation.path == fact.at or deviation.path.startswith(fact.at + ".")
    )


def _name(fact: Fact) -> str:
    rule = getattr(fact, "rule", None)
    if rule is not None:
        return f"{rule} {fact.at}".rstrip()
    return f"{'/'.join(sorted(getattr(fact, 'kinds', ())))} {fact.at}" + (
        " absent" if getattr(fact, "absent", False) else ""
    )
