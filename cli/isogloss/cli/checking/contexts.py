"""Gather what reports show beside a finding: an excerpt around its place, and the dialects in which it is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from isogloss.cli.configuration.dialect_choice import explainer_of_shipped
from isogloss.validator.examining.examined import RuleHit
from isogloss.validator.findings import Finding, Severity, Source
from isogloss.validator.judging.judge import Verdict

if TYPE_CHECKING:
    from isogloss.validator.dialects.explanations import Accepted
    from isogloss.validator.excerpts import Excerpt

__all__ = ["Context", "FramedOnce", "contexts"]


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


class FramedOnce:
    """Decides beside which findings a report shows a context if the notes of a rule in a file share one.

    That is the context of the note that stands first, and none if the rule has a more severe finding in the file, which
    has its own. Findings may come in any order: a note is taken if no finding so far is reason enough to leave it out.
    """

    __slots__ = ("_before",)

    def __init__(self) -> None:
        self._before: dict[tuple[str, str], int] = {}  # by file and rule, the line before which a note has to stand

    def takes(self, finding: Finding) -> bool:
        """Return whether a context is shown beside a finding, as far as is known by the findings so far."""
        file_and_rule = finding.source.file, finding.rule
        if finding.severity > Severity.NOTE:
            self._before[file_and_rule] = 0
            return True
        line = finding.source.line
        if line >= self._before.get(file_and_rule, line + 1):
            return False
        self._before[file_and_rule] = line
        return True


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

            explainer = explainer_of_shipped()
            observed = observe(verdict.examined, RuleHit(unplaced.rule, unplaced.hit, unplaced.part))
            dialects = tuple(dialect.slug for dialect, _ in explainer.explanations.facts(observed, accepted))
            if speaks is None and dialects:
                attribution = explainer.explain(verdict.examined).attribution
                speaks = attribution.chain if attribution is not None else ()
        yield finding, Context(finding.source, verdict.excerpt(finding), dialects, speaks or ())
