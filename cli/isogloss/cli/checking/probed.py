"""The results of the cases of a probe, as reporters show them."""

from __future__ import annotations

from typing import NamedTuple

from isogloss.validator.findings import Finding

__all__ = ["ProbedAnswer", "ProbedCase", "Repeated"]


class ProbedAnswer(NamedTuple):
    """One answer: its status, and the seconds until the first byte of its body and until its end.

    ``request`` and ``answer`` are the bodies as text, without keys, and cut if they are long. ``size`` is the number of
    bytes of the answer.
    """

    status: int
    first_byte: float | None
    seconds: float
    request: str
    answer: str
    size: int


class Repeated(NamedTuple):
    """How often a case that was sent several times conformed: ``conforming`` of ``of`` answers.

    The rate lies between ``low`` and ``high``, with a confidence of 95 %. Both are fractions of 1.
    """

    conforming: int
    of: int
    low: float
    high: float

    def __str__(self) -> str:
        rate = 100 * self.conforming / self.of if self.of else 0.0
        interval = f"{100 * self.low:.0f} to {100 * self.high:.0f} %"
        return f"conforms {self.conforming} of {self.of} times, {rate:.0f} % (95 % interval: {interval})"


class ProbedCase(NamedTuple):
    """One case: what it is about, its standing and the reason, how long it took, its answers, and the findings in them.

    ``tests`` is the parameter that the case is about, ``why`` says what breaks without it, and ``thread`` is where that
    was reported. ``meaning`` says what the standing means. ``repeated`` says how often the case conformed, if it was
    sent several times.
    """

    name: str
    what: str
    standing: str
    reason: str
    seconds: float
    answers: tuple[ProbedAnswer, ...]
    findings: tuple[Finding, ...]
    group: str = ""
    tests: str = ""
    why: str = ""
    thread: str = ""
    meaning: str = ""
    repeated: Repeated | None = None
