"""Hold the results of validating an exchange: the hits of rules, and what was validated.

The hits have no places yet, and no dialect explains them yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from isogloss.validator import rules
from isogloss.validator.examining.contents import Contents
from isogloss.validator.exchange import Exchange, Kind
from isogloss.validator.findings import Severity
from isogloss.validator.pointer import UNREAD
from isogloss.validator.quoting import count_of
from isogloss.validator.rules import Hit
from isogloss.validator.streams.fold import Folded

if TYPE_CHECKING:
    from isogloss.validator.examining.placing import ExchangePart

__all__ = ["MOST_VIOLATIONS", "UNKNOWN", "Examined", "RuleHit", "hit_of_rest", "is_rest", "without_events"]

MOST_VIOLATIONS = 1000
"""The number of violations of one rule in one payload that are reported one by one."""
UNKNOWN = "unknown-property"
"""The rule about the properties that may stand in the place of others. Its hits point at these, if they name them."""
_OF_REST = " of this rule in this payload"


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

    @property
    def lacks_arguments(self) -> bool:
        """Whether a stream has no fragment with the arguments of a call, or with its input."""
        is_missing = self.part == "folded" and self.rule == "missing-property"
        return is_missing and self.hit.pointer[-1:] in (("arguments",), ("input",))

    def on_events(self, events: Sequence[int]) -> RuleHit:
        """Return the same hit on these events alone."""
        return replace(self, hit=replace(self.hit, event=events[0]), events=events)


def without_events(hits: Iterable[RuleHit], is_left_out: Callable[[RuleHit, int | None], bool]) -> Iterator[RuleHit]:
    """Yield hits without the events on which they are left out, and without those that are on no other event.

    The event is ``None`` for a hit that is on none.
    """
    for rule_hit in hits:
        if len(rule_hit.events) < 2:
            if not is_left_out(rule_hit, rule_hit.hit.event):
                yield rule_hit
        elif events := [event for event in rule_hit.events if not is_left_out(rule_hit, event)]:
            yield rule_hit if len(events) == len(rule_hit.events) else rule_hit.on_events(events)


class Examined(Struct, frozen=True, eq=False, gc=False):
    """What was validated in one exchange, and what was found.

    ``folded`` is the completion that a stream folds into, and ``events`` counts the chunks and the errors of a stream.
    """

    exchange: Exchange
    contents: Contents
    hits: list[RuleHit]
    folded: Folded | None
    events: Mapping[Kind, int]


def hit_of_rest(count: int) -> Hit:
    """Return the hit that says how many more findings a rule has than are reported one by one.

    ``count`` is the number of all its findings in the payload.
    """
    more = count - MOST_VIOLATIONS
    return Hit(f"{count_of(more, 'more finding')}{_OF_REST}", (), UNREAD)


def is_rest(message: str) -> bool:
    """Return whether a message only says how many more findings there are."""
    return message.endswith(_OF_REST)
