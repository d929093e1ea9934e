"""Count which dialects a corpus speaks, which deviations they explain, and which deviations no dialect explains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from isogloss.cli.checking.dialect_counts import DialectCounts
from isogloss.cli.configuration.dialect_choice import explainer_of_shipped
from isogloss.validator.dialects.attribution import UNDETERMINED, Attribution
from isogloss.validator.dialects.explanations import observe
from isogloss.validator.dialects.model import Behaviour, Deviation, Dialect
from isogloss.validator.excerpts import Excerpt
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.findings import Finding, Severity, Source
from isogloss.validator.judging.judge import Verdict

__all__ = [
    "BANDS", "GIVEN", "CountedFinding", "DeviationCounts", "DeviationPath", "Survey", "add_to_survey",
]  # fmt: skip

BANDS = {
    0.99: ("surest", "at 99 % or more"),
    0.9: ("sure", "at 90 to 99 %"),
    0.5: ("likely", "at 50 to 90 %"),
    0.0: ("unlikely", "at less than 50 %"),
}
"""The ranges of confidence: for each lower limit, a short name and a text."""
GIVEN = ("given", "by --dialect")
"""The short name and the text for a dialect that the user gave: it needs no confidence."""


@dataclass(frozen=True, slots=True)
class DeviationPath:
    """A deviation without its value: a rule, a kind of payload and a path."""

    rule: str
    kind: str
    path: str

    def __str__(self) -> str:
        return f"{self.rule} · {self.kind} {self.path}".rstrip()


class CountedFinding(NamedTuple):
    """A finding as a survey counts it: how severe it is, whether the dialect of its exchange explains it, and where."""

    severity: Severity
    explained: bool
    source: Source | None = None


@dataclass(slots=True)
class DeviationCounts:
    """What the exchanges of one dialect show of one deviation.

    ``exchanges`` counts those that show it, ``unexplained`` those in which it is unexplained. ``severity`` is the
    highest severity, ``first`` the first place. ``shown`` is the first finding that is unexplained, and ``excerpt`` the
    text at its place, if they were kept.
    """

    exchanges: int = 0
    unexplained: int = 0
    severity: Severity = Severity.NOTE
    first: Source | None = None
    shown: Finding | None = None
    excerpt: Excerpt | None = None


@dataclass(slots=True)
class Survey:
    """The dialects of a corpus, and the deviations that its exchanges show.

    ``dialects`` are all dialects that could have been found. ``checked`` counts exchanges by file. ``evidence`` holds
    the attributions if ``keep_evidence`` is true.
    """

    dialects: Mapping[str, Dialect]
    keep_evidence: bool = False
    rows: dict[str, DialectCounts] = field(default_factory=dict)
    cells: dict[DeviationPath, dict[str, DeviationCounts]] = field(default_factory=dict)
    evidence: list[tuple[Exchange, Attribution]] = field(default_factory=list)
    exchanges: int = 0
    files: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    checked: Counter[str] = field(default_factory=Counter)

    def add(self, exchange: Exchange, verdict: Verdict) -> None:
        """Count an exchange and what was found in it. An exchange without an attribution counts only as checked."""
        self.checked[exchange.file] += 1
        attribution = verdict.attribution
        if attribution is None:
            return
        if self.keep_evidence:
            self.evidence.append((exchange, attribution))
        slug = attribution.speaks
        found = [(DeviationPath(finding.rule, finding.kind, finding.path), finding) for finding in verdict.findings]
        seen = [
            (deviation, CountedFinding(finding.severity, bool(finding.explained_by), finding.source))
            for deviation, finding in found
        ]
        self.count(slug, attribution, seen)
        for deviation, finding in found:
            cell = self.cells.get(deviation, {}).get(slug)
            if cell is not None and cell.unexplained and cell.shown is None and not finding.explained_by:
                cell.shown, cell.excerpt = finding, verdict.excerpt(finding)

    def count(
        self, slug: str, attribution: Attribution | None, found: Iterable[tuple[DeviationPath, CountedFinding]]
    ) -> None:
        """Count an exchange that speaks a dialect, and what was found in it.

        Without an attribution, the dialect counts as given by the user.
        """
        self.exchanges += 1
        row = self.rows.setdefault(slug, DialectCounts())
        row.add(attribution)
        if attribution is None:
            row.bands[GIVEN[0]] += 1
        else:
            confidence = attribution.nearest.confidence
            row.bands[next(name for least, (name, _) in BANDS.items() if confidence >= least)] += 1
            if len(attribution.tied) > 1:
                row.tied += 1
                row.ties.update(attribution.tied[1:])
        by_deviation: dict[DeviationPath, list[CountedFinding]] = {}
        for deviation, finding in found:
            if deviation.kind != "request" or finding.explained:  # unexplained findings in a request are the client's
                by_deviation.setdefault(deviation, []).append(finding)
        for deviation, seen in by_deviation.items():
            cell = self.cells.setdefault(deviation, {}).setdefault(slug, DeviationCounts())
            unexplained = any(not one.explained for one in seen)
            cell.exchanges += 1
            cell.unexplained += unexplained
            cell.severity = max(cell.severity, *(one.severity for one in seen))
            cell.first = cell.first or seen[0].source
            row.unexplained += unexplained
            row.explained += not unexplained

    def merge(self, other: Survey) -> None:
        """Add the counts of another survey. Its exchanges follow those of this one."""
        self.exchanges += other.exchanges
        for slug, other_row in other.rows.items():
            self.rows.setdefault(slug, DialectCounts()).merge(other_row)
        for deviation, cells in other.cells.items():
            for slug, other_cell in cells.items():
                cell = self.cells.setdefault(deviation, {}).setdefault(slug, DeviationCounts())
                cell.exchanges += other_cell.exchanges
                cell.unexplained += other_cell.unexplained
                cell.severity = max(cell.severity, other_cell.severity)
                cell.first = cell.first or other_cell.first

    def spoken(self) -> list[tuple[str, DialectCounts]]:
        """Return the dialects that are spoken, those of most exchanges first, and undetermined last."""
        return sorted(self.rows.items(), key=lambda one: (one[0] == UNDETERMINED, -one[1].exchanges, one[0]))

    def unexplained(self) -> list[tuple[DeviationPath, str, DeviationCounts]]:
        """Return each deviation with a dialect that shows it but is not known for it.

        The most severe come first, and of these the most frequent.
        """
        found = [
            (deviation, slug, cell)
            for deviation, cells in self.cells.items()
            for slug, cell in cells.items()
            if cell.unexplained
        ]
        return sorted(found, key=lambda one: (-one[2].severity, -one[2].unexplained, str(one[0]), one[1]))

    def explained(self) -> list[tuple[DeviationPath, dict[str, DeviationCounts]]]:
        """Return the deviations that are known in every dialect that shows them, sorted by kind and path."""
        found = [
            (deviation, cells)
            for deviation, cells in self.cells.items()
            if not any(cell.unexplained for cell in cells.values())
        ]
        return sorted(found, key=lambda one: (one[0].kind, one[0].path, one[0].rule))

    def unused(self) -> Iterator[tuple[str, list[str]]]:
        """Yield each dialect that is spoken, with those of its deviations and behaviours that no exchange showed.

        Dialects without any of these are left out.
        """
        for slug, _ in self.spoken():
            if slug == UNDETERMINED:
                continue
            dialect = self.dialects[slug]
            shown = {deviation for deviation, cells in self.cells.items() if slug in cells}
            facts = dialect.explaining_facts
            unseen = [fact.title for fact in facts if not any(_shows(fact, deviation) for deviation in shown)]
            if unseen:
                yield slug, unseen


def _shows(fact: Deviation | Behaviour, deviation: DeviationPath) -> bool:
    if isinstance(fact, Behaviour):
        return fact.rule == deviation.rule and fact.at in ("", deviation.path)
    return deviation.kind in fact.kinds and (deviation.path == fact.at or deviation.path.startswith(fact.at + "."))


def add_to_survey(verdict: Verdict, survey: Survey) -> None:
    """Count an exchange in a survey under the dialect that it surely speaks, or under the one that the user chose."""
    deviations = [(DeviationPath(finding.rule, finding.kind, finding.path), finding) for finding in verdict.unplaced]
    if verdict.speaks is not None:
        seen = [
            (deviation, CountedFinding(finding.severity, bool(finding.explained_by)))
            for deviation, finding in deviations
        ]
        survey.count(verdict.speaks, verdict.attribution, seen)
        return
    explained = explainer_of_shipped().explain(verdict.examined)
    has_explanation: dict[DeviationPath, bool] = {}
    for hit, explaining_dialects in zip(explained.hits, explained.explained_by, strict=True):
        observed = observe(verdict.examined, hit)
        deviation = DeviationPath(observed.rule, observed.kind, observed.path)
        has_explanation[deviation] = has_explanation.get(deviation, True) and bool(explaining_dialects)
    survey.count(
        explained.speaks,
        explained.attribution,
        [
            (deviation, CountedFinding(finding.severity, has_explanation.get(deviation, False)))
            for deviation, finding in deviations
        ],
    )
