"""Gather the results of a run as they are found: everything that reporters print."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from isogloss.cli.checking.contexts import Context, FramedOnce, contexts
from isogloss.cli.checking.dialect_counts import DialectCounts
from isogloss.cli.checking.groups import FindingGroup, GroupKey, group_findings, group_key, without_impact
from isogloss.cli.checking.mapping_use import MappingUse
from isogloss.cli.checking.rates import RuleRates, add_counts
from isogloss.cli.checking.run_settings import RunSettings
from isogloss.validator.captures.mapping import Mapping as RecordMapping
from isogloss.validator.exchange import NO_PROBE, Kind, Skipped
from isogloss.validator.findings import Finding, Severity, Source
from isogloss.validator.judging.judge import UnplacedFinding, Verdict

if TYPE_CHECKING:
    from isogloss.cli.checking.fingerprints import Key
    from isogloss.cli.checking.probed import ProbedCase
    from isogloss.cli.checking.survey import Survey

__all__ = ["BaselineUse", "Run"]


class BaselineUse(Struct, frozen=True):
    """The use of a baseline: its file, how many findings it knew, and the entries that no longer occur."""

    file: str
    findings: int
    gone: list[tuple[Key, int]]


class Run:
    """Counts, findings and skipped parts of one run.

    * ``events``: the number of chunks and errors in streams, by kind.
    * ``checked``: the number of exchanges by file. It is 0 for a file in which everything was skipped.
    * ``internal_errors``: where isogloss itself failed, and with which error. Everything else was checked.
    * ``contexts``: if the settings ask for it, what is shown beside the first finding of each group.
    * ``survey``: if the settings ask for it, counts of which dialects the exchanges speak and what they show.
    * ``inconclusive``: the number of exchanges that do not show what they were sent for. For example, a busy server may
      have refused them.
    * ``cases``: the cases of a probe, or ``None`` if there was none.
    * ``rates``: in how many exchanges rules found something.
    * ``mappings``: by the mapping of the user, what records have at its paths.
    """

    def __init__(self, settings: RunSettings) -> None:
        self.settings = settings
        self.files = 0
        self.exchanges = 0
        self.events: dict[Kind, int] = {}
        self.severities: dict[Severity, int] = {}
        self.unexplained = 0
        self.failures = 0
        self.inconclusive = 0
        self.dialects: dict[str, DialectCounts] = {}
        self.findings: list[Finding] = []
        self.failing: list[Finding] = []
        self.firsts: dict[GroupKey, FindingGroup] = {}
        self.skipped: list[Skipped] = []
        self.checked: dict[str, int] = {}
        self.internal_errors: list[str] = []
        self.contexts: dict[GroupKey, Context] | None = {} if settings.has_contexts else None
        self._framed_once = FramedOnce() if settings.frames_notes_once and settings.keep != "all" else None
        self.survey = _empty_survey() if settings.has_survey else None
        self.rates = RuleRates()
        self.mappings: dict[RecordMapping, MappingUse] = {}
        self.known: BaselineUse | None = None
        self.cases: list[ProbedCase] | None = None

    def add(
        self,
        verdict: Verdict,
        findings: Sequence[Finding] | None = None,
        file: str | None = None,
        fail_on: Severity | None = None,
    ) -> None:
        """Add what was found in one exchange of a file: the given findings, or else all that are to be reported.

        Findings that are not severe enough to be reported are removed from the verdict. ``fail_on`` is the lowest
        severity that fails the run in this exchange, if it is not that of the run.
        """
        examined = verdict.examined
        self.exchanges += 1
        self.rates.add(verdict)
        if examined.exchange.probe is not NO_PROBE:
            from isogloss.validator.rules.wire.unexpected_status import is_conclusive

            self.inconclusive += not is_conclusive(examined.exchange)
        if file is not None:
            self.checked[file] = self.checked.get(file, 0) + 1
        if examined.events:
            add_counts(self.events, examined.events)
        if verdict.unplaced and self.settings.least_severity > Severity.NOTE:
            verdict.unplaced = self.reported(verdict)
        if self.survey is not None:
            from isogloss.cli.checking.survey import add_to_survey

            add_to_survey(verdict, self.survey)
        if verdict.unplaced or findings or verdict.speaks is not None:
            self._add_findings(verdict, findings, fail_on)

    def _add_findings(self, verdict: Verdict, findings: Sequence[Finding] | None, least: Severity | None) -> None:
        """Add the given findings of a verdict, or else all. ``least`` is that of :meth:`RunSettings.failing`."""
        settings = self.settings
        reported = verdict.unplaced if findings is None else findings
        severities = [one.severity for one in reported]
        add_counts(self.severities, {severity: severities.count(severity) for severity in set(severities)})
        explained = len([one for one in reported if one.explained_by])
        self.failures += len(settings.failing(reported, least))
        self.unexplained += len(reported) - explained
        if verdict.speaks is not None:
            spoken = self.dialects.get(verdict.speaks)
            if spoken is None:
                spoken = self.dialects[verdict.speaks] = DialectCounts()
            spoken.add(verdict.attribution)
            spoken.explained += explained
            spoken.unexplained += len(reported) - explained
        if settings.keep == "all":
            placed = verdict.findings if findings is None else findings
            if self.contexts is not None:
                is_quiet = settings.detail == "quiet"
                shown = settings.failing(placed, least) if is_quiet else placed
                self._keep_contexts(verdict, shown, self.contexts)
            self.findings += placed
            self.failing += settings.failing(placed, least)
        elif settings.keep != "none":
            self._keep_first(verdict, findings, least)

    def reported(self, verdict: Verdict) -> list[UnplacedFinding]:
        """Return the findings of a verdict that are severe enough to be reported."""
        return [finding for finding in verdict.unplaced if finding.severity >= self.settings.least_severity]

    def _keep_first(self, verdict: Verdict, findings: Sequence[Finding] | None, least: Severity | None) -> None:
        """Keep the findings that are the first of their group, and count the others.

        Only the first ones are placed.
        """
        unplaced = verdict.unplaced if findings is None else ()
        if self.settings.keep == "failing":
            unplaced = self.settings.failing(unplaced, least)
            findings = findings and self.settings.failing(findings, least)
        new_firsts = []
        file = verdict.file
        for finding in unplaced:
            group = self.firsts.get(group_key(finding))
            if group is not None:
                group.add(finding, file)
            else:
                new_firsts.append(finding)
        if findings is None and not new_firsts:
            return
        placed = verdict.place(new_firsts) if findings is None else findings
        self._keep_contexts(verdict, placed, self.firsts)
        group_findings(placed, self.firsts)

    def _keep_contexts(self, verdict: Verdict, findings: Sequence[Finding], known: Container[GroupKey]) -> None:
        """Keep what is shown beside the first finding of each group that is not ``known``, if reports show it."""
        if self.contexts is None:
            return
        firsts: dict[GroupKey, Finding] = {}
        for finding in findings:
            firsts.setdefault(group_key(finding), finding)
        shown = [one for key, one in firsts.items() if key not in known and self._may_be_framed(one)]
        self.contexts.update((group_key(one), context) for one, context in contexts(verdict, shown))

    def _may_be_framed(self, first: Finding) -> bool:
        """Return whether a report may show a context beside the first finding of a group.

        A run that keeps all findings does not know while it goes on which of them are the first of their group.
        """
        return self._framed_once is None or (self.settings.lists(first) and self._framed_once.takes(first))

    @property
    def streams(self) -> int:
        """The number of streams."""
        return sum(contents.streams * count for contents, count in self.rates.seen.items())

    @property
    def has_answers(self) -> bool:
        """Whether some exchange has an answer, even if nobody can read it."""
        return any("response" in contents.features for contents in self.rates.seen)

    @property
    def payloads(self) -> dict[Kind, int]:
        """The number of payloads, by kind. The chunks and the errors of streams are counted, too."""
        counts = dict(self.events)
        for contents, count in self.rates.seen.items():
            for kind in contents.kinds:
                counts[kind] = counts.get(kind, 0) + count
        return counts

    def groups(self, *, failing: bool = False, show_impact: bool = True) -> list[FindingGroup]:
        """Return the findings in groups: those that say the same at the same path are one group.

        The most severe groups come first; groups of the same severity keep their order. ``failing`` leaves out findings
        that do not fail the run, if all findings were kept. ``show_impact`` says whether the report shows what clients
        were seen to do, which then belongs to what findings say.
        """
        by_key = (
            group_findings(self.failing if failing else self.findings, {})
            if self.settings.keep == "all"
            else self.firsts
        )
        for group_words, group in by_key.items() if self.contexts is not None else ():
            context = (self.contexts or {}).get(group_words)
            if context is not None and context.source == group.first.source:
                group.context = context
        groups = [*by_key.values()] if show_impact else without_impact(by_key)
        rates = {rate.rule: rate for rate in self.rates.all()}
        for group in groups:
            group.rate = rates.get(group.first.rule)
        return sorted(groups, key=lambda group: -group.first.severity)

    def merge(self, other: Run, *, after: int = 0) -> None:
        """Add the results of another run. Its exchanges follow the first ``after`` exchanges of the same file."""
        self.files += other.files
        self.exchanges += other.exchanges
        self.inconclusive += other.inconclusive
        self.rates.merge(other.rates)
        add_counts(self.severities, other.severities)
        add_counts(self.events, other.events)
        add_counts(self.checked, other.checked)
        self.unexplained += other.unexplained
        self.failures += other.failures
        for slug, spoken in other.dialects.items():
            self.dialects.setdefault(slug, DialectCounts()).merge(spoken)
        for mapping, use in other.mappings.items():
            self.mappings.setdefault(mapping, MappingUse()).merge(use)
        if after:
            renumbered: dict[int, Finding] = {}
            other.findings = [_renumber(finding, after, renumbered) for finding in other.findings]
            other.failing = [_renumber(one, after, renumbered) for one in other.failing]
            other.skipped = [replace(skip, number=(skip.number or 0) + after) for skip in other.skipped]
            if other.contexts is not None:
                other.contexts = {
                    group_words: replace(context, source=_renumber_source(context.source, after))
                    for group_words, context in other.contexts.items()
                }
        if self.settings.keep == "all":
            self.findings += other.findings
            self.failing += other.failing
        for group_words, group in other.firsts.items():
            first = self.firsts.setdefault(group_words, group)
            if first is not group:
                first.merge(group)
            elif after:
                group.first = _renumber(group.first, after, {})
        if self.contexts is not None:
            self.contexts = (other.contexts or {}) | self.contexts
        if self.survey is not None and other.survey is not None:
            self.survey.merge(other.survey)
        self.skipped += other.skipped
        self.internal_errors += other.internal_errors

    @property
    def failed(self) -> bool:
        """Whether there is a finding that fails the run, or a rate above its limit."""
        return self.failures > 0 or bool(self.rates.above(self.settings.limits))

    @property
    def has_verdict(self) -> bool:
        """Whether an exchange got a verdict. In a probe: whether a case conforms or deviates."""
        if self.cases is not None:
            return any(case.standing in ("conforms", "deviates") for case in self.cases)
        return self.exchanges > self.inconclusive

    @property
    def verdict(self) -> str:
        """``conforms``, ``deviates`` or ``nothing-checked``."""
        return "nothing-checked" if not self.has_verdict else "deviates" if self.failed else "conforms"


def _empty_survey() -> Survey:
    from isogloss.cli.checking.survey import Survey

    return Survey({})


def _renumber(finding: Finding, after: int, renumbered: dict[int, Finding]) -> Finding:
    """Return the finding with the number that its exchange has in the file.

    ``renumbered`` holds the findings that were changed already, by their ``id``.
    """
    result = renumbered.get(id(finding))
    if result is None:
        result = renumbered[id(finding)] = replace(finding, source=_renumber_source(finding.source, after))
    return result


def _renumber_source(source: Source, after: int) -> Source:
    return replace(source, exchange=source.exchange + after)
