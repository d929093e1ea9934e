"""Gather what reports show beside a finding: an excerpt around its place, and the dialects in which it is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct

from isogloss.cli.configuration.dialect_choice import auto_explainer
from isogloss.validator.examining.examined import RuleHit
from isogloss.validator.excerpts import Excerpt
from isogloss.validator.findings import Finding, Severity, Source
from isogloss.validator.judging.judge import Verdict

if TYPE_CHECKING:
    from isogloss.cli.checking.survey import Survey
    from isogloss.validator.dialects.explainers import AutoExplainer
    from isogloss.validator.dialects.explanations import Accepted

__all__ = ["Context", "add_to_survey", "contexts"]


class Context(Struct, frozen=True):
    """What belongs to the finding at ``source``.

    ``dialects`` are the slugs of the dialects that have a fact that explains the finding. ``speaks`` holds the dialect
    that the answer surely speaks, and the one that this dialect relays. It is looked up only if the exchange has a
    finding above a note. If the user chose the dialect that explains findings, ``dialects`` is ``None``.
    """

    source: Source
    excerpt: Excerpt | None
    dialects: tuple[str, ...] | None = None
    speaks: tuple[str, ...] = ()


def contexts(verdict: Verdict, findings: Iterable[Finding]) -> Iterator[tuple[Finding, Context]]:
    """Yield the given findings of a verdict, each with its context.

    The context of a finding depends on its exchange alone, not on which other findings of the exchange are new. Which
    findings are new differs with the number of processes.
    """
    # An attribution takes time, so it is made only if there is a finding above a note.
    has_finding_above_note = any(one.severity > Severity.NOTE for one in verdict.unplaced)
    accepted: Accepted = {}
    speaks: tuple[str, ...] | None = None if verdict.speaks is None and has_finding_above_note else ()
    for finding in findings:
        unplaced = verdict.unplaced_of(finding)
        if unplaced is None:
            continue
        dialects: tuple[str, ...] | None = None
        if verdict.speaks is None:
            from isogloss.validator.dialects.explanations import observe

            explainer = _auto_explainer()
            observed = observe(verdict.examined, RuleHit(unplaced.rule, unplaced.hit, unplaced.part))
            dialects = tuple(dialect.slug for dialect, _ in explainer.explanations.facts(observed, accepted))
            if speaks is None and dialects:
                attribution = explainer.explain(verdict.examined).attribution
                speaks = attribution.chain if attribution is not None else ()
        yield finding, Context(finding.source, verdict.excerpt(unplaced), dialects, speaks or ())


def add_to_survey(verdict: Verdict, survey: Survey) -> None:
    """Count an exchange in a survey under the dialect that it surely speaks, or under the one that the user chose."""
    from isogloss.cli.checking.survey import CountedFinding, DeviationPath

    deviations = [(DeviationPath(one.rule, one.kind, one.path), one) for one in verdict.unplaced]
    if verdict.speaks is not None:
        seen = [(deviation, CountedFinding(one.severity, bool(one.explained_by))) for deviation, one in deviations]
        survey.count(verdict.speaks, verdict.attribution, seen)
        return
    from isogloss.validator.dialects.explanations import observe

    explained = _auto_explainer().explain(verdict.examined)
    has_explanation: dict[DeviationPath, bool] = {}
    for found, explaining_dialects in zip(explained.hits, explained.explained_by, strict=True):
        observed = observe(verdict.examined, found)
        deviation = DeviationPath(observed.rule, observed.kind, observed.path)
        has_explanation[deviation] = has_explanation.get(deviation, True) and bool(explaining_dialects)
    survey.count(
        explained.speaks,
        explained.attribution,
        [
            (deviation, CountedFinding(one.severity, has_explanation.get(deviation, False)))
            for deviation, one in deviations
        ],
    )


@cache
def _auto_explainer() -> AutoExplainer:
    """Return an explainer that knows all dialects that ship. They are read when the first finding is shown."""
    from isogloss.validator.dialects.model import dialects

    return auto_explainer(tuple(dialects()))
