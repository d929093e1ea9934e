"""Looking at one exchange from every side: its texts, the schemas, the rules. Nothing is placed or explained yet."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple, TypeAlias

from isogloss.validator import jsontext, rules
from isogloss.validator.engines import Engine
from isogloss.validator.examining import features
from isogloss.validator.examining.consequences import without_consequences
from isogloss.validator.examining.placing import Part
from isogloss.validator.examining.schema_findings import violations
from isogloss.validator.exchange import Exchange, NotJson, Payload, Stream
from isogloss.validator.findings import Severity
from isogloss.validator.pointer import Pointer
from isogloss.validator.rules import Hit
from isogloss.validator.rules.pairing import Pair
from isogloss.validator.streams.fold import Folded, fold
from isogloss.validator.streams.trace import Trace, error_events, is_error
from isogloss.validator.text import Text
from isogloss.validator.views import Completion, Request

__all__ = ["Examined", "Examiner", "Found", "RuleFailed"]


_Checks: TypeAlias = tuple[tuple[str, rules.Check], ...]


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


class Examined:
    """What was looked at in one exchange, payloads by kind and streams, and what was found."""

    __slots__ = ("exchange", "folded", "found", "payloads", "streams")

    def __init__(self, exchange: Exchange) -> None:
        self.exchange = exchange
        self.payloads: dict[str, int] = {}
        self.streams = 0
        self.found: list[Found] = []
        self.folded: Folded | None = None


class Examiner:
    """Examines exchanges, one at a time and each by itself. ``active`` names the rules that count, by default all."""

    def __init__(self, engine: Engine, active: Collection[str] | None = None) -> None:
        self._engine = engine
        self._valid = engine.valid
        self._active = frozenset(rules.names() if active is None else active)
        self._told: tuple[Text, int, Part] | None = None
        self._scanned: tuple[Text, jsontext.Scan] | None = None
        self._checks: dict[str, dict[frozenset[str], _Checks]] = {group: {} for group in rules.GROUPS}

    def ordinary(self, value: dict[str, Any]) -> bool:
        """Whether no rule but those of the schema has anything to look for in a completion by itself."""
        return features.of_completion(value) is features.NONE

    def conforms(self, value: object) -> bool:
        """Whether a completion breaks no rule of the schema."""
        return self._valid("completion", value)

    def fits(self, value: object) -> bool:
        """Whether a completion breaks no rule of the schema but those on names and types."""
        return self._engine.fits("completion", value)

    def examine(self, exchange: Exchange) -> Examined:
        """Look at one exchange. Raises :class:`RuleFailed` when a rule does, which no input should bring about."""
        examined = Examined(exchange)
        request = completion = trace = folded = None
        has = features.NONE
        if asked := self._asked("wire", features.of_exchange(exchange)):
            self._run(asked, exchange, Part.WIRE, examined)
        if exchange.request is not None:
            self._payload(exchange, exchange.request, Part.REQUEST, examined)
            if isinstance(exchange.request.value, dict) and not self._cut(exchange.request):
                request = Request(exchange.request.value)
                self._run(self._asked("request", features.NONE), request, Part.REQUEST, examined)
        body = exchange.response.body if exchange.response is not None else None
        if isinstance(body, Payload):
            self._payload(exchange, body, Part.RESPONSE, examined)
            if body.kind == "completion" and isinstance(body.value, dict) and (body.sound or not self._cut(body)):
                has = features.of_completion(body.value)
                asked = self._asked("completion", has)
                if asked or request is not None:  # most often nobody wants to look at it
                    completion = Completion(body.value)
                    self._run(asked, completion, Part.RESPONSE, examined)
        elif isinstance(body, Stream):
            trace = Trace(body)
            self._stream(body, trace, exchange, examined)
            examined.folded = folded = fold(trace)
            if folded is not None:
                has = features.of_completion(folded.value)
                completion = Completion(folded.value, folded=True)
                self._folded(folded, examined)
                self._run(self._asked("completion", has), completion, Part.FOLDED, examined)
        if request is not None and exchange.response is not None:
            asked = self._asked("pair", features.of_pair(has, streamed=trace is not None))
            pair = Pair(request, completion, trace, exchange)
            self._run(asked, pair, Part.FOLDED if folded else Part.RESPONSE, examined)
        if examined.found:
            examined.found = without_consequences([one for one in examined.found if one.rule in self._active])
        return examined

    def _asked(self, group: str, has: frozenset[str]) -> _Checks:
        """The active rules of a group that need no more than these features."""
        if not has and group in rules.GATED:
            return ()
        asked = self._checks[group].get(has)
        if asked is None:
            asked = self._checks[group][has] = tuple(
                (name, check)
                for name, check in rules.checks(group)
                if name in self._active and has.issuperset(rules.rule(name).needs)
            )
        return asked

    def _run(self, asked: _Checks, subject: object, part: Part, examined: Examined) -> None:
        found = examined.found
        name = ""
        try:
            for name, check in asked:
                for hit in check(subject):
                    found.append(Found(name, hit, Part.REQUEST if hit.on == "request" else part))
        except Exception as error:
            exchange = examined.exchange
            raise RuleFailed(
                f"rule {name} failed on exchange {exchange.number} of {exchange.file}: {error!r}; please report this"
            ) from error

    def _payload(self, exchange: Exchange, payload: Payload, part: Part, examined: Examined) -> None:
        kind, value, sound = payload.kind, payload.value, payload.sound
        examined.payloads[kind] = examined.payloads.get(kind, 0) + 1
        if not sound:
            examined.found.extend(self._faults(payload.text, exchange, part))
        if value is jsontext.MISSING or self._valid(kind, value) or self._cut(payload):
            return
        # of what is no error object at all, the rule error-shape speaks
        if kind != "error" or (isinstance(value, dict) and isinstance(value.get("error"), dict)):
            unread = () if sound else self._scan(payload.text).unread
            examined.found.extend(
                Found(rule, hit, part)
                for rule, hit in violations(self._engine, kind, value)
                if not unread or (*payload.at, *hit.pointer) not in unread
            )

    def _stream(self, stream: Stream, trace: Trace, exchange: Exchange, examined: Examined) -> None:
        found = examined.found
        examined.streams += 1
        valid, counts, errors = self._engine.valid, examined.payloads, error_events(stream)
        for number, value in enumerate(stream.values):
            if isinstance(value, NotJson):
                continue
            kind = "error" if is_error(value) or number in errors else "chunk"
            counts[kind] = counts.get(kind, 0) + 1
            if kind == "error" and isinstance(value, dict) and "error" not in value:
                continue  # of an error that has no error object, the rule error-in-stream speaks
            if not valid(kind, value) and not (number in stream.unsound and self._cut_event(stream, number)):
                unread = self._unread(stream, number) if number in stream.unsound else ()
                found.extend(
                    Found(rule, hit, Part.STREAM)
                    for rule, hit in violations(self._engine, kind, value, number)
                    if hit.pointer not in unread
                )
        if stream.framing is None and stream.lines is None:
            if stream.unsound:
                found.extend(self._faults(stream.text, exchange, Part.STREAM))
        else:
            for number in sorted(stream.unsound):
                if not isinstance(stream.values[number], NotJson):
                    for fault in jsontext.scan(_data(stream, number)).faults:
                        hit = Hit(_told(fault, _text(stream, number)), event=number, offset=fault.offset)
                        found.append(Found(fault.rule, hit, Part.STREAM))
        self._run(self._asked("stream", features.of_stream(trace)), trace, Part.STREAM, examined)

    def _faults(self, text: Text, exchange: Exchange, part: Part) -> Iterator[Found]:
        """The faults of a JSON text, told by the first of the payloads in it, be it a record's or an array's."""
        if self._told is None or self._told[0] is not text:
            self._told = (text, exchange.number, part)
        if self._told == (text, exchange.number, part):
            for fault in self._scan(text).faults:
                yield Found(fault.rule, Hit(_told(fault, text), offset=fault.offset), part)

    def _scan(self, text: Text) -> jsontext.Scan:
        """The scan of a text, made once for all the payloads in it."""
        if self._scanned is None or self._scanned[0] is not text:
            self._scanned = (text, jsontext.scan(text.data))
        return self._scanned[1]

    def _cut(self, payload: Payload) -> bool:
        """Whether the text ends inside the payload: what it lacks then says nothing about its sender."""
        return not payload.sound and self._scan(payload.text).cut(payload.at)

    def _unread(self, stream: Stream, number: int) -> Collection[Pointer]:
        """The places in an event at which the text has a number that none can read."""
        if stream.framing is None and stream.lines is None:
            at = (*stream.at, number)
            return {place[len(at) :] for place in self._scan(stream.text).unread if place[: len(at)] == at}
        return jsontext.scan(_data(stream, number)).unread

    def _cut_event(self, stream: Stream, number: int) -> bool:
        if stream.framing is None and stream.lines is None:
            return self._scan(stream.text).cut((*stream.at, number))
        return jsontext.scan(_data(stream, number)).cut(())

    def _folded(self, folded: Folded, examined: Examined) -> None:
        """What is wrong with what a stream amounts to; by its contract only where no chunk is known to break it."""
        sound = all(one.severity < Severity.ERROR for one in examined.found)
        if sound and not self._engine.valid("completion", folded.value):
            for rule, hit in violations(self._engine, "completion", folded.value):
                violation = Found(rule, hit, Part.FOLDED)
                if violation.severity is Severity.ERROR:
                    examined.found.append(violation)


def _told(fault: jsontext.Fault, text: Text) -> str:
    """What is said of a fault; of what stands there for a second time, with the place of the first."""
    if fault.repeats is None:
        return fault.message
    first = text.place(fault.repeats)
    return f"{fault.message} on line {first.line}, column {first.column}"


def _text(stream: Stream, number: int) -> Text:
    """The text of an event's data."""
    if stream.framing is None:
        return stream.lines[number]  # type: ignore[index]
    event = stream.framing.events[number]
    if event.segments is not None:
        return Text.derived(event.data, stream.text, event.segments)
    return stream.text.slice(event.offset, event.offset + len(event.data))


def _data(stream: Stream, number: int) -> bytes:
    return stream.framing.events[number].data if stream.framing is not None else stream.lines[number].data  # type: ignore[index]
