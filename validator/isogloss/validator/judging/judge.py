"""Make a verdict on an exchange: validate it, explain its findings by dialects, and place them in the capture.

Places are looked up only if they are needed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING

from msgspec import Struct

from isogloss.validator.engines import Engine
from isogloss.validator.examining.examined import UNKNOWN, Examined, RuleHit
from isogloss.validator.examining.examiner import Examiner
from isogloss.validator.exchange import NO_PROBE, Exchange
from isogloss.validator.findings import Finding, Impact, Severity
from isogloss.validator.pointer import generic, rfc6901
from isogloss.validator.rules import Hit

if TYPE_CHECKING:
    from isogloss.validator.dialects.attribution import Attribution
    from isogloss.validator.dialects.explainers import Explainer
    from isogloss.validator.examining.expectations import Expectation
    from isogloss.validator.examining.placing import ExchangePart, Placer
    from isogloss.validator.excerpts import Excerpt
    from isogloss.validator.impact.matching import Matcher

__all__ = ["Judge", "UnplacedFinding", "Verdict"]


_other_pointers, _rule_and_part = attrgetter("hit.other_pointers"), attrgetter("rule", "part")
_MAY_CAUSE = {(UNKNOWN, "request"), ("stream-id-changed", "stream")}
"""Rules and parts of hits from which others may follow, although they name no other pointer."""


class UnplacedFinding(Struct, gc=False):
    """A finding whose place in the capture is not looked up yet. :meth:`Verdict.place` looks it up."""

    rule: str
    severity: Severity
    message: str
    kind: str
    path: str
    count: int
    explained_by: tuple[str, ...]
    hit: Hit
    part: ExchangePart
    impact: Impact | None = None


class Verdict(Struct, eq=False, gc=False):
    """The verdict on one exchange of a file: what was examined, and the findings.

    ``speaks`` is the slug of the dialect that the exchange speaks, as the settings name it or as the attribution found
    it. ``attribution`` is the decision that found it. ``unplaced`` holds the findings before their places are looked
    up, and ``placer`` looks them up. ``examined`` holds the results that the findings were made of. With
    ``show_values``, findings quote the values at their places.
    """

    examined: Examined
    unplaced: Sequence[UnplacedFinding] = ()
    speaks: str | None = None
    attribution: Attribution | None = None
    placer: Placer | None = None
    show_values: bool = False
    _sought: tuple[Sequence[UnplacedFinding], dict[tuple[str, ...], UnplacedFinding]] | None = None

    @property
    def file(self) -> str:
        """The name of the file that holds the exchange."""
        return self.examined.exchange.file

    @property
    def chain(self) -> tuple[str, ...]:
        """The slugs of the dialect that is spoken and of the dialect that it relays; empty if no dialect is named."""
        if self.attribution is not None:
            return self.attribution.chain
        return () if self.speaks is None else (self.speaks,)

    @property
    def findings(self) -> list[Finding]:
        """All findings, in the order of their places."""
        return self.place(self.unplaced)

    def unplaced_of(self, finding: Finding) -> UnplacedFinding | None:
        """Return a finding as it was before it was placed, or ``None`` if this verdict does not have the finding."""
        if self._sought is None or self._sought[0] is not self.unplaced:
            by_key = {_key(unplaced, rfc6901(unplaced.hit.pointer)): unplaced for unplaced in reversed(self.unplaced)}
            self._sought = (self.unplaced, by_key)
        return self._sought[1].get(_key(finding, finding.pointer))

    def event(self, finding: UnplacedFinding) -> int | None:
        """Return the number of the stream event that a finding is about, or ``None`` if it is about no event.

        The place of the finding is not looked up for this.
        """
        return self.placer.event(finding.part, finding.hit) if self.placer is not None else None

    def excerpt(self, finding: Finding) -> Excerpt | None:
        """Return an excerpt around the place of a finding, without values, or ``None`` if there is nothing to show."""
        unplaced = self.unplaced_of(finding)
        if self.placer is None or unplaced is None:
            return None
        return self.placer.excerpt(unplaced.part, unplaced.hit)

    def place(self, unplaced: Iterable[UnplacedFinding]) -> list[Finding]:
        """Look up the places of some of the findings, and return these findings in the order of their places."""
        placer = self.placer
        if placer is None:
            return []
        # The placer needs them in the order of their events.
        findings = [self._finding(finding, placer) for finding in sorted(unplaced, key=_event_of)]
        findings.sort(key=_sort_key)
        return findings

    def _finding(self, unplaced: UnplacedFinding, placer: Placer) -> Finding:
        hit, part = unplaced.hit, unplaced.part
        return Finding(
            rule=unplaced.rule,
            severity=unplaced.severity,
            message=unplaced.message,
            kind=unplaced.kind,
            path=unplaced.path,
            pointer=rfc6901(hit.pointer),
            source=placer.source(part, hit),
            schema=hit.schema,
            count=unplaced.count,
            explained_by=unplaced.explained_by,
            value=placer.beginning(part, hit) if self.show_values else None,
            impact=unplaced.impact,
        )


def _key(finding: Finding | UnplacedFinding, pointer: str) -> tuple[str, ...]:
    return finding.rule, finding.path, finding.message, pointer


class Judge:
    """Judges exchanges, one at a time and each by itself.

    ``active`` holds the names of the rules whose findings count; by default all rules count. ``severities`` overrides
    the severity of single rules. ``explainer`` decides which dialect's deviations become notes; without it, none do.
    With ``show_values``, findings quote the values at their places, which may be texts of users. ``expected`` are rules
    of the user's own. ``matcher`` looks up what clients did on such answers; without it, findings have no impact.
    Without ``shortcuts`` the verdicts are the same, but take longer:
    :class:`~isogloss.validator.examining.examiner.Examiner` explains why.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        active: Collection[str] | None = None,
        severities: Mapping[str, Severity] | None = None,
        explainer: Explainer | None = None,
        show_values: bool = False,
        expected: Iterable[Expectation] = (),
        matcher: Matcher | None = None,
        shortcuts: bool = True,
    ) -> None:
        self._examiner = Examiner(engine, active, expected=expected, shortcuts=shortcuts)
        self._severities = severities or {}
        self._explainer = explainer
        self._show_values = show_values
        self._matcher = matcher

    def judge(self, exchange: Exchange) -> Verdict:
        """Check one exchange, and return the verdict.

        Raises :class:`~isogloss.validator.examining.examiner.RuleFailed` if a rule raises an exception, which no input
        should cause.
        """
        if self._show_values:
            from isogloss.validator.streams import split_secrets  # few runs show values

            exchange = split_secrets.mask_exchange(exchange)
        examined = self._examiner.examine(exchange)
        if not examined.hits and self._explainer is None:
            return Verdict(examined)
        found, explained_by, speaks, attribution = examined.hits, None, None, None
        if self._explainer is not None:
            explained = self._explainer.explain(examined)
            found, explained_by = explained.hits, explained.explained_by
            speaks, attribution = explained.speaks, explained.attribution
        if not found:
            return Verdict(examined, (), speaks, attribution, None, self._show_values)
        from isogloss.validator.examining import placing  # most exchanges have no findings

        unplaced = self._unplaced_findings(examined, found, explained_by or [()] * len(found))
        placer = placing.Placer(exchange, examined.folded) if unplaced else None
        return Verdict(examined, unplaced, speaks, attribution, placer, self._show_values)

    def _unplaced_findings(
        self, examined: Examined, found: Sequence[RuleHit], explanations: Sequence[tuple[str, ...]]
    ) -> list[UnplacedFinding]:
        """Return the findings. The same finding on many chunks of a stream becomes one finding with a count."""
        from isogloss.validator.examining import placing

        exchange, probe, severities = examined.exchange, examined.exchange.probe, self._severities
        if len(found) > 1:
            are_related = any(map(_other_pointers, found))
            if are_related or not _MAY_CAUSE.isdisjoint(map(_rule_and_part, found)):
                from isogloss.validator.examining.meant import hits_as_meant

                found, explanations = hits_as_meant(found, explanations, examined, self._examiner.examine, severities)
            if are_related:
                from isogloss.validator.examining.consequences import without_included

                found, explanations = without_included(found, explanations)
        unplaced: list[UnplacedFinding] = []
        grouped: list[list[RuleHit]] = []
        positions: dict[tuple[object, ...], int] = {}  # in `unplaced`, of findings about events of a stream
        for finding, explained_by in zip(found, explanations, strict=True):
            rule, hit, part, events = finding.rule, finding.hit, finding.part, finding.events
            kind = placing.kind_of_hit(exchange, part, hit)
            if probe is not NO_PROBE and (rule in probe.excused_rules or (kind == "request" and probe.expected_status)):
                continue  # a request for an error may be wrong on purpose
            path = generic(hit.pointer)
            if hit.event is not None:
                position = positions.setdefault((rule, kind, path, hit.message, explained_by), len(unplaced))
                if position < len(unplaced):
                    unplaced[position].count += len(events) or 1
                    grouped[position].append(finding)
                    continue
            severity = Severity.NOTE if explained_by else severities.get(rule) or finding.severity
            unplaced.append(
                UnplacedFinding(rule, severity, hit.message, kind, path, len(events) or 1, explained_by, hit, part)
            )
            grouped.append([finding])
        if self._matcher is not None:
            found_at = ((group, merged.kind, merged.path) for merged, group in zip(unplaced, grouped, strict=True))
            for merged, impact in zip(unplaced, self._matcher.impacts(examined, found_at), strict=True):
                merged.impact = impact
        return unplaced


def _event_of(unplaced: UnplacedFinding) -> int:
    event = unplaced.hit.event
    return -1 if event is None else event


def _sort_key(finding: Finding) -> tuple[object, ...]:
    source = finding.source
    return source.line, source.column, -finding.severity, finding.rule, finding.pointer
