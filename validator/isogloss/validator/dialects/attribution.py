"""Whose dialect an exchange speaks: naive Bayes over what was observed, one verdict an exchange.

For a dialect *d*, the score is the sum, in nats, of

* each deviation found: the logarithm of how often *d* shows it, where *d* knows it, and of ``UNEXPLAINED`` where not;
* each deviation or behaviour that *d* shows often but that is missing here, though its place is there: the logarithm of
  how often it is missing;
* each place at which any dialect has a fingerprint: if what stands there is one of *d*'s, the logarithm of how often
  *d* shows it; if not, of how seldom it shows none of its own; and of ``UNCLAIMED`` where *d* says nothing of the
  place;
* ``ASKED_FOR`` for each extension of *d* that the request uses: somebody expected *d* to answer;
* the host, where the capture tells it: ``HOST`` for the dialects that own it;
* ``NOTHING_OF_ITS_OWN`` for a dialect of which nothing at all is seen, neither fact nor form nor host;
* ``REFERENCE_HEADSTART`` for the reference, so that a plain payload is plain OpenAI, and ``SHAPE_HANDICAP`` for shapes
  without a known speaker, which explain what many speakers do.

Facts marked unverified count for nothing, nor do values that a recorder overwrote. Confidence is the share of
``exp(score)`` among all dialects; on recorded traffic it errs on the cautious side (scripts/measure_dialects.py counts
how often each confidence is right). Dialects whose confidence is at least ``TIE`` times the first's are tied with it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Protocol

from isogloss.validator.dialects.explanations import Explanations, Facts, Observed, fact, observe
from isogloss.validator.dialects.fingerprint_index import Forms, fingerprinted, places
from isogloss.validator.dialects.model import Behaviour, Deviation, Dialect, Fact
from isogloss.validator.dialects.places import Document, documents, redacted, steps_of, values, values_at
from isogloss.validator.dialects.restrictions import hits
from isogloss.validator.examining.examiner import Examined, Found
from isogloss.validator.examining.placing import Part
from isogloss.validator.rules import Hit, group_of

__all__ = ["SURE", "Attribution", "Candidate", "Evidence", "Explained", "Fixed", "Speaker", "Whichever"]

UNEXPLAINED = math.log(0.005)
UNCLAIMED = math.log(0.15)
HOST = 5.0
ASKED_FOR = 1.0
REFERENCE_HEADSTART = 2.0
SHAPE_HANDICAP = -4.0
NOTHING_OF_ITS_OWN = -3.0
SURE = 0.9
"""The confidence from which on an attribution is called sure, and may contradict a host."""
STRANGE = 2
"""So many deviations unexplained, and more than are explained, and the dialect is none that is known."""
TIE = 0.5
"""A dialect is tied with the first when its confidence is at least this share of the first's."""

_LEAST, _MOST = 0.02, 0.98
_OFTEN = 0.5


class Evidence(NamedTuple):
    """One reason for or against a dialect: what it is about, how it stands to the dialect, and its weight in nats."""

    what: str
    how: str
    weight: float


class Candidate(NamedTuple):
    """A dialect with its confidence, from 0 to 1, and the evidence, strongest first."""

    slug: str
    confidence: float
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True)
class Attribution:
    """The candidates, most likely first.

    ``contradicts`` is the dialect that the host stands for when the body speaks another.
    """

    candidates: tuple[Candidate, ...]
    contradicts: str | None = None

    @property
    def first(self) -> Candidate:
        """The most likely dialect."""
        return self.candidates[0]

    @cached_property
    def sure(self) -> bool:
        """Whether the most likely dialect is surely it: likelier than all others, and no stranger to what was seen."""
        return self.first.confidence >= SURE and not self.foreign

    @cached_property
    def foreign(self) -> bool:
        """Whether even the most likely dialect leaves more unexplained than it explains, and at least ``STRANGE``."""
        hows = [one.how for one in self.first.evidence]
        return hows.count("unexplained") >= max(STRANGE, hows.count("known") + 1)

    @cached_property
    def tied(self) -> tuple[str, ...]:
        """The slugs of the most likely dialect and of those tied with it."""
        least = self.first.confidence * TIE
        return tuple(candidate.slug for candidate in self.candidates if candidate.confidence >= least)


class Explained(NamedTuple):
    """The slug of the dialect spoken, its attribution if one was made, and for each finding who explains it.

    ``found`` are the findings: those of the exchange, those of the speaker itself, and of several events that are
    explained differently a finding each.
    """

    speaks: str
    attribution: Attribution | None
    found: list[Found]
    by: list[tuple[str, ...]]


class Speaker(Protocol):
    """Says whose deviations the findings of an exchange are."""

    def explain(self, examined: Examined) -> Explained:
        """The dialect spoken, and for each finding the slugs of the dialects that explain it.

        What the speaker finds itself is added to ``examined.found`` first.
        """

    def marks(self, kind: str, value: object) -> Callable[[object], Hashable] | None:
        """What besides names and types says who speaks, of payloads with the names and types of this one.

        ``None`` where nothing does.
        """


class Fixed:
    """One dialect, whatever the evidence."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._explanations = Explanations([dialect])
        self._forms = [Forms([dialect], *place) for place in places([dialect])]

    def explain(self, examined: Examined) -> Explained:
        """No attribution; the restrictions that a request does not keep are found, too."""
        known = self._explanations.observe(examined)
        slug = self._dialect.slug
        found = [observed.found for observed, _ in known]
        by: list[tuple[str, ...]] = [(slug,) if facts else () for _, facts in known]
        if examined.exchange.request is not None:
            for hit in hits(self._dialect, examined.exchange.request.value):
                found.append(Found("dialect-restriction", hit, Part.REQUEST))
                by.append((slug,) if self._explanations.facts(observe(examined, found[-1]))[0] else ())
        return Explained(slug, None, found, by)

    def marks(self, kind: str, value: object) -> Callable[[object], Hashable] | None:
        """The forms at the places that these payloads have."""
        return _marks(self._forms, kind, value)


class Whichever:
    """The dialect that the evidence speaks for. ``hosts`` says whether the host is evidence."""

    def __init__(self, dialects: Iterable[Dialect], *, hosts: bool = True) -> None:
        self._dialects = tuple(dialects)
        self._hosts = hosts
        self._places = fingerprinted(self._dialects)
        self._forms = [Forms(self._dialects, *place) for place in places(self._dialects)]
        self._explanations = Explanations(self._dialects)
        self._attributions: dict[object, tuple[Attribution, list[tuple[str, ...]]]] = {}

    def explain(self, examined: Examined) -> Explained:
        """The attribution, and for each finding the tied dialects that explain it."""
        known = self._explanations.observe(examined)
        attribution, by = self._attribution(examined, [one for one, _ in known], [facts for _, facts in known])
        found = [observed.found for observed, _ in known]
        if attribution.contradicts is not None:
            message = f"the host is {attribution.contradicts}'s, the body speaks {attribution.first.slug}"
            found.append(Found("host-contradicted", Hit(message), Part.WIRE))
            by = [*by, _explaining(self._explanations.facts(observe(examined, found[-1]))[0], attribution)]
        return Explained(attribution.first.slug, attribution, found, by)

    def marks(self, kind: str, value: object) -> Callable[[object], Hashable] | None:
        """The forms at the places that these payloads have."""
        return _marks(self._forms, kind, value)

    def _attribution(
        self, examined: Examined, observed: Sequence[Observed], facts: Sequence[Facts]
    ) -> tuple[Attribution, list[tuple[str, ...]]]:
        """As :meth:`_attribute`, which is asked once of all exchanges that are alike in everything it looks at.

        And for each finding the tied dialects that explain it, which are alike, too.
        """
        docs = list(documents(examined.exchange))
        kinds = {kind for kind, _ in docs}
        alike = (
            examined.exchange.host,
            tuple([(one.rule, one.kind, one.path, id(same)) for one, same in zip(observed, facts, strict=True)]),
            tuple([forms.shown(docs) for forms in self._forms if not kinds.isdisjoint(forms.kinds)]),
            tuple([(kind, _shape(document, _DEEPEST)) for kind, document in docs]),
        )
        found = self._attributions.get(alike)
        if found is None:
            if len(self._attributions) > _MOST_REMEMBERED:
                self._attributions.clear()
            attribution = self._attribute(examined, observed)
            found = self._attributions[alike] = attribution, [_explaining(one, attribution) for one in facts]
        return found

    def _attribute(self, examined: Examined, observed: Sequence[Observed]) -> Attribution:
        distinct = {(one.rule, one.kind, one.path): one for one in reversed(observed)}
        docs = list(documents(examined.exchange))
        shown = {place: [value for value in values_at(docs, *place) if not redacted(value)] for place in self._places}
        host = examined.exchange.host if self._hosts else None
        scored = []
        for dialect in self._dialects:
            evidence = list(_evidence(dialect, distinct, docs, shown, host))
            scored.append((dialect, sum(one.weight for one in evidence), evidence))
        best = max(score for _, score, _ in scored)
        weights = [math.exp(score - best) for _, score, _ in scored]
        candidates = sorted(
            (
                Candidate(
                    dialect.slug, weight / sum(weights), tuple(sorted(evidence, key=lambda one: -abs(one.weight)))
                )
                for (dialect, _, evidence), weight in zip(scored, weights, strict=True)
            ),
            key=lambda candidate: (-candidate.confidence, candidate.slug),
        )
        attribution = Attribution(tuple(candidates))
        owner = next((dialect.slug for dialect in self._dialects if host is not None and dialect.speaks_at(host)), None)
        contradicted = owner is not None and owner not in attribution.tied and attribution.sure
        return replace(attribution, contradicts=owner) if contradicted else attribution


def _marks(forms: Iterable[Forms], kind: str, value: object) -> Callable[[object], Hashable] | None:
    there = [one for one in forms if kind in one.kinds and one.there(value)]
    return (lambda other: tuple([one.marks(other) for one in there])) if there else None


def _explaining(facts: Facts, attribution: Attribution) -> tuple[str, ...]:
    """The tied dialects among those that explain a finding."""
    return tuple(dialect.slug for dialect, _ in facts if dialect.slug in attribution.tied)


_MOST_REMEMBERED = 4096
_DEEPEST = 16
"""Levels of a payload that a fact can be about, and more."""


def _shape(value: object, levels: int) -> object:
    """Which members a document has, down to some level, and of an array which different items."""
    if isinstance(value, dict) and levels:
        inner = [
            (name, _shape(part, levels - 1)) for name, part in value.items() if type(part) is dict or type(part) is list
        ]
        return tuple(value), tuple(inner)
    if isinstance(value, list) and levels:
        return frozenset([_shape(item, levels - 1) for item in value]), len(value) > 0
    return None


def _evidence(
    dialect: Dialect,
    distinct: Mapping[tuple[str, str, str], Observed],
    docs: Sequence[Document],
    shown: Mapping[tuple[frozenset[str], str], list[object]],
    host: str | None,
) -> Iterator[Evidence]:
    if dialect.kind == "shape":
        yield Evidence("the dialect", "a shape without a known speaker", SHAPE_HANDICAP)
    if dialect.kind == "reference":
        yield Evidence("the dialect", "the reference", REFERENCE_HEADSTART)
    own_marks = dialect.kind == "reference"
    if host is not None and dialect.speaks_at(host):
        own_marks = True
        yield Evidence(f"host {host}", "its own", HOST)
    seen: set[int] = set()
    for observed in distinct.values():
        what = f"{observed.rule} at {observed.kind} {observed.path}".rstrip()
        known = fact(dialect, observed)
        if observed.kind == "request":
            if known is not None:  # else it is the client's doing and says nothing
                yield Evidence(what, "asked for", ASKED_FOR)
        elif known is None:
            yield Evidence(what, "unexplained", UNEXPLAINED)
        else:
            own_marks = True
            seen.add(id(known))
            yield Evidence(what, "known", math.log(_clamp(known.frequency)))
    claims: tuple[Deviation | Behaviour, ...] = (*dialect.deviations, *dialect.behaviours)
    for expected in claims:
        if expected.frequency > _OFTEN and expected.decides and id(expected) not in seen and _possible(expected, docs):
            yield Evidence(_named(expected), "not seen", math.log(1 - _clamp(expected.frequency)))
    for (kinds, at), there in shown.items():
        if there:
            own = [one for one in dialect.fingerprints if one.at == at and one.decides and one.kinds & kinds]
            matching = [one.frequency for one in own if any(one.accepts(value) for value in there)]
            what = f"form of {next(iter(kinds))} {at}"
            if matching:
                own_marks = True
                yield Evidence(what, "its own", math.log(_clamp(max(matching))))
            elif own:
                yield Evidence(what, "another's", math.log(1 - _clamp(sum(one.frequency for one in own))))
            else:
                yield Evidence(what, "unclaimed", UNCLAIMED)
    if not own_marks:
        yield Evidence("anything of its own", "not seen", NOTHING_OF_ITS_OWN)


def _named(fact: Deviation | Behaviour) -> str:
    if isinstance(fact, Behaviour):
        return f"{fact.rule} {fact.at}".rstrip()
    return f"{'/'.join(sorted(fact.kinds))} {fact.at}" + (" absent" if fact.absent else "")


def _possible(fact: Fact, docs: Sequence[Document]) -> bool:
    """Whether a fact could have shown in these payloads: its kind is there and so is what holds its place.

    Of the behaviours, only those of a stream are what every stream of a dialect shows; the others have their occasions.
    """
    if isinstance(fact, Behaviour):
        return group_of(fact.rule) == "stream" and any(kind == "chunk" for kind, _ in docs)
    kinds = getattr(fact, "kinds", ())
    holder = steps_of(fact.at)[:-1]
    return any(
        kind in kinds and kind != "request" and any(True for _ in values(document, holder)) for kind, document in docs
    )


def _clamp(frequency: float) -> float:
    return min(max(frequency, _LEAST), _MOST)
