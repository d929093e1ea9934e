"""What clients were seen to break on, of what a corpus holds: client by client, and deviation by deviation.

Counted are exchanges. Of a deviation on which no client was run with a case like it, nothing is known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from isogloss.validator.excerpts import Excerpt
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.findings import Break, Finding, Impact, Severity
from isogloss.validator.judging.judge import Verdict

__all__ = ["Called", "ClientView", "Deviation", "Found", "Suffering"]


class Deviation(NamedTuple):
    """What deviates: a rule at a generic place of a kind of payload, and the form of the value, where cases have it."""

    rule: str
    kind: str
    path: str
    form: str

    def __str__(self) -> str:
        form = f" ({self.form})" if self.form not in ("", "whole") else ""
        return f"{self.rule} · {self.kind} {self.path}".rstrip() + form


class Called(NamedTuple):
    """A client in a version, called in one way."""

    client: str
    version: str
    path: str


@dataclass(slots=True)
class Found:
    """A deviation: how many exchanges have it, how severe it is at most, and the first finding.

    ``impact`` is what was seen of clients, or ``None`` if no client was run with a case like it.
    """

    impact: Impact | None
    exchanges: int = 0
    severity: Severity = Severity.NOTE
    first: Finding | None = None
    excerpt: Excerpt | None = None
    files: set[str] = field(default_factory=set)

    @property
    def breaks(self) -> tuple[Break, ...]:
        """The breaks that were seen of clients. Empty if no client was run with a case like this."""
        return self.impact.breaks if self.impact is not None else ()


@dataclass(slots=True)
class Suffering:
    """How many exchanges hold something that a client was seen to break on: all of them, and by outcome.

    ``deviations`` are what it was seen to break on.
    """

    exchanges: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    deviations: set[Deviation] = field(default_factory=set)


@dataclass(slots=True)
class ClientView:
    """A corpus as clients see it. ``clients`` are those whose evidence was looked up."""

    clients: tuple[str, ...]
    found: dict[Deviation, Found] = field(default_factory=dict)
    called: dict[Called, Suffering] = field(default_factory=dict)
    exchanges: int = 0
    broken: int = 0
    files: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    checked: Counter[str] = field(default_factory=Counter)

    def add(self, exchange: Exchange, verdict: Verdict) -> None:
        """Count an exchange and what was found in it. Findings in its request are not counted."""
        self.exchanges += 1
        self.checked[exchange.file] += 1
        of: dict[Deviation, list[Finding]] = {}
        for one in verdict.findings:
            if one.kind != "request":
                form = one.impact.form if one.impact is not None else ""
                of.setdefault(Deviation(one.rule, one.kind, one.path, form), []).append(one)
        broken: dict[Called, set[str]] = {}
        for deviation, findings in of.items():
            found = self._take(deviation, findings, verdict)
            for seen in found.breaks:
                called = Called(seen.client, seen.version, seen.path)
                broken.setdefault(called, set()).add(seen.outcome)
                self.called.setdefault(called, Suffering()).deviations.add(deviation)
        self.broken += bool(broken)
        for called, outcomes in broken.items():
            self.called[called].exchanges += 1
            self.called[called].outcomes.update(outcomes)

    def _take(self, deviation: Deviation, findings: list[Finding], verdict: Verdict) -> Found:
        found = self.found.get(deviation)
        if found is None:
            found = self.found[deviation] = Found(findings[0].impact, first=findings[0])
            unplaced = verdict.unplaced_of(findings[0])
            found.excerpt = verdict.excerpt(unplaced) if unplaced is not None else None
        found.exchanges += 1
        found.severity = max(found.severity, *(one.severity for one in findings))
        found.files.add(findings[0].source.file)
        return found

    def breaking(self) -> list[tuple[Deviation, Found]]:
        """Return the deviations that a client was seen to break on, those in most exchanges first."""
        return _ordered(one for one in self.found.items() if one[1].breaks)

    def unbroken(self) -> list[tuple[Deviation, Found]]:
        """Return the deviations that clients were run with and that none was seen to break on."""
        return _ordered(one for one in self.found.items() if one[1].impact is not None and not one[1].breaks)

    def untried(self) -> list[tuple[Deviation, Found]]:
        """Return the deviations that no client was run with."""
        return _ordered(one for one in self.found.items() if one[1].impact is None)

    def by_client(self) -> list[tuple[Called, Suffering]]:
        """Return the clients that were seen to break on something in this corpus, sorted by name."""
        return sorted(self.called.items(), key=lambda one: one[0])


def _ordered(found: Iterable[tuple[Deviation, Found]]) -> list[tuple[Deviation, Found]]:
    return sorted(found, key=lambda one: (-one[1].exchanges, -one[1].severity, one[0]))
