"""Validate one exchange: the text of its payloads, the schema of each payload, and the rules.

Places in the capture are looked up later.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, takewhile
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import replace

from isogloss import schemas
from isogloss.validator import jsontext, rules
from isogloss.validator.engines import Engine, predicate
from isogloss.validator.examining import features
from isogloss.validator.examining.contents import contents_of
from isogloss.validator.examining.examined import MOST_VIOLATIONS, Examined, RuleHit, hit_of_rest
from isogloss.validator.examining.options import OptionsCache
from isogloss.validator.examining.text_items import TextItems
from isogloss.validator.examining.violation_cache import ViolationCache
from isogloss.validator.exchange import Exchange, Kind, NotJson, Payload, Stream
from isogloss.validator.findings import Severity
from isogloss.validator.pointer import Pointer, generic, read
from isogloss.validator.rules import Hit
from isogloss.validator.rules.pairing import Pair
from isogloss.validator.streams.fold import Folded, fold
from isogloss.validator.streams.trace import Trace
from isogloss.validator.text import Text
from isogloss.validator.views import Completion, Request

if TYPE_CHECKING:
    from isogloss.validator.examining.expectations import Expectation, Expectations
    from isogloss.validator.examining.placing import ExchangePart
    from isogloss.validator.examining.schema_findings import Violation

__all__ = ["Examiner", "RuleFailed"]


_Checks: TypeAlias = tuple[tuple[str, rules.Check], ...]
_NO_EVENTS: Mapping[Kind, int] = {}
_MOST_FEATURE_SETS = 4096
"""Sets of features whose checks are remembered, for each group. Real traffic has some hundred such sets."""


class RuleFailed(Exception):
    """A rule raised an exception, which is a bug in isogloss. The message names the rule and the exchange."""


class _ChecksByFeatures(dict[frozenset[str], _Checks]):
    """The active rules of a group by the features of what they read: those that need no other features.

    The rules for a set of features are found when they are asked for, and remembered. Unless they are ``gated`` by what
    they need, all rules are run. Rules ``of_options`` are by themselves, since they read something else.
    """

    def __init__(self, group: str, active: Collection[str], *, gated: bool, of_options: bool = False) -> None:
        self._group = group
        self._active = active
        self._gated = gated
        self._of_options = of_options
        self._read: tuple[frozenset[str], Mapping[frozenset[str], _Checks]] = frozenset(), {}

    def __missing__(self, available: frozenset[str]) -> _Checks:
        if len(self) >= _MOST_FEATURE_SETS:
            self.clear()
        found = [its_checks for needs, its_checks in self._checks_for(available).items() if needs <= available]
        checks = self[available] = tuple(sorted(chain.from_iterable(found), key=itemgetter(0)))
        return checks

    def _checks_for(self, available: frozenset[str]) -> Mapping[frozenset[str], _Checks]:
        """Return, by what they need, the active rules of all folders that were read, and of those with these features.

        What was read is replaced as a whole: another thread never sees a part of a folder.
        """
        read, by_needs = self._read
        folders = [one for one in rules.folders(self._group) if not self._gated or one.needs <= available]
        unread = [one for one in folders if one.path not in read]
        if not unread:
            return by_needs
        by_needs = dict(by_needs)
        for folder in unread:
            for name in folder.names:
                one = rules.rule(name) if name in self._active else None
                if one is not None and one.of_options is self._of_options:
                    needs = frozenset(one.needs if self._gated else ())
                    by_needs[needs] = (*by_needs.get(needs, ()), (name, rules.check_of(name)))
        self._read = read.union([one.path for one in unread]), by_needs
        return by_needs


class Examiner:
    """Validates exchanges, one at a time and each by itself.

    ``active`` holds the names of the rules that count; by default all rules count. ``expected`` are rules of the user's
    own. Without ``shortcuts``, nothing is remembered from one payload to the next, and every rule is run, even if the
    exchange does not have the features that the rule needs. This takes longer, and the findings are the same.
    """

    def __init__(
        self,
        engine: Engine,
        active: Collection[str] | None = None,
        *,
        expected: Iterable[Expectation] = (),
        shortcuts: bool = True,
    ) -> None:
        self._violated = ViolationCache(engine, keep=shortcuts).violations_of
        self._selected = None if active is None else frozenset(active)
        self._active = frozenset(rules.names() if active is None else active)
        active_expectations = [one for one in expected if active is None or one.rule in active]
        self._expectations = _expectations(active_expectations) if active_expectations else None
        self._text_reported: tuple[Text, int, int, int] | None = None
        """The last text with faults, the number of the last exchange in it, and where the part of that one is."""
        self._text_items = TextItems()
        self._last_scan: tuple[Text, jsontext.Scan] | None = None
        self._checks = {group: _ChecksByFeatures(group, self._active, gated=shortcuts) for group in rules.GROUPS}
        self._checks_of_options = _ChecksByFeatures("request", self._active, gated=shortcuts, of_options=True)
        self._options_of = OptionsCache(keep=shortcuts).options_of

    def examine(self, exchange: Exchange) -> Examined:
        """Validate one exchange. Raises :class:`RuleFailed` if a rule raises, which no input should cause."""
        hits: list[RuleHit] = []
        events: Mapping[Kind, int] = _NO_EVENTS
        request = request_features = completion = completion_features = folded = answer_kind = None
        body = exchange.response
        trace = Trace(body) if type(body) is Stream else None
        exchange_features = features.of_exchange(exchange, trace)
        if checks := self._checks["wire"][exchange_features]:
            self._run_rules(checks, exchange, "wire", exchange, hits)
        if exchange.request is not None:
            request, request_features = self._check_request(exchange.request, exchange, hits)
        if isinstance(body, Payload):
            answer_kind = body.kind
            self._check_payload(body, "response", exchange, hits)
            if answer_kind == "completion" and isinstance(body.value, dict) and (body.sound or not self._is_cut(body)):
                completion_features = features.of_completion(body.value)
                checks = self._checks["completion"][completion_features]
                if checks or request is not None:
                    completion = Completion(body.value, request=request)
                    self._run_rules(checks, completion, "response", exchange, hits)
        elif trace is not None:
            stream_features = features.of_stream(trace)
            exchange_features = features.joined(exchange_features, stream_features)
            events = self._check_events(trace, exchange, hits)
            if checks := self._checks["stream"][stream_features]:
                self._run_rules(checks, trace, "stream", exchange, hits)
            folded = fold(trace)
            if folded is not None:
                completion_features = features.of_completion(folded.value)
                completion = Completion(folded.value, folded=True, request=request)
                self._check_folded(folded, hits)
                if checks := self._checks["completion"][completion_features]:
                    self._run_rules(checks, completion, "folded", exchange, hits)
        contents = contents_of(request_features, exchange_features, completion_features, answer_kind, self._selected)
        if request is not None and body is not None and (checks := self._checks["pair"][contents.features]):
            pair = Pair(request, completion, trace)
            self._run_rules(checks, pair, "folded" if folded else "response", exchange, hits)
        if self._expectations is not None:
            unexpected, existing = self._expectations.check(exchange, folded)
            hits += unexpected
            contents = replace(contents, expected=existing)
        if hits:
            from isogloss.validator.examining.remaining import hits_that_remain  # most exchanges have no hits

            hits = hits_that_remain(hits, exchange, contents, trace, folded, self._active, self._violated)
        return Examined(exchange, contents, hits, folded, events)

    def _check_request(
        self, payload: Payload, exchange: Exchange, found: list[RuleHit]
    ) -> tuple[Request, frozenset[str]] | tuple[None, None]:
        """Check a request, and return it with its features, or nothing if it is no object or is cut off."""
        self._check_payload(payload, "request", exchange, found)
        value = payload.value
        if not isinstance(value, dict) or (not payload.sound and self._is_cut(payload)):
            return None, None
        options = self._options_of(value, sound=payload.sound)
        request = Request(value, options.request)
        request_features = features.joined(options.features, features.of_messages(value.get("messages")))
        of_options = options.hits.get(request_features)
        if of_options is None:
            of_options = []
            self._run_rules(self._checks_of_options[request_features], options.request, "request", exchange, of_options)
            options.remember(request_features, of_options)
        checks = self._checks["request"][request_features]
        if of_options:
            hits = [*of_options]
            self._run_rules(checks, request, "request", exchange, hits)
            found += sorted(hits, key=attrgetter("rule"))  # as if all had been run together
        else:
            self._run_rules(checks, request, "request", exchange, found)
        return request, request_features

    def _run_rules(
        self, checks: _Checks, subject: object, part: ExchangePart, exchange: Exchange, found: list[RuleHit]
    ) -> None:
        """Run rules on the subject that they read, and add what they find.

        Of very many hits of one rule, the last says how many more there are. Raises :class:`RuleFailed` if a rule
        raises.
        """
        counts: dict[str, int] = {}
        name = ""
        try:
            for name, check in checks:
                for hit in check(subject):
                    known_count, events = counts.get(name, 0), hit.events
                    counts[name] = known_count + (len(events) or 1)
                    if known_count < MOST_VIOLATIONS:
                        found.append(RuleHit(name, hit, part, events and events[: MOST_VIOLATIONS - known_count]))
        except Exception as error:
            raise RuleFailed(
                f"rule {name} failed on exchange {exchange.number} of {exchange.file}: {error!r}; please report this"
            ) from error
        for name, count in counts.items():
            if count > MOST_VIOLATIONS:
                found.append(RuleHit(name, hit_of_rest(count), part))

    def _check_payload(self, payload: Payload, part: ExchangePart, exchange: Exchange, found: list[RuleHit]) -> None:
        if not payload.sound:
            found.extend(self._find_faults(payload.text, payload.at, exchange, part))
            if payload.value is jsontext.MISSING or self._is_cut(payload):
                return
        kind, value = payload.kind, payload.value
        violations = self._violated(kind, value).violations
        # a value that is no error object at all is reported by the rule error-shape
        if violations and (kind != "error" or (isinstance(value, dict) and isinstance(value.get("error"), dict))):
            if not payload.sound:
                unread = self._scan(payload.text).unread
                violations = tuple(one for one in violations if (*payload.at, *one.hit.pointer) not in unread)
            found += [RuleHit(rule, hit, part) for rule, hit in violations]

    def _check_events(self, trace: Trace, exchange: Exchange, found: list[RuleHit]) -> Mapping[Kind, int]:
        """Check the text and the schema of each event, and return the numbers of chunks and of errors."""
        stream, counts = trace.stream, dict[Kind, int]()
        found.extend(self._find_in_events(trace, counts))
        if stream.framing is None and stream.lines is None:
            if stream.unsound:
                found.extend(self._find_faults(stream.text, stream.at, exchange, "stream"))
        else:
            for number in sorted(stream.unsound):
                text = stream.text_of(number)
                if text is not None and not isinstance(stream.values[number], NotJson):
                    for fault in jsontext.scan(text.data).faults:
                        hit = Hit(fault.message, event=number, offset=fault.offset)
                        found.append(RuleHit(fault.rule, hit, "stream"))
        return counts

    def _find_in_events(self, trace: Trace, counts: dict[Kind, int]) -> Iterable[RuleHit]:
        """Yield a hit for each violation in the events, with the numbers of the events that have it.

        An event whose text has faults gets hits of its own, and one that is cut off gets none. Put the
        numbers of chunks and errors into ``counts``.
        """
        stream = trace.stream
        chunks = _events_of_chunks(trace)
        errors = [one for one in trace.errors if "error" in one[1]]  # the rule error-in-stream reports the others
        counts |= {"chunk": len(chunks), "error": len(trace.errors)}
        found: dict[tuple[Violation, ...], list[int]] = {}
        for violations, numbers in chain(self._runs("chunk", chunks), self._runs("error", errors)):
            unsound = stream.unsound.intersection(numbers)
            for number in sorted(unsound):
                unread = self._unread_pointers(stream, number)
                for rule, hit in violations:
                    if hit.pointer not in unread:
                        yield RuleHit(rule, replace(hit, event=number), "stream", [number])
            if len(unsound) < len(numbers):
                sound = [number for number in numbers if number not in unsound] if unsound else numbers
                found.setdefault(violations, []).extend(sound)
        for violations, numbers in sorted(found.items(), key=lambda one: one[1][0]):
            for rule, hit in violations:
                yield RuleHit(rule, replace(hit, event=numbers[0]), "stream", numbers)

    def _runs(
        self, kind: str, events: Sequence[tuple[int, object]]
    ) -> Iterator[tuple[tuple[Violation, ...], list[int]]]:
        """Yield the violations of each run of events that have the same ones, with the numbers of these events.

        Runs without violations are left out.
        """
        values = [*map(itemgetter(1), events)]
        start = 0
        while start < len(values):
            violated = self._violated(kind, values[start])
            following = map(values.__getitem__, range(start + 1, len(values)))
            end = start + 1 + len([*takewhile(violated.matches, following)])
            if violated.violations:
                yield violated.violations, [number for number, _ in events[start:end]]
            start = end

    def _find_faults(self, text: Text, at: Pointer, exchange: Exchange, part: ExchangePart) -> Iterator[RuleHit]:
        """Yield a hit for each fault of a JSON text that belongs to the payload at a pointer of the text.

        A text holds several payloads if it is a record or an array. Then a recorder wrote the mark before it. A fault
        belongs to the exchange in whose part of the text it stands: each part begins where the one before it ends. In
        this part, it belongs to the last payload that begins before it, or else to the first one.
        """
        scan = self._scan(text)
        bodies = [(scan.offset(body.at), body.at) for body in _faulty_bodies(exchange) if body.text is text]
        bodies.sort(key=itemgetter(0))
        begin = 0
        if self._text_reported is not None and self._text_reported[0] is text:
            _, number_before, begin_before, end_before = self._text_reported
            begin = begin_before if number_before == exchange.number else end_before  # it may be examined again
        end = self._text_items.end(scan, len(exchange.at), *bodies[-1])
        self._text_reported = text, exchange.number, begin, end
        own = scan.offset(at)
        first, following = own == bodies[0][0], [start for start, _ in bodies if start > own]
        for fault in scan.faults:
            if not begin <= fault.offset < end or (at and fault.rule == "json-byte-order-mark"):
                continue
            if (first or own <= fault.offset) and not (following and following[0] <= fault.offset):
                yield RuleHit(fault.rule, Hit(fault.message, offset=fault.offset), part)

    def _scan(self, text: Text) -> jsontext.Scan:
        """Return the scan of a text. It is made once for all payloads in the text."""
        if self._last_scan is None or self._last_scan[0] is not text:
            self._last_scan = (text, jsontext.scan(text.data))
        return self._last_scan[1]

    def _is_cut(self, payload: Payload) -> bool:
        """Return whether the text ends inside a payload that is not sound.

        If so, missing values say nothing about its sender.
        """
        return self._scan(payload.text).cut(payload.at)

    def _unread_pointers(self, stream: Stream, number: int) -> Collection[Pointer]:
        """Return the pointers in an event at which the text has a number that cannot be read."""
        text = stream.text_of(number)
        if text is None:
            event_pointer = (*stream.at, number, *stream.within)
            return {
                pointer[len(event_pointer) :]
                for pointer in self._scan(stream.text).unread
                if pointer[: len(event_pointer)] == event_pointer
            }
        return jsontext.scan(text.data).unread

    def _check_folded(self, folded: Folded, found: list[RuleHit]) -> None:
        """Add the errors of the completion that a stream folds into: no chunk has to show them.

        What was found in a chunk is not added, and neither is what is missing, if it may follow from another error: any
        but that something is there twice. Arguments that are missing in a choice that is finished follow only from a
        gap, which is looked for later.
        """
        if _has_no_error()(folded.value):  # this is faster than to list the violations
            return
        violations = self._violated("completion", folded.value).violations
        errors = [one for one in (RuleHit(*one, "folded") for one in violations) if one.severity is Severity.ERROR]
        has_errors = any(
            one.severity is Severity.ERROR and not rules.rule(one.rule).repeats
            for one in found
            if one.part != "request"
        )
        reported = {(one.rule, _path_in_message(one.hit)) for one in found if one.part == "stream"}
        for one in errors:
            may_follow = has_errors and one.rule in ("missing-property", "null-value")
            if may_follow and one.lacks_arguments:
                may_follow = read(folded.value, (*one.hit.pointer[:2], "finish_reason")) is None
            if not may_follow and (one.rule, _path_in_message(one.hit)) not in reported:
                found.append(one)


@cache
def _has_no_error() -> Callable[[object], bool]:
    """Return a function that tests whether no violation in a completion is an error."""
    return predicate(schemas.validation_document("completion", "errors"))


def _events_of_chunks(trace: Trace) -> Sequence[tuple[int, object]]:
    """Return the values of events that have to be chunks, each with the number of its event.

    They are no errors, but some of them may be no chunks either, or no objects.
    """
    values, cut = trace.stream.values, trace.stream.cut
    no_objects = [(event, values[event]) for event in trace.faulty if not isinstance(values[event], NotJson)]
    others = [*trace.no_chunks, *(one for one in no_objects if one[0] not in cut)]
    return sorted([*trace.chunks, *others], key=itemgetter(0)) if others else trace.chunks


def _faulty_bodies(exchange: Exchange) -> Iterator[Payload | Stream]:
    """Yield the bodies of an exchange whose faults are those of the JSON text around them."""
    for body in (exchange.request, exchange.response):
        if isinstance(body, Payload):
            if not body.sound:
                yield body
        elif isinstance(body, Stream) and body.framing is None and body.lines is None and body.unsound:
            yield body


def _expectations(expected: Iterable[Expectation]) -> Expectations:
    from isogloss.validator.examining.expectations import Expectations  # few runs have any

    return Expectations(expected)


def _path_in_message(hit: Hit) -> str:
    """Return the path of a hit in a chunk or in a completion: the same for a delta as for a message."""
    return generic(hit.pointer).replace("delta", "message")
