"""What a run amounts to: everything reporters print, gathered as it is found."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from isogloss.cli.fingerprints import Key
from isogloss.validator.exchange import Skipped
from isogloss.validator.findings import Finding, Severity
from isogloss.validator.judging.judge import Verdict

__all__ = ["Known", "Run", "Spoken"]


@dataclass(slots=True)
class Spoken:
    """How many exchanges speak a dialect, how many of them surely, and how many of their findings it explains.

    Of those that are undetermined, ``nearest`` counts the dialects that are nearest to them, by slug.
    """

    exchanges: int = 0
    sure: int = 0
    explained: int = 0
    unexplained: int = 0
    nearest: Counter[str] = field(default_factory=Counter)


class Known(NamedTuple):
    """What a baseline came to: its file, how many findings it knew, and the entries that no longer occur."""

    file: str
    findings: int
    gone: list[tuple[Key, int]]


@dataclass(slots=True)
class Run:
    """Counts, findings and skipped parts of one run; ``fail_on`` is the severity from which on findings fail it.

    ``detail`` is how much a person wants to read; ``keep`` whether findings are gathered at all, and not only counted.
    ``checked`` counts exchanges by file, those that were skipped among the files with none.
    """

    fail_on: Severity
    detail: Literal["quiet", "usual", "verbose"] = "usual"
    keep: bool = True
    files: int = 0
    exchanges: int = 0
    streams: int = 0
    payloads: Counter[str] = field(default_factory=Counter)
    severities: Counter[Severity] = field(default_factory=Counter)
    unexplained: int = 0
    dialects: dict[str, Spoken] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    checked: Counter[str] = field(default_factory=Counter)
    failing: list[Finding] = field(default_factory=list)
    failures: int = 0
    known: Known | None = None

    def add(
        self, verdict: Verdict, *, file: str | None = None, fail_on: Severity | None = None, times: int = 1
    ) -> None:
        """Take what was found in one exchange of a file, or in so many in turn; ``fail_on`` where it is another."""
        self.exchanges += times
        if file is not None:
            self.checked[file] += times
        self.streams += verdict.streams * times
        for kind, count in verdict.payloads.items():
            self.payloads[kind] += count * times
        if not verdict.findings and verdict.speaks is None:
            return
        failing = [one for one in verdict.findings if one.severity >= (fail_on or self.fail_on)]
        self.failures += len(failing) * times
        for finding in verdict.findings:
            self.severities[finding.severity] += times
        explained = sum(1 for finding in verdict.findings if finding.explained_by)
        self.unexplained += (len(verdict.findings) - explained) * times
        if verdict.speaks is not None:
            spoken = self.dialects.setdefault(verdict.speaks, Spoken())
            spoken.exchanges += times
            spoken.sure += times * (verdict.attribution is None or verdict.attribution.sure)
            spoken.explained += explained * times
            spoken.unexplained += (len(verdict.findings) - explained) * times
            if verdict.attribution is not None and not verdict.attribution.sure:
                spoken.nearest[verdict.attribution.nearest.slug] += times
        if self.keep:
            self.findings.extend(verdict.findings * times)
            self.failing.extend(failing * times)

    def empty(self) -> Run:
        """A run of which nothing is known yet, for the same purpose."""
        return Run(self.fail_on, detail=self.detail, keep=self.keep)

    def merge(self, other: Run, *, after: int = 0) -> None:
        """Take what another run came to, whose exchanges follow the first ``after`` ones of the same file."""
        self.files += other.files
        self.exchanges += other.exchanges
        self.streams += other.streams
        self.payloads.update(other.payloads)
        self.severities.update(other.severities)
        self.checked.update(other.checked)
        self.unexplained += other.unexplained
        self.failures += other.failures
        for slug, spoken in other.dialects.items():
            known = self.dialects.setdefault(slug, Spoken())
            known.exchanges += spoken.exchanges
            known.sure += spoken.sure
            known.explained += spoken.explained
            known.unexplained += spoken.unexplained
            known.nearest.update(spoken.nearest)
        if after:
            moved: dict[int, Finding] = {}
            other.findings = [_moved(one, after, moved) for one in other.findings]
            other.failing = [_moved(one, after, moved) for one in other.failing]
            other.skipped = [one._replace(number=(one.number or 0) + after) for one in other.skipped]
        if self.keep:
            self.findings += other.findings
            self.failing += other.failing
        self.skipped += other.skipped

    @property
    def failed(self) -> bool:
        """Whether there is a finding at or above ``fail_on``."""
        return self.failures > 0

    @property
    def verdict(self) -> str:
        """``conforms``, ``deviates`` or ``nothing-checked``."""
        return "nothing-checked" if not self.exchanges else "deviates" if self.failed else "conforms"


def _moved(finding: Finding, after: int, moved: dict[int, Finding]) -> Finding:
    """The finding with the number that its exchange has in the file; ``moved`` are those done already."""
    found = moved.get(id(finding))
    if found is None:
        source = finding.source._replace(exchange=finding.source.exchange + after)
        found = moved[id(finding)] = replace(finding, source=source)
    return found
