"""Explain the findings of an exchange: by a given dialect, or by the dialect that the exchange speaks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache
from itertools import chain
from typing import Protocol

from msgspec import Struct

from isogloss.validator.dialects.attribution import MOST_OBSERVATIONS, Attribution, Recogniser
from isogloss.validator.dialects.eras import Eras, moment_of
from isogloss.validator.dialects.explanations import Explanations, Facts, observe
from isogloss.validator.dialects.model import Dialect
from isogloss.validator.dialects.payload_features import PayloadFeatures
from isogloss.validator.dialects.payloads import is_redacted_in, payloads_of
from isogloss.validator.dialects.restrictions import hits
from isogloss.validator.dialects.weights import Observation
from isogloss.validator.examining.examined import Examined, RuleHit
from isogloss.validator.exchange import NotJson, Stream
from isogloss.validator.rules import Hit, rule

__all__ = ["AutoExplainer", "ExplainedHits", "Explainer", "FixedExplainer"]

_MOST_REMEMBERED = 4096


class ExplainedHits(Struct, frozen=True):
    """The findings of an exchange, with the dialects that explain them.

    ``speaks`` is the slug of the dialect that is spoken. ``attribution`` is ``None`` if the dialect was given. ``hits``
    holds the findings of the exchange, and after them those that the explainer adds. If the events of a finding have
    different explanations, ``hits`` holds it in several parts. ``explained_by`` holds, for each item of ``hits``, the
    slugs of the dialects that explain it.
    """

    speaks: str
    attribution: Attribution | None
    explained_by: list[tuple[str, ...]]
    hits: list[RuleHit]


class Explainer(Protocol):
    """Decides which dialects explain the findings of an exchange."""

    def explain(self, examined: Examined) -> ExplainedHits:
        """Decide which dialect is spoken, and which dialects explain each finding."""


class FixedExplainer:
    """Explains findings by one given dialect, whatever the evidence."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._explanations = Explanations([dialect])

    def explain(self, examined: Examined) -> ExplainedHits:
        """Explain the findings by the one dialect, without an attribution.

        Add a finding for each value of the request that breaks a restriction of the dialect.
        """
        observations = self._explanations.observe(examined)
        found = [observed.found for observed, _ in observations]
        explaining = [facts for _, facts in observations]
        if examined.exchange.request is not None:
            for hit in hits(self._dialect, examined.exchange.request.value):
                found.append(RuleHit("dialect-restriction", hit, "request"))
                explaining.append(self._explanations.facts(observe(examined, found[-1])))
        slug = self._dialect.slug
        return ExplainedHits(slug, None, [(slug,) if facts else () for facts in explaining], found)


class AutoExplainer:
    """Explains findings by the dialect that the exchange surely speaks. If no dialect is sure, it explains nothing.

    ``hosts`` says whether the host is evidence. Exchanges with the same observations share one attribution.
    ``explanations`` holds the explanations of all dialects of the explainer. What attributions need besides is made for
    the first one.
    """

    def __init__(self, dialects: Iterable[Dialect], *, hosts: bool = True) -> None:
        self._dialects = tuple(dialects)
        self._hosts = hosts
        self.explanations = Explanations(self._dialects)

    @cached_property
    def _features(self) -> PayloadFeatures:
        return PayloadFeatures(self._dialects)

    @cached_property
    def _eras(self) -> Eras:
        return Eras(chain.from_iterable(dialect.facts for dialect in self._dialects))

    @cached_property
    def _recogniser(self) -> Recogniser:
        return Recogniser(self._dialects, self._features)

    @cached_property
    def _remembered(self) -> Callable[..., Attribution]:
        return lru_cache(_MOST_REMEMBERED)(self._recogniser.attribute)

    def explain(self, examined: Examined) -> ExplainedHits:
        """Attribute the exchange to a dialect. If this is sure, explain its findings by that dialect.

        The dialect that surely stands behind it explains findings, too. If the host contradicts the body, add a finding
        of the rule ``host-contradicted``.
        """
        observed_with_facts = self.explanations.observe(examined)
        found = [observed.found for observed, _ in observed_with_facts]
        explaining = [facts for _, facts in observed_with_facts]
        exchange = examined.exchange
        stream = exchange.response if isinstance(exchange.response, Stream) else None
        observations = frozenset(
            Observation(one.rule, one.kind, one.path, facts)
            for one, facts in observed_with_facts
            if one.kind != "request"
            and not (stream is not None and rule(one.rule).lacks == "finish" and _may_be_beginning(stream))
            and not is_redacted_in(one.payload, one.path, one.value)
        )
        payloads = list(payloads_of(exchange))
        is_remembered = len(observations) <= MOST_OBSERVATIONS
        attribution = (self._remembered if is_remembered else self._recogniser.attribute)(
            observations,
            self._features.of(payloads, dumped="dumped" in examined.contents.features),
            exchange.host if self._hosts and exchange.host and self._recogniser.owners(exchange.host) else None,
            self._eras.era(moment_of(payloads, exchange.recorded)),
            exchange.response is not None,
        )
        if attribution.contradicts is not None:
            message = f"the host belongs to {attribution.contradicts}, and the body speaks {attribution.speaks}"
            found.append(RuleHit("host-contradicted", Hit(message), "wire"))
            explaining.append(self.explanations.facts(observe(examined, found[-1])))
        if not attribution.sure:
            return ExplainedHits(attribution.speaks, attribution, [()] * len(explaining), found)
        speaking = attribution.chain
        slugs = [_explaining_slugs(speaking, facts) for facts in explaining]
        return ExplainedHits(attribution.speaks, attribution, slugs, found)


def _may_be_beginning(stream: Stream) -> bool:
    """Return whether perhaps only the beginning of a stream was captured. Then its missing end is no evidence."""
    return NotJson.DONE not in stream.values


@lru_cache(_MOST_REMEMBERED)
def _explaining_slugs(slugs: tuple[str, ...], facts: Facts) -> tuple[str, ...]:
    """Return those of the slugs whose dialect has one of the facts."""
    explaining = {dialect.slug for dialect, _ in facts}
    return tuple(slug for slug in slugs if slug in explaining)
