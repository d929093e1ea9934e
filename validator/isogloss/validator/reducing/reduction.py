"""Reduce an exchange to the smallest capture that still has one of its findings.

The judge decides, and it reads the same bytes that would be written. A candidate is accepted if it has a finding of the
same rule, severity, kind and path, and no more errors or warnings than the exchange. The number of candidates that are
judged has a limit, and so has the work that judging them takes, which is counted in bytes and findings. There is no
time limit, so the same exchange always gives the same bytes.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from msgspec.structs import replace

from isogloss.validator import captures, rules
from isogloss.validator.examining.examined import is_rest
from isogloss.validator.exchange import PROBE_PROPERTIES, Exchange, Skipped
from isogloss.validator.findings import Finding, Severity
from isogloss.validator.judging.judge import Judge, UnplacedFinding, Verdict
from isogloss.validator.reducing.capture_values import PROPERTIES, CaptureValues, capture_values, to_bytes
from isogloss.validator.reducing.merging import with_fewer_chunks
from isogloss.validator.reducing.numbered import with_few_choices
from isogloss.validator.reducing.replacing import neutralise
from isogloss.validator.reducing.shrinking import shrink
from isogloss.validator.reducing.trees import with_few_items, without_columns, without_request_options
from isogloss.validator.secrets import mask
from isogloss.validator.streams import split_secrets

__all__ = ["NAME", "Reduction", "reduce", "verdicts"]

NAME = "repro"
"""The file name of a candidate when it is judged."""

_MOST_JUDGED = 20_000
_MOST_WORK = 50_000_000
"""The work that all candidates together may take: a byte is one unit. Candidates of recordings take a tenth of it."""
_WORK_OF_FINDING = 500
_LEAST_WHOLES = 8
"""However large an exchange is, candidates of so many times its size are judged."""
_MANY = 64
"""Arrays and objects with as many items or properties become smaller before anything else is tried."""
_ROUNDS = 4
_HTTP_PROPERTIES = frozenset({*PROBE_PROPERTIES, "status", "content_type", "arrivals", "live"})
_GROUPS_WITHOUT_PATHS = frozenset({"json", "wire"})
"""Groups of rules whose findings have no path in a payload. Their messages distinguish them."""
_VARIABLE_PARTS = re.compile(r"`[^`]*`|\"[^\"]*\"|[\d,.]+|s\b")
"""Parts of a message that may differ between an exchange and its reduced capture: quoted text, numbers, plural `s`."""


class Reduction(NamedTuple):
    """A capture with the finding.

    ``data`` holds its bytes, and ``values`` its values. ``verdict`` and ``finding`` are those of the capture.
    ``judged`` is the number of candidates that were judged. ``ended`` says that a limit ended the search, so that a
    smaller capture may exist.
    """

    data: bytes
    values: CaptureValues
    verdict: Verdict
    finding: Finding
    judged: int
    ended: bool


class _Key(NamedTuple):
    """The properties that the finding of the exchange and that of a candidate must have in common."""

    rule: str
    severity: Severity
    kind: str
    path: str
    message: str


def _key(finding: UnplacedFinding | Finding) -> _Key:
    message = _VARIABLE_PARTS.sub("", finding.message) if rules.group_of(finding.rule) in _GROUPS_WITHOUT_PATHS else ""
    return _Key(finding.rule, finding.severity, finding.kind, finding.path, message)


def _count(found: Iterable[UnplacedFinding]) -> Counter[_Key]:
    counts: Counter[_Key] = Counter()
    for one in found:
        counts[_key(one)] += one.count
    return counts


class _Ended(Exception):
    """Raised in place of an answer after a limit is reached."""


@dataclass(slots=True)
class _Oracle:
    """Judges candidates, until their number or their work reaches a limit. ``best`` is the last that holds.

    ``known`` has the answer for each digest of a candidate: the candidates themselves take too much memory.

    Of the rules ``unlisted``, the exchange has more findings than are listed, so all findings of these are allowed.
    """

    judge: Judge
    target: _Key
    allowed: Counter[_Key]
    unlisted: frozenset[str]
    tell: Callable[[int, int], None]
    most_work: int
    judged: int = 0
    spent: int = 0
    known: dict[bytes, bool] = field(default_factory=dict)
    best: CaptureValues | None = None

    def holds(self, values: CaptureValues) -> bool:
        """Return whether the candidate has the finding, and no more errors and warnings than the exchange.

        Return ``False`` also for a candidate that cannot be encoded, and for one with a secret key that is not masked.
        Raises :class:`_Ended` after a limit is reached.
        """
        if self.judged >= _MOST_JUDGED or self.spent >= self.most_work:
            raise _Ended
        try:
            data = to_bytes(values)
        except UnicodeEncodeError as error:
            self.spent += len(error.object)
            return False
        self.spent += len(data)
        digest = hashlib.blake2b(data).digest()
        if digest not in self.known:
            self.judged += 1
            unplaced = [finding for verdict in verdicts(self.judge, data) for finding in verdict.unplaced]
            self.spent += _WORK_OF_FINDING * len(unplaced)
            found = _count(unplaced)
            has_more = any(
                key.severity > Severity.NOTE and found[key] > self.allowed[key] and key.rule not in self.unlisted
                for key in found
            )
            self.known[digest] = self.target in found and not has_more and mask(data) == data
            if self.known[digest]:
                self.tell(len(data), self.judged)
        if self.known[digest]:
            self.best = values
        return self.known[digest]


def verdicts(judge: Judge, data: bytes) -> list[Verdict]:
    """Return the verdicts on all exchanges in a capture of these bytes, or none if a part of it is not an exchange."""
    found = list(captures.read(captures.Capture(io.BytesIO(data), NAME), None))
    exchanges = [one for one in found if not isinstance(one, Skipped)]
    return [judge.judge(exchange) for exchange in exchanges] if len(exchanges) == len(found) else []


def reduce(
    verdict: Verdict, finding: Finding, judge: Judge, tell: Callable[[int, int], None] = lambda size, judged: None
) -> Reduction | None:
    """Return the smallest capture found that has a finding of the verdict, or ``None`` if no capture of this exchange
    alone has it.

    ``tell`` is called for each candidate that has the finding: with its size in bytes, and with the number of
    candidates that were judged so far.
    """
    exchange = split_secrets.mask_exchange(given := verdict.examined.exchange)
    if exchange.response is not given.response or exchange.dumped:
        # no capture of the exchange alone says that it was dumped: then what a dump explains is found, too
        verdict = judge.judge(replace(exchange, dumped=False))
    target = _key(finding)
    unlisted = frozenset(one.rule for one in verdict.unplaced if is_rest(one.message))
    most_work = max(_MOST_WORK, _LEAST_WHOLES * len(exchange.text.data))
    oracle = _Oracle(judge, target, _count(verdict.unplaced), unlisted, tell, most_work)
    ended = False
    try:
        if (values := next(filter(oracle.holds, _beginnings(exchange, finding)), None)) is not None:
            _reduce(values, oracle)
    except _Ended:
        ended = True
    if oracle.best is None:
        return None
    data = to_bytes(oracle.best)
    for reduced in verdicts(judge, data):
        for one in reduced.findings:
            if _key(one) == target:
                return Reduction(data, oracle.best, reduced, one, oracle.judged, ended)
    raise AssertionError("what was judged to have the finding has it")


def _beginnings(exchange: Exchange, finding: Finding) -> Iterator[CaptureValues]:
    """Yield the captures of the exchange, and before each that has long arrays the same with one item in each of them.

    To judge a large one may take longer than all that follows.
    """
    body = "request" if finding.kind == "request" else "response"
    for values in capture_values(exchange):
        smaller = with_few_items(values.properties, f"/{body}{finding.pointer}", _MANY)
        if smaller is not values.properties:
            yield values._replace(properties=smaller)
        yield values


def _neutralise(properties: dict[str, Any], holds: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Return the properties of a capture with neutral words in them. Those in ``_HTTP_PROPERTIES`` stay as they are."""
    others = {name: value for name, value in properties.items() if name not in _HTTP_PROPERTIES}
    changed: dict[str, Any] = neutralise(others, lambda candidate: holds(properties | candidate), PROPERTIES)
    return properties | changed


def _reduce(values: CaptureValues, oracle: _Oracle) -> None:
    """Make the values smaller in every way, until nothing changes any more or ``_ROUNDS`` rounds are over."""
    steps = (
        with_few_choices, with_fewer_chunks, partial(shrink, least=_MANY), without_columns, shrink, _neutralise,
        without_request_options,
    )  # fmt: skip

    def holds(properties: dict[str, Any]) -> bool:
        return bool(properties) and oracle.holds(values._replace(properties=properties))

    for _ in range(_ROUNDS):
        before = values.properties
        for step in steps:
            values = values._replace(properties=step(values.properties, holds))
        if not values.bare and len(values.properties) == 1 and oracle.holds(values._replace(bare=True)):
            values = values._replace(bare=True)
        if values.properties == before:
            break
