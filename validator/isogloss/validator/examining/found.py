"""What validating an exchange comes to: hits of rules, and what was validated. Nothing is placed or explained yet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from isogloss.validator import rules
from isogloss.validator.examining.placing import Part
from isogloss.validator.exchange import Exchange
from isogloss.validator.findings import Severity
from isogloss.validator.rules import Hit
from isogloss.validator.streams.fold import Folded
from isogloss.validator.views import Completion, Request

__all__ = ["Examined", "Found"]


class Found(NamedTuple):
    """A hit, the rule it is of, and the part of the exchange its pointer is relative to.

    ``events`` are the numbers of the stream events with this same hit, where there can be several; the hit names the
    first of them.
    """

    rule: str
    hit: Hit
    part: Part
    events: Sequence[int] = ()

    @property
    def severity(self) -> Severity:
        """How severe it is where no dialect explains it and nobody set it otherwise."""
        return self.hit.severity or rules.rule(self.rule).severity


class Examined:
    """What was validated of one exchange, its payloads by kind and its streams, and what was found.

    ``request`` and ``completion`` are the views that rules read, ``features`` what they may need of an answer;
    ``active`` names the rules that counted, ``None`` for all, and ``expected`` the rules of the user's own whose place
    was there.
    """

    __slots__ = (
        "active", "completion", "exchange", "expected", "features", "folded", "found", "payloads", "request", "streams",
    )  # fmt: skip

    def __init__(self, exchange: Exchange) -> None:
        self.exchange = exchange
        self.payloads: dict[str, int] = {}
        self.streams = 0
        self.found: list[Found] = []
        self.folded: Folded | None = None
        self.request: Request | None = None
        self.completion: Completion | None = None
        self.features: frozenset[str] = frozenset()
        self.active: frozenset[str] | None = None
        self.expected: set[str] = set()
