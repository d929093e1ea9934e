"""Hold the results of validating an exchange: the hits of rules, and what was validated.

The hits have no places yet, and no dialect explains them yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from isogloss.validator import rules
from isogloss.validator.examining.placing import ExchangePart
from isogloss.validator.exchange import Exchange
from isogloss.validator.findings import Severity
from isogloss.validator.rules import Hit
from isogloss.validator.streams.fold import Folded
from isogloss.validator.views import Completion, Request

__all__ = ["Examined", "RuleHit"]


class RuleHit(NamedTuple):
    """A hit, the name of its rule, and the part of the exchange that its pointer starts from.

    ``events`` are the numbers of the stream events with this same hit, if there can be several. The hit names the
    first of them.
    """

    rule: str
    hit: Hit
    part: ExchangePart
    events: Sequence[int] = ()

    @property
    def severity(self) -> Severity:
        """How severe it is where no dialect explains it and nobody set it otherwise."""
        return self.hit.severity or rules.rule(self.rule).severity


class Examined:
    """What was validated in one exchange, and what was found.

    ``payloads`` counts the payloads by kind, and ``streams`` the streams. ``request`` and ``completion`` are the views
    that rules read, and ``features`` are those that rules may need. ``active`` holds the names of the rules that
    counted, or is ``None`` if all did. ``expected`` holds the names of the user's own rules whose path existed.
    """

    __slots__ = (
        "active", "completion", "exchange", "expected", "features", "folded", "hits", "payloads", "request", "streams",
    )  # fmt: skip

    def __init__(self, exchange: Exchange) -> None:
        self.exchange = exchange
        self.payloads: dict[str, int] = {}
        self.streams = 0
        self.hits: list[RuleHit] = []
        self.folded: Folded | None = None
        self.request: Request | None = None
        self.completion: Completion | None = None
        self.features: frozenset[str] = frozenset()
        self.active: frozenset[str] | None = None
        self.expected: frozenset[str] = frozenset()
