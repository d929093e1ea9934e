"""Looking at one exchange from every side: its texts, the schemas, the rules. Nothing is placed or explained yet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from isogloss.validator import jsontext, rules
from isogloss.validator.contract import violations
from isogloss.validator.engines import Engine
from isogloss.validator.exchange import Event, Exchange, Payload, Stream
from isogloss.validator.findings import Severity
from isogloss.validator.fold import Folded, fold
from isogloss.validator.pairing import Pair
from isogloss.validator.placing import Part
from isogloss.validator.rules import Hit
from isogloss.validator.text import Text
from isogloss.validator.trace import Trace
from isogloss.validator.views import Completion, Request

__all__ = ["Examined", "Examiner", "Found", "RuleFailed"]


class RuleFailed(Exception):
    """A rule raised: a bug in isogloss. Names the rule and the place of the exchange."""


class Found(NamedTuple):
    """A hit, the rule it is of, and the part of the exchange its pointer is relative to."""

    rule: str
    hit: Hit
    part: Part

    @property
    def severity(self) -> Severity:
        """How severe it is where no dialect explains it and nobody set it otherwise."""
        return self.hit.severity or rules.rule(self.rule).severity


@dataclass(slots=True)
class Examined:
    """What was looked at in one exchange, payloads by kind and streams, and what was found."""

    exchange: Exchange
    payloads: Counter[str] = field(default_factory=Counter)
    streams: int = 0
    found: list[Found] = field(default_factory=list)
    folded: Folded | None = None


class Examiner:
    """Examines exchanges, one at a time and each by itself. ``active`` names the rules that count, by default all."""

    def __init__(self, engine: Engine, active: Collection[str] | None = None) -> None:
        self._engine = engine
        self._active = frozenset(rules.names() if active is None else active)
        self._told: tuple[Text, int, Part] | None = None

    def examine(self, exchange: Exchange) -> Examined:
        """Look at one exchange. Raises :class:`RuleFailed` when a rule does, which no input should bring about."""
        examined = Examined(exchange)
        found: list[Found] = []
        request = completion = trace = folded = None
        found.extend(self._run("wire", exchange, Part.WIRE, exchange))
        if exchange.request is not None:
            found.extend(self._payload(exchange, exchange.request, Part.REQUEST, examined))
            if isinstance(exchange.request.value, dict):
                request = Request(exchange.request.value)
                found.extend(self._run("request", request, Part.REQUEST, exchange))
        body = exchange.response.body if exchange.response is not None else None
        if isinstance(body, Payload):
            found.extend(self._payload(exchange, body, Part.RESPONSE, examined))
            if body.kind == "completion" and isinstance(body.value, dict):
                completion = Completion(body.value)
                found.extend(self._run("completion", completion, Part.RESPONSE, exchange))
        elif isinstance(body, Stream):
            trace = Trace(body)
            found.extend(self._stream(body, trace, exchange, examined))
            examined.folded = folded = fold(trace)
            if folded is not None:
                completion = Completion(folded.value, folded=True)
                found.extend(self._folded(folded, completion, found, exchange))
        if request is not None and exchange.response is not None:
            pair = Pair(request, completion, trace, exchange)
            found.extend(self._run("pair", pair, Part.FOLDED if folded else Part.RESPONSE, exchange))
        examined.found = _unreplaced([one for one in found if one.rule in self._active])
        return examined

    def _run(self, group: str, subject: object, part: Part, exchange: Exchange) -> Iterator[Found]:
        for name, check in rules.checks(group):
            if name in self._active:
                yield from _guarded(name, check, subject, part, exchange)

    def _payload(self, exchange: Exchange, payload: Payload, part: Part, examined: Examined) -> Iterator[Found]:
        examined.payloads[payload.kind] += 1
        if not payload.sound:
            yield from self._faults(payload.text, exchange, part)
        shapeless = payload.kind == "error" and not (
            isinstance(payload.value, dict) and isinstance(payload.value.get("error"), dict)
        )
        # of what is no error object at all, the rule error-shape speaks
        if payload.value is not jsontext.MISSING and not shapeless:
            for rule, hit in violations(self._engine, payload.kind, payload.value):
                yield Found(rule, hit, part)

    def _stream(self, stream: Stream, trace: Trace, exchange: Exchange, examined: Examined) -> Iterator[Found]:
        examined.streams += 1
        valid = self._engine.valid
        for number, value in enumerate(stream.values):
            if isinstance(value, Event):
                continue
            kind = "error" if isinstance(value, dict) and value.get("error") else "chunk"
            examined.payloads[kind] += 1
            if not valid(kind, value):
                for rule, hit in violations(self._engine, kind, value, number):
                    yield Found(rule, hit, Part.STREAM)
        if stream.framing is None and stream.lines is None:
            if stream.unsound:
                yield from self._faults(stream.text, exchange, Part.STREAM)
        else:
            for number in sorted(stream.unsound):
                if not isinstance(stream.values[number], Event):
                    for fault in jsontext.scan(_data(stream, number)).faults:
                        yield Found(fault.rule, Hit(fault.message, event=number, offset=fault.offset), Part.STREAM)
        yield from self._run("stream", trace, Part.STREAM, exchange)

    def _faults(self, text: Text, exchange: Exchange, part: Part) -> Iterator[Found]:
        """The faults of a JSON text, told by the first of the payloads in it, be it a record's or an array's."""
        if self._told is None or self._told[0] is not text:
            self._told = (text, exchange.number, part)
        if self._told == (text, exchange.number, part):
            for fault in jsontext.scan(text.data).faults:
                yield Found(fault.rule, Hit(fault.message, offset=fault.offset), part)

    def _folded(
        self, folded: Folded, completion: Completion, so_far: Iterable[Found], exchange: Exchange
    ) -> Iterator[Found]:
        """What is wrong with what a stream amounts to; by its contract only where no chunk is known to break it."""
        sound = all(one.severity < Severity.ERROR for one in so_far)
        if sound and not self._engine.valid("completion", folded.value):
            for rule, hit in violations(self._engine, "completion", folded.value):
                violation = Found(rule, hit, Part.FOLDED)
                if violation.severity is Severity.ERROR:
                    yield violation
        yield from self._run("completion", completion, Part.FOLDED, exchange)


def _guarded(
    name: str, check: Callable[[object], Iterable[Hit]], subject: object, part: Part, exchange: Exchange
) -> Iterator[Found]:
    try:
        hits = list(check(subject))
    except Exception as error:
        raise RuleFailed(
            f"rule {name} failed on exchange {exchange.number} of {exchange.file}: {error!r}; please report this"
        ) from error
    for hit in hits:
        yield Found(name, hit, Part.REQUEST if hit.on == "request" else part)


def _unreplaced(found: list[Found]) -> list[Found]:
    """Without the findings of the schema where a rule says the same of the same place, more precisely."""
    replaced = {
        (name, one.part, one.hit.event, one.hit.pointer) for one in found for name in rules.rule(one.rule).replaces
    }
    if not replaced:
        return found
    return [one for one in found if (one.rule, one.part, one.hit.event, one.hit.pointer) not in replaced]


def _data(stream: Stream, number: int) -> bytes:
    return stream.framing.events[number].data if stream.framing is not None else stream.lines[number].data  # type: ignore[index]
