"""Count the exchanges of a corpus that hold something on which clients were seen to break.

They are counted by client and by deviation. If no client was run with a case like a deviation, nothing is known about
this deviation.
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

__all__ = ["BrokenExchanges", "ClientCall", "ClientView", "DeviationForm", "FoundDeviation"]


class DeviationForm(NamedTuple):
    """A deviation: a rule, a kind of payload, a path, and the form of its cases if there are any."""

    rule: str
    kind: str
    path: str
    form: str

    def __str__(self) -> str:
        form = self.form.removeprefix("whole").removeprefix(", ")
        return f"{self.rule} · {self.kind} {self.path}".rstrip() + (f" ({form})" if form else "")


class ClientCall(NamedTuple):
    """A client in one version that is called in one way: ``path`` is this way."""

    client: str
    version: str
    path: str


@dataclass(slots=True)
class FoundDeviation:
    """A deviation: how many exchanges have it, how severe it is at most, and the first finding.

    ``impact`` is what was seen of clients, or ``None`` if no client was run with a case like it.
    """

    first: Finding
    impact: Impact | None
    excerpt: Excerpt | None
    exchanges: int = 0
    severity: Severity = Severity.NOTE
    files: set[str] = field(default_factory=set)

    @property
    def breaks(self) -> tuple[Break, ...]:
        """The breaks that were seen of clients. Empty if no client was run with a case like this."""
        return self.impact.breaks if self.impact is not None else ()


@dataclass(slots=True)
class BrokenExchanges:
    """The exchanges that hold something on which a client was seen to break: how many, and how many by outcome.

    ``deviations`` are those on which it was seen to break.
    """

    exchanges: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    deviations: set[DeviationForm] = field(default_factory=set)


@dataclass(slots=True)
class ClientView:
    """What clients were seen to break on in a corpus. ``clients`` are those whose evidence was looked up."""

    clients: tuple[str, ...]
    found: dict[DeviationForm, FoundDeviation] = field(default_factory=dict)
    calls: dict[ClientCall, BrokenExchanges] = field(default_factory=dict)
    exchanges: int = 0
    broken: int = 0
    files: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    checked: Counter[str] = field(default_factory=Counter)

    def add(self, exchange: Exchange, verdict: Verdict) -> None:
        """Count an exchange and what was found in it. Findings in its request are not counted."""
        self.exchanges += 1
        self.checked[exchange.file] += 1
        by_deviation: dict[DeviationForm, list[Finding]] = {}
        for finding in verdict.findings:
            if finding.kind != "request":
                form = finding.impact.form if finding.impact is not None else ""
                by_deviation.setdefault(DeviationForm(finding.rule, finding.kind, finding.path, form), []).append(
                    finding
                )
        outcomes_by_client: dict[ClientCall, set[str]] = {}
        for deviation, findings in by_deviation.items():
            found = self._count_deviation(deviation, findings, verdict)
            for client_break in found.breaks:
                called = ClientCall(client_break.client, client_break.version, client_break.path)
                outcomes_by_client.setdefault(called, set()).add(client_break.outcome)
                self.calls.setdefault(called, BrokenExchanges()).deviations.add(deviation)
        self.broken += bool(outcomes_by_client)
        for called, outcomes in outcomes_by_client.items():
            self.calls[called].exchanges += 1
            self.calls[called].outcomes.update(outcomes)

    def _count_deviation(self, deviation: DeviationForm, findings: list[Finding], verdict: Verdict) -> FoundDeviation:
        found = self.found.get(deviation)
        if found is None:
            first = findings[0]
            found = self.found[deviation] = FoundDeviation(first, first.impact, verdict.excerpt(first))
        found.exchanges += 1
        found.severity = max(found.severity, *(finding.severity for finding in findings))
        found.files.add(findings[0].source.file)
        return found

    def breaking(self) -> list[tuple[DeviationForm, FoundDeviation]]:
        """Return the deviations that a client was seen to break on, those in most exchanges first."""
        return _sort(one for one in self.found.items() if one[1].breaks)

    def unbroken(self) -> list[tuple[DeviationForm, FoundDeviation]]:
        """Return the deviations that clients were run with and that none was seen to break on."""
        return _sort(one for one in self.found.items() if one[1].impact is not None and not one[1].breaks)

    def untried(self) -> list[tuple[DeviationForm, FoundDeviation]]:
        """Return the deviations that no client was run with."""
        return _sort(one for one in self.found.items() if one[1].impact is None)

    def by_client(self) -> list[tuple[ClientCall, BrokenExchanges]]:
        """Return the clients that were seen to break on something in this corpus, sorted by name."""
        return sorted(self.calls.items(), key=lambda one: one[0])


def _sort(found: Iterable[tuple[DeviationForm, FoundDeviation]]) -> list[tuple[DeviationForm, FoundDeviation]]:
    return sorted(found, key=lambda one: (-one[1].exchanges, -one[1].severity, one[0]))
