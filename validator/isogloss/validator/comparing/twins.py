"""Find differences between answers to the same request that should agree, with the places on both sides."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from isogloss.validator import rules
from isogloss.validator.comparing.answers import ComparedAnswer
from isogloss.validator.comparing.pairing import AnswerGroup
from isogloss.validator.examining.placing import ExchangePart, Placer
from isogloss.validator.excerpts import Excerpt
from isogloss.validator.findings import Finding, Severity, Source
from isogloss.validator.pointer import generic, rfc6901
from isogloss.validator.rules import Hit
from isogloss.validator.rules.twinning import Relation, Twins
from isogloss.validator.views import Request

__all__ = ["TwinDifference", "differences"]


class TwinDifference(NamedTuple):
    """A finding about the right side of twins, the place of the same value on the left, and the sizes of both sides.

    ``answers`` holds the number of answers on the left and on the right. ``excerpt`` shows the value on the right, and
    ``other_excerpt`` the value on the left.
    """

    finding: Finding
    other_source: Source
    by: Relation
    answers: tuple[int, int]
    excerpt: Excerpt | None
    other_excerpt: Excerpt | None


def differences(groups: Iterable[AnswerGroup], active: Collection[str] | None = None) -> Iterator[TwinDifference]:
    """Yield what the rules about twins find in each group; ``active`` names the rules that count, by default all."""
    checks = [(name, check) for name, check in rules.checks("twins") if active is None or name in active]
    for group in groups:
        twins = Twins(
            _request(group),
            [compared.answer for compared in group.left],
            [compared.answer for compared in group.right],
            group.distinction,
        )
        for name, check in checks:
            for hit in check(twins):
                yield _difference(name, hit, group)


def _request(group: AnswerGroup) -> Request | None:
    request = group.left[0].exchange.request
    return Request(request.value) if request is not None and isinstance(request.value, dict) else None


def _difference(rule: str, hit: Hit, group: AnswerGroup) -> TwinDifference:
    right, left = group.right[0], group.left[0]
    source, excerpt = _locate(right, hit)
    other, other_excerpt = _locate(left, replace(hit, pointer=hit.other_pointers[0]) if hit.other_pointers else hit)
    severity: Severity = hit.severity or rules.rule(rule).severity
    finding = Finding(
        rule=rule,
        severity=severity,
        message=hit.message,
        kind="completion" if hit.pointer else "exchange",
        path=generic(hit.pointer),
        pointer=rfc6901(hit.pointer),
        source=source,
    )
    return TwinDifference(
        finding, other, group.distinction, (len(group.left), len(group.right)), excerpt, other_excerpt
    )


def _locate(compared: ComparedAnswer, hit: Hit) -> tuple[Source, Excerpt | None]:
    folded = compared.examined.folded
    part: ExchangePart = "wire" if not hit.pointer else "folded" if folded is not None else "response"
    placer = Placer(compared.exchange, folded)
    return placer.source(part, hit), placer.excerpt(part, hit) if hit.pointer else None
