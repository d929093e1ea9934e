"""Leave out hits that do not count, or that only follow from others, from a gap or from what a recorder overwrote."""

from __future__ import annotations

from collections.abc import Callable

from isogloss.validator import rules
from isogloss.validator.examining.consequences import without_consequences
from isogloss.validator.examining.contents import Contents
from isogloss.validator.examining.examined import RuleHit
from isogloss.validator.examining.gaps import without_lacks_of_completion, without_lacks_of_stream
from isogloss.validator.examining.overwritten import without_overwritten
from isogloss.validator.examining.stand_ins import with_stand_ins
from isogloss.validator.examining.violation_cache import ViolationSet
from isogloss.validator.exchange import Exchange, Payload, Stream
from isogloss.validator.streams.fold import Folded
from isogloss.validator.streams.trace import Trace

__all__ = ["hits_that_remain"]


def hits_that_remain(
    hits: list[RuleHit],
    exchange: Exchange,
    contents: Contents,
    trace: Trace | None,
    folded: Folded | None,
    active: frozenset[str],
    violated: Callable[[str, object], ViolationSet],
) -> list[RuleHit]:
    """Return the hits of ``active`` rules without those that do not count, or that only follow from something else."""
    is_dumped = "dumped" in contents.features
    if is_dumped:
        hits = _hits_in_dumped(hits, exchange, violated)
    # By these, each step first asks whether it is about any hit.
    broken = frozenset([rule_hit.rule for rule_hit in hits])
    hits = with_stand_ins(hits, broken)
    if is_dumped or not broken <= active:
        hits = _hits_that_count(hits, active, contents.expected, is_dumped=is_dumped)
    hits = without_overwritten(hits, broken, exchange)
    if trace is not None:
        hits = without_lacks_of_stream(hits, broken, trace, folded, exchange, is_dumped=is_dumped)
    elif "completion" in contents.kinds:
        hits = without_lacks_of_completion(hits, broken)
    return without_consequences(hits, broken, is_left=exchange.http.left)


def _hits_in_dumped(
    hits: list[RuleHit], exchange: Exchange, violated: Callable[[str, object], ViolationSet]
) -> list[RuleHit]:
    """Return the hits in an exchange that a program wrote anew: its nulls may stand for what was not sent."""
    from isogloss.validator.examining.dumped import (  # most exchanges are as they were sent
        lacks_of_dumped,
        lacks_of_dumped_chunks,
        without_marks_of_fold,
        without_omitted_nulls,
        without_options_of_store,
        without_unknown_nulls,
    )

    answer = exchange.response
    if isinstance(answer, Payload) and answer.kind == "completion":
        hits += lacks_of_dumped(answer, hits, lambda kind, value: violated(kind, value).violations)
        hits = without_options_of_store(answer, hits)
        if exchange.asks_for_stream:
            hits = without_marks_of_fold(hits)
    elif isinstance(answer, Stream):
        hits += lacks_of_dumped_chunks(hits)
    hits = without_omitted_nulls(answer, hits)
    return hits if exchange.request is None else without_unknown_nulls(exchange.request, hits)


def _hits_that_count(
    hits: list[RuleHit], active: frozenset[str], expected: frozenset[str], *, is_dumped: bool
) -> list[RuleHit]:
    """Return the hits of rules that count, without those about the wire if the exchange does not show the wire."""
    return [
        rule_hit
        for rule_hit in hits
        if (rule_hit.rule in active or rule_hit.rule in expected)
        and not (is_dumped and rules.is_about_wire(rule_hit.rule))
    ]
