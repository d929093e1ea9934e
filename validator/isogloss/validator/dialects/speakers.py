"""Whose deviations the findings of an exchange are: one dialect's that was asked for, or those of the one it speaks."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple, Protocol

from isogloss.validator.dialects.attribution import Attribution, Recogniser
from isogloss.validator.dialects.eras import Eras, moment
from isogloss.validator.dialects.explanations import Explanations, Facts, observe
from isogloss.validator.dialects.model import Dialect
from isogloss.validator.dialects.payload_features import Features, PayloadFeatures
from isogloss.validator.dialects.places import documents, overwritten
from isogloss.validator.dialects.restrictions import hits
from isogloss.validator.dialects.weights import Observation
from isogloss.validator.examining.found import Examined, Found
from isogloss.validator.examining.placing import Part
from isogloss.validator.rules import Hit

__all__ = ["AutoSpeaker", "Explained", "FixedSpeaker", "Speaker"]

_MOST_REMEMBERED = 4096


class Explained(NamedTuple):
    """The slug of the dialect that is spoken, its attribution if one was made, and who explains each finding.

    ``found`` holds the findings of the exchange, and after them those that the speaker adds. If the events of a finding
    have different explanations, ``found`` holds it in several parts. ``by`` holds, for each item of ``found``, the
    slugs of the dialects that explain it.
    """

    speaks: str
    attribution: Attribution | None
    by: list[tuple[str, ...]]
    found: list[Found]


class Speaker(Protocol):
    """Says whose deviations the findings of an exchange are."""

    def explain(self, examined: Examined) -> Explained:
        """Decide which dialect is spoken, and which dialects explain each finding."""


class FixedSpeaker:
    """One dialect, whatever the evidence."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._explanations = Explanations([dialect])

    def explain(self, examined: Examined) -> Explained:
        """Explain the findings by the one dialect, without an attribution.

        Add a finding for each value of the request that breaks a restriction of the dialect.
        """
        known = self._explanations.observe(examined)
        found = [observed.found for observed, _ in known]
        explained = [facts for _, facts in known]
        if examined.exchange.request is not None:
            for hit in hits(self._dialect, examined.exchange.request.value):
                found.append(Found("dialect-restriction", hit, Part.REQUEST))
                explained.append(self._explanations.facts(observe(examined, found[-1])))
        slug = self._dialect.slug
        return Explained(slug, None, [(slug,) if facts else () for facts in explained], found)


class AutoSpeaker:
    """Explains findings by the dialect that the evidence surely speaks for; without one, it explains nothing.

    ``hosts`` says whether the host is evidence. Exchanges with the same observations share one attribution; with
    ``remember=False``, it is made anew for each exchange, with the same result. ``explanations`` holds the explanations
    of all its dialects.
    """

    def __init__(self, dialects: Iterable[Dialect], *, hosts: bool = True, remember: bool = True) -> None:
        self._dialects = tuple(dialects)
        self._hosts = hosts
        self._remember = remember
        self.explanations = Explanations(self._dialects)
        self._features = PayloadFeatures(self._dialects)
        self._eras = Eras(self._dialects)
        self._recogniser = Recogniser(self._dialects, self._features)
        self._attributions: dict[tuple[frozenset[Observation], Features, str | None, float | None], Attribution] = {}

    def explain(self, examined: Examined) -> Explained:
        """Attribute the exchange to a dialect. If this is sure, explain its findings by that dialect.

        The dialect that surely stands behind it explains findings, too. If the host contradicts the body, add a finding
        of the rule ``host-contradicted``.
        """
        known = self.explanations.observe(examined)
        found = [observed.found for observed, _ in known]
        facts = [one for _, one in known]
        observations = frozenset(
            Observation(one.rule, one.kind, one.path, explaining)
            for one, explaining in known
            if one.kind != "request" and not overwritten(one.payload, one.path, one.value)
        )
        exchange = examined.exchange
        docs = list(documents(exchange))
        attribution = self._attribution(
            observations,
            self._features.of(docs),
            exchange.host if self._hosts and exchange.host and self._recogniser.owners(exchange.host) else None,
            self._eras.era(moment(docs, exchange.recorded)),
        )
        if attribution.contradicts is not None:
            message = f"the host is {attribution.contradicts}'s, the body speaks {attribution.speaks}"
            found.append(Found("host-contradicted", Hit(message), Part.WIRE))
            facts.append(self.explanations.facts(observe(examined, found[-1])))
        if not attribution.sure:
            return Explained(attribution.speaks, attribution, [()] * len(facts), found)
        chain = attribution.chain
        return Explained(attribution.speaks, attribution, [_among(chain, one) for one in facts], found)

    def _attribution(
        self, observed: frozenset[Observation], features: Features, host: str | None, when: float | None
    ) -> Attribution:
        if not self._remember:
            return self._recogniser.attribute(observed, features, host, when)
        key = observed, features, host, when
        attribution = self._attributions.get(key)
        if attribution is None:
            if len(self._attributions) > _MOST_REMEMBERED:
                self._attributions.clear()
            attribution = self._attributions[key] = self._recogniser.attribute(*key)
        return attribution


@lru_cache(_MOST_REMEMBERED)
def _among(named: tuple[str, ...], known: Facts) -> tuple[str, ...]:
    """Return those of the named slugs whose dialect has a fact here."""
    explaining = {one.slug for one, _ in known}
    return tuple(slug for slug in named if slug in explaining)
