"""What a probe tells of its cases, as reporters show it."""

from __future__ import annotations

from typing import NamedTuple

from isogloss.validator.findings import Finding

__all__ = ["ProbedAnswer", "ProbedCase"]


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


class ProbedCase(NamedTuple):
    """One case: what it is about, what it ended as and why, how long it took, its answers, and what was found in them.

    ``failed`` says whether a finding fails the run. ``tests`` is the parameter that the case is about, ``why`` says
    what breaks without it, ``thread`` is where that was reported, and ``meaning`` what its standing means.
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
