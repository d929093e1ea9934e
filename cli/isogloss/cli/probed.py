"""What a probe tells of its cases, as reporters show it."""

from __future__ import annotations

from typing import NamedTuple

from isogloss.validator.findings import Finding

__all__ = ["ProbedAnswer", "ProbedCase", "Repeated"]


class ProbedAnswer(NamedTuple):
    """One answer: its status, and the seconds until the first byte of its body and until its end.

    ``request`` and ``answer`` are the bodies as text, without keys and cut where they are long; ``size`` is the number
    of bytes of the answer.
    """

    status: int
    first_byte: float | None
    seconds: float
    request: str
    answer: str
    size: int


class Repeated(NamedTuple):
    """How often a case that was asked several times conformed, of how many answers; between which rates that lies."""

    conforming: int
    of: int
    low: float
    high: float

    def __str__(self) -> str:
        rate = 100 * self.conforming / self.of if self.of else 0.0
        interval = f"{100 * self.low:.0f} to {100 * self.high:.0f} %"
        return f"conforms {self.conforming} of {self.of} times, {rate:.0f} % (95 % interval: {interval})"


class ProbedCase(NamedTuple):
    """One case: what it is about, what it ended as and why, how long it took, its answers, and what was found in them.

    ``failed`` says whether a finding fails the run. ``tests`` is the parameter that the case is about, ``why`` says
    what breaks without it, ``thread`` is where that was reported, ``meaning`` what its standing means, and ``repeated``
    how often it conformed where it was asked several times.
    """

    name: str
    what: str
    standing: str
    reason: str
    seconds: float
    answers: tuple[ProbedAnswer, ...]
    findings: tuple[Finding, ...]
    failed: bool
    group: str = ""
    tests: str = ""
    why: str = ""
    thread: str = ""
    meaning: str = ""
    repeated: Repeated | None = None
