"""Join a request on one line of a log with its answer on a later line, where it is certain that they belong together.

It is certain in two cases:

* Both lines have the same id (:mod:`.ids`). In the lines with this id, each request has exactly one answer, before the
  next request; or a gateway logs that it asks an upstream the same before it answers.
* Requests and answers take turns in the whole log, one request and then one answer, the models have the same name, and
  just those requests that ask for a stream got one. If one request has no answer, or one answer no request, requests
  were under way at the same time, or not all of them are in the log. Some are missing, too, if a later request has
  calls in its history where the answer in the log has none. Then the order says nothing any more.

The answer may be one of another API, whose requests look the same. Then the request is one of that API, too, and both
are skipped.

A request in a record that is not read by itself, since it may be a setting or an example, counts here too, and so does
an answer; without its other half, each is skipped as before. Only some exchanges are held back until it is known
whether they are halves of a pair. Only logs that have a request on one of their first lines are looked at, so that a
long file of answers can still be divided, and takes no more time.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator
from itertools import chain, takewhile
from operator import attrgetter

from msgspec import Struct
from msgspec.structs import replace

from isogloss.validator.captures.bodies.status_lines import was_answered
from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.document import Document
from isogloss.validator.captures.structures.objects.halves import Role
from isogloss.validator.captures.structures.side_by_side import half_of
from isogloss.validator.captures.texts.ids import ids_in_record, ids_in_text
from isogloss.validator.captures.texts.turns import ORDER, Held, Turns, are_of_model, first_object
from isogloss.validator.captures.traffic import is_chat_path
from isogloss.validator.decode import Decoded, decode_json
from isogloss.validator.exchange import NO_PROBE, Exchange, Payload, Skipped, Stream
from isogloss.validator.kinds.others import answering_api
from isogloss.validator.text import Text

__all__ = ["FoundOnLine", "are_lines_related", "is_complete", "may_hold_half", "unread_half", "with_pairs"]

_FIRST = 40
"""One of the first so many exchanges that are found must be a request, within :data:`_FIRST_BYTES`."""
_FIRST_BYTES = 1 << 20
"""The first piece of a file that is divided has at least so many bytes."""
_MOST_HELD = 100
"""How many exchanges and skipped parts are held back behind a request, at most."""
_MOST_IDS = 10_000
"""How many ids are remembered."""
_IN_HALVES = (b"messages", b"choices", b'"error')
"""A line that holds a request or an answer has one of these names, also if it holds it in a string."""


class FoundOnLine(Struct, frozen=True, gc=False):
    """What was found on a line: ``value`` is the record or the payload on it. ``bytes_read`` counts up to its end."""

    found: Exchange | Skipped
    line: Text
    value: object
    sound: bool
    bytes_read: int


def with_pairs(capture: Capture, found: Iterable[FoundOnLine]) -> Iterator[Exchange | Skipped]:
    """Yield what was found on lines, with pairs in place of their halves. What follows a pair gets a lower number."""
    remaining = iter(found)
    return chain(_with_pairs_of_first(capture, remaining), map(attrgetter("found"), remaining))


def _with_pairs_of_first(capture: Capture, remaining: Iterator[FoundOnLine]) -> Iterator[Exchange | Skipped]:
    """Yield what was found on the first lines. If one of them holds a request, yield all that remains, with pairs."""
    # a part of a file is not looked at: the other halves may be in other parts
    exchanges = 0 if capture.first_line == 1 else _FIRST
    has_answers = False
    while exchanges < _FIRST and (one := next(remaining, None)) is not None:
        if one.bytes_read > _FIRST_BYTES:
            exchanges = _FIRST
        elif _may_be_half(one):
            exchanges += isinstance(one.found, Exchange)
            role = _role(_exchange_on(capture, one))
            if role == "request":
                yield from _Pairs(capture, is_complete=not has_answers).of(chain([one], remaining))
                return
            has_answers = has_answers or role == "answer"
        yield one.found


def _may_be_half(found: FoundOnLine) -> bool:
    """Return whether a line may hold a request or an answer alone. This takes little time."""
    data = found.line.data
    return type(found.found) is Exchange or b"messages" in data or b"choices" in data


def are_lines_related(capture: Capture, found: Iterable[FoundOnLine]) -> bool:
    """Return whether one of the first lines holds a request, or a span of a trace: then others may belong to it.

    ``found`` is what was found on the lines, in order.
    """
    exchanges = 0
    for one in takewhile(lambda one: one.bytes_read <= _FIRST_BYTES, found):
        exchanges += isinstance(one.found, Exchange)
        if exchanges > _FIRST:
            return False
        if isinstance(one.found, Exchange) and one.found.span is not None:
            return True
        if _may_be_half(one) and _role(_exchange_on(capture, one)) == "request":
            return True
    return False


class _Pairs:
    """Finds the pairs in what stands on lines. ``is_complete`` says that no answer stands before the first request."""

    def __init__(self, capture: Capture, *, is_complete: bool) -> None:
        self._capture = capture
        self._held: deque[Held] = deque()
        self._turns: OrderedDict[str, Turns] = OrderedDict()
        self._order = Turns(alternate=is_complete)
        self._joined = 0

    def of(self, found: Iterable[FoundOnLine]) -> Iterator[Exchange | Skipped]:
        """Yield pairs and everything else, from the first request on."""
        for one in found:
            self._add(_held(self._capture, one))
            yield from self._ready()
        while self._held:
            yield from self._next()

    def _add(self, half: Held) -> None:
        self._held.append(half)
        if half.role is None:
            return
        self._order.add(half, ORDER)
        for key in half.ids:
            turns = self._turns.setdefault(key, Turns())
            self._turns.move_to_end(key)
            turns.add(half, key)
        while len(self._turns) > _MOST_IDS:
            self._turns.popitem(last=False)

    def _ready(self) -> Iterator[Exchange | Skipped]:
        """Yield what has to wait no longer: for the answer of a request, or for an earlier request."""
        while self._held and (len(self._held) > _MOST_HELD or not self._may_be_paired(self._held[0])):
            yield from self._next()

    def _may_be_paired(self, half: Held) -> bool:
        if half.role != "request" or half.exchange is None:
            return False
        return self._order.alternate or any(self._alternate(key) for key in half.ids)

    def _alternate(self, key: str) -> bool:
        turns = self._turns.get(key)
        return turns is not None and turns.alternate

    def _next(self) -> Iterator[Exchange | Skipped]:
        """Yield what is held back first, or the pair that it belongs to. Yield nothing if that pair was yielded."""
        half = self._held.popleft()
        if half.joined or (half.repeated is not None and half.repeated.joined):
            self._joined += 1
            return
        for key, answer in half.answers.items():
            is_certain = self._order.alternate if key == ORDER else self._alternate(key)
            if is_certain and not answer.joined and (pair := _pair(half, answer, key)) is not None:
                half.joined = answer.joined = True
                yield self._numbered(pair)
                return
        yield self._numbered(half.found)

    def _numbered(self, found: Exchange | Skipped) -> Exchange | Skipped:
        """Return what was found with its final number: the answers in the pairs before it have none of their own."""
        if not self._joined or found.number is None:
            return found
        return replace(found, number=found.number - self._joined)


def _held(capture: Capture, found: FoundOnLine) -> Held:
    exchange = _exchange_on(capture, found)
    other = found.value if exchange is None and isinstance(found.value, dict) and answering_api(found.value) else None
    role = _role(exchange) if other is None else "answer"
    if role is None:
        return Held(found.found)
    half = Held(found.found, role, exchange, other, ids_in_record(found.value) | ids_in_text(found.line.whole().data))
    half.line, half.is_over = found.line.place(0).line, role == "request" and was_answered(found.line)
    own_id = first_object(half).get("id") if role == "answer" else None
    if isinstance(own_id, str) and own_id:
        half.own_id = own_id
        half.ids.setdefault(own_id, "")
    if exchange is not None and not is_complete(exchange):
        half.exchange = None
    return half


def _exchange_on(capture: Capture, found: FoundOnLine) -> Exchange | None:
    if isinstance(found.found, Exchange):
        return found.found
    return unread_half(capture, found.line, found.value, sound=found.sound)


def may_hold_half(line: bytes) -> bool:
    """Return whether a line may hold a request or an answer alone. This takes little time."""
    return any(name in line for name in _IN_HALVES)


def unread_half(capture: Capture, line: Text, record: object, *, sound: bool) -> Exchange | None:
    """Return the request or the answer in a record that is not read by itself, or ``None`` if there is none."""
    if not sound or not isinstance(record, dict):
        return None
    if not may_hold_half(line.data):
        return None
    return half_of(capture, 0, Document(line, Decoded(record, sound)).root)


def _role(exchange: Exchange | None) -> Role | None:
    if exchange is None or exchange.probe is not NO_PROBE or exchange.models is not None:
        return None
    if exchange.response is None:
        return "request" if exchange.request is not None else None
    return "answer" if exchange.request is None else None


def is_complete(exchange: Exchange) -> bool:
    """Return whether the request, or else the response, of an exchange is complete. Logs cut long lines off.

    A program may have written the log in another encoding than UTF-8: that cuts nothing off.
    """
    payload = exchange.request or exchange.response
    if not isinstance(payload, Payload) or payload.sound:
        return True
    return decode_json(payload.text.data.decode("utf-8", "replace").encode()) is not None


def _pair(request: Held, answer: Held, key: str) -> Exchange | Skipped | None:
    """Return the exchange of a request and an answer with the same id, or ``None`` if they may not belong together.

    With an answer of another API, both are skipped as one, unless the path of the request is that of Chat Completions.
    """
    asked, answered = request.exchange, answer.exchange
    if asked is None or asked.request is None or not _belong_together(request, answer, key):
        return None
    if isinstance(answer.found, Skipped) and answer.other is not None:
        return None if is_chat_path(asked.path) else replace(answer.found, number=request.found.number)
    if answered is None or (asked.path and answered.path and asked.path != answered.path):
        return None
    wants_stream = first_object(request).get("stream") is True
    if not _is_named(request, key) and not _fits(wants_stream, answered):
        return None
    is_folded = wants_stream and isinstance(answered.response, Payload)
    return replace(
        answered,
        number=request.found.number or 0,
        request=asked.request,
        host=asked.host or answered.host,
        path=asked.path or answered.path,
        dumped=asked.dumped or answered.dumped or is_folded,
    )


def _belong_together(request: Held, answer: Held, key: str) -> bool:
    """Return whether ids and models say that an answer may be that of a request with the same id."""
    if _contradict(request, answer) or not (_is_named(request, key) or are_of_model(request, answer)):
        return False
    if key == ORDER and request.is_over and answer.line != request.line + 1:
        return False
    # if they have ids, and none in common, one of these had decided
    return not (key == ORDER and request.ids and answer.ids.keys() - {answer.own_id})


def _is_named(half: Held, key: str) -> bool:
    """Return whether an id of a half has a name there."""
    return half.ids.get(key, "") != ""


def _contradict(request: Held, answer: Held) -> bool:
    """Return whether both have an id of the same name, with other values."""
    named = {name: one for one, name in request.ids.items() if name}
    return any(name in named and named[name] != one for one, name in answer.ids.items() if name)


def _fits(wants_stream: bool, answer: Exchange) -> bool:
    body = answer.response
    return isinstance(body, Stream) == wants_stream or (isinstance(body, Payload) and body.kind == "error")
