"""Hold the results of validating an exchange: the hits of rules, and what was validated.

The hits have no places yet, and no dialect explains them yet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from isogloss.validator import rules
from isogloss.validator.examining.contents import Contents
from isogloss.validator.examining.placing import ExchangePart
from isogloss.validator.exchange import Exchange, Kind
from isogloss.validator.findings import Severity
from isogloss.validator.rules import Hit
from isogloss.validator.streams.fold import Folded

__all__ = ["Examined", "RuleHit"]


class RuleHit(Struct, frozen=True, gc=False):
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


class Examined(Struct, frozen=True, eq=False, gc=False):
    """What was validated in one exchange, and what was found.

    ``folded`` is the completion that a stream folds into, and ``events`` counts the chunks and the errors of a stream.
    """

    exchange: Exchange
    contents: Contents
    hits: list[RuleHit]
    folded: Folded | None
    events: Mapping[Kind, int]
