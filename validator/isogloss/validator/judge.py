"""The one road from an exchange to its findings: text, schema, rules; then each finding is placed in the capture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from isogloss.validator import jsontext, rules
from isogloss.validator.contract import violations
from isogloss.validator.engines import Engine
from isogloss.validator.exchange import Event, Exchange, Payload, Stream
from isogloss.validator.findings import Finding, Severity
from isogloss.validator.fold import Folded, fold
from isogloss.validator.pairing import Pair
from isogloss.validator.placing import Part, Placer
from isogloss.validator.rules import Hit
from isogloss.validator.trace import Trace
from isogloss.validator.views import Completion, Request

__all__ = ["Judge", "RuleFailed", "Verdict"]


class RuleFailed(Exception):
    """A rule raised: a bug in isogloss. Names the rule and the place of the exchange."""


class Found(NamedTuple):
    """A hit, the rule it is of, and the part of the exchange its pointer is relative to."""

    rule: str
    hit: Hit
    part: Part


@dataclass(slots=True)
class Verdict:
    """What was looked at in one exchange, and what was found: payloads by kind, streams, and the findings in order."""

    payloads: Counter[str] = field(default_factory=Counter)
    streams: int = 0
    findings: list[Finding] = field(default_factory=list)


class Judge:
    """Judges exchanges, one at a time and each by itself.

    ``active`` are the names of the rules whose findings count; all of them by default. ``severities`` overrides the
    severity of single rules.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        active: Collection[str] | None = None,
        severities: dict[str, Severity] | None = None,
    ) -> None:
        self._engine = engine
        self._active = frozenset(rules.names() if active is None else active)
        self._severities = severities or {}

    def judge(self, exchange: Exchange) -> Verdict:
        """Check one exchange. Raises :class:`RuleFailed` when a rule does, which no input should bring about."""
        verdict = Verdict()
        found: list[Found] = []
        request = completion = trace = folded = None
        found.extend(self._run("wire", exchange, Part.WIRE, exchange))
        if exchange.request is not None:
            found.extend(self._payload(exchange, exchange.request, Part.REQUEST, verdict))
            if isinstance(exchange.request.value, dict):
                request = Request(exchange.request.value)
                found.extend(self._run("request", request, Part.REQUEST, exchange))
        body = exchange.response.body if exchange.response is not None else None
        if isinstance(body, Payload):
            found.extend(self._payload(exchange, body, Part.RESPONSE, verdict))
            if body.kind == "completion" and isinstance(body.value, dict):
                completion = Completion(body.value)
                found.extend(self._run("completion", completion, Part.RESPONSE, exchange))
        elif isinstance(body, Stream):
            trace = Trace(body)
            found.extend(self._stream(body, trace, exchange, verdict))
            folded = fold(trace)
            if folded is not None:
                completion = Completion(folded.value, folded=True)
                found.extend(self._folded(folded, completion, found, exchange))
        if request is not None and exchange.response is not None:
            found.extend(
                self._run(
                    "pair",
                    Pair(request, completion, trace, exchange),
                    Part.FOLDED if folded else Part.RESPONSE,
                    exchange,
                )
            )
        found = _unreplaced([one for one in found if one.rule in self._active])
        if found:
            verdict.findings = self._findings(exchange, found, folded)
        return verdict

    def _run(self, group: str, subject: object, part: Part, exchange: Exchange) -> Iterator[Found]:
        for name, check in rules.checks(group):
            if name in self._active:
                yield from _guarded(name, check, subject, part, exchange)

    def _payload(self, exchange: Exchange, payload: Payload, part: Part, verdict: Verdict) -> Iterator[Found]:
        verdict.payloads[payload.kind] += 1
        if not payload.sound and _first_of_its_text(exchange, part):
            for fault in jsontext.scan(payload.text.data).faults:
                yield Found(fault.rule, Hit(fault.message, offset=fault.offset), part)
        shapeless = payload.kind == "error" and not (
            isinstance(payload.value, dict) and isinstance(payload.value.get("error"), dict)
        )
        if (
            payload.value is not jsontext.MISSING and not shapeless
        ):  # the rule error-shape speaks of what is no error object at all
            for rule, hit in violations(self._engine, payload.kind, payload.value):
                yield Found(rule, hit, part)

    def _stream(self, stream: Stream, trace: Trace, exchange: Exchange, verdict: Verdict) -> Iterator[Found]:
        verdict.streams += 1
        valid = self._engine.valid
        for number, value in enumerate(stream.values):
            if isinstance(value, Event):
                continue
            kind = "error" if isinstance(value, dict) and value.get("error") else "chunk"
            verdict.payloads[kind] += 1
            if not valid(kind, value):
                for rule, hit in violations(self._engine, kind, value, number):
                    yield Found(rule, hit, Part.STREAM)
        for number in sorted(stream.unsound):
            if not isinstance(stream.values[number], Event):
                yield from (Found(rule, hit, Part.STREAM) for rule, hit in _faults(stream, number))
        yield from self._run("stream", trace, Part.STREAM, exchange)

    def _folded(
        self, folded: Folded, completion: Completion, so_far: Iterable[Found], exchange: Exchange
    ) -> Iterator[Found]:
        """What is wrong with the whole that a stream amounts to; its contract only where no chunk is known to break it."""
        sound = all(self._severity(one.rule, one.hit) < Severity.ERROR for one in so_far)
        if sound and not self._engine.valid("completion", folded.value):
            for rule, hit in violations(self._engine, "completion", folded.value):
                if self._severity(rule, hit) is Severity.ERROR:
                    yield Found(rule, hit, Part.FOLDED)
        yield from self._run("completion", completion, Part.FOLDED, exchange)

    def _severity(self, rule: str, hit: Hit) -> Severity:
        return self._severities.get(rule) or hit.severity or rules.rule(rule).severity

    def _findings(self, exchange: Exchange, found: list[Found], folded: Folded | None) -> list[Finding]:
        """Place what was found; the same thing on many chunks of the stream becomes one finding with a count."""
        placer = Placer(exchange, folded)
        counts: Counter[tuple[object, ...]] = Counter()
        first: dict[tuple[object, ...], Found] = {}
        for number, one in enumerate(found):
            path, kind = placer.path_and_kind(one.part, one.hit)
            key = (one.rule, kind, path, one.hit.message, None if one.hit.event is not None else number)
            counts[key] += 1
            first.setdefault(key, one)
        findings = [
            placer.finding(one.rule, self._severity(one.rule, one.hit), one.part, one.hit, counts[key])
            for key, one in first.items()
        ]
        return sorted(
            findings,
            key=lambda finding: (
                finding.source.line,
                finding.source.column,
                -finding.severity,
                finding.rule,
                finding.pointer,
            ),
        )


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


def _first_of_its_text(exchange: Exchange, part: Part) -> bool:
    """Whether the faults of the payload's text are this payload's to report: a record's or an array's are told once."""
    if (
        part is Part.RESPONSE
        and exchange.request is not None
        and isinstance(body := exchange.response and exchange.response.body, Payload)
    ):
        return body.text is not exchange.request.text
    return not exchange.at or exchange.at[-1] == 0


def _faults(stream: Stream, number: int) -> Iterator[tuple[str, Hit]]:
    if stream.framing is None and stream.lines is None:
        if number == 0:
            for fault in jsontext.scan(stream.text.data).faults:
                yield fault.rule, Hit(fault.message, offset=fault.offset)
        return
    for fault in jsontext.scan(_data(stream, number)).faults:
        yield fault.rule, Hit(fault.message, event=number, offset=fault.offset)


def _data(stream: Stream, number: int) -> bytes:
    return stream.framing.events[number].data if stream.framing is not None else stream.lines[number].data  # type: ignore[index]
