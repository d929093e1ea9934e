"""Read what a JSON value holds: exchange records, payloads, and whatever else recorders write in their place.

* Exchange records: :mod:`isogloss.validator.captures.structures.records`;
* HTTP pairs, and objects that hold some: :mod:`isogloss.validator.captures.structures.pairs`;
* lists that hold a stream: :mod:`isogloss.validator.captures.bodies.wrapped`;
* objects of a client library: :mod:`isogloss.validator.captures.bodies.dumps`;
* the log lines of gateways and of observability tools, and any layout that the user gives a mapping for:
  :mod:`isogloss.validator.captures.structures.logs`;
* rows of a log with the properties of a request and, beside them, the answer, and requests beside their answers in any
  other layout: :mod:`isogloss.validator.captures.structures.search`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain

from msgspec.structs import replace

from isogloss.validator import jsontext
from isogloss.validator.captures import http
from isogloss.validator.captures.bodies import dumps
from isogloss.validator.captures.bodies.wrapped import kept_stream, listed_stream, stream_of_list
from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.document import Document, Node
from isogloss.validator.captures.http import RecordedMessage
from isogloss.validator.captures.limits import MOST_SKIPPED, Unreadable
from isogloss.validator.captures.structures import pairs, search, side_by_side
from isogloss.validator.captures.structures.logs import log_exchanges
from isogloss.validator.captures.structures.objects.http_pairs import has_responses, is_pair
from isogloss.validator.captures.structures.objects.mapped import fits
from isogloss.validator.captures.structures.records import is_live, is_record, record
from isogloss.validator.exchange import Cause, Exchange, Kind, Payload, Response, Skipped, Why, as_dumped
from isogloss.validator.kinds import kind_of, why_no_payload

__all__ = ["exchanges", "holds_exchange"]

_ARRAYS_IN_ARRAYS = Why("not a capture: arrays in arrays in arrays", Cause.OTHER)
_EMPTY_ARRAY = Why("an empty array", Cause.OTHER)


def exchanges(capture: Capture, number: int, part: Node, kind: Kind | None = None) -> Iterable[Exchange | Skipped]:
    """Return the exchanges that a JSON value holds: a record, a payload, an array of either, or an array of chunks.

    ``number`` is the number of the first exchange. ``kind`` is the kind of the payloads, whatever their content says.
    A payload of which a copy leaves out a part is skipped, unless its kind is given. If nothing is found in a document
    that has a fault, the fault is the reason.
    """
    found = _exchanges(capture, number, part, kind)
    if part.document.sound or kind is not None:
        return found
    return (_skipped_if_elided(one, part.document) for one in map(partial(_explained_by_fault, part), found))


def holds_exchange(capture: Capture, part: Node) -> bool:
    """Return whether an object is a record that holds an exchange.

    No object is a record if the user names the kind of all payloads.
    """
    return capture.kind is None and any(isinstance(found, Exchange) for found in exchanges(capture, 0, part))


def _skipped_if_elided(found: Exchange | Skipped, document: Document) -> Exchange | Skipped:
    """Return the exchange, or a :class:`Skipped` if a copy has left out a part of one of its payloads."""
    if isinstance(found, Exchange) and document.scan.elided and (why := document.fault) is not None:
        payloads = (body for body in (found.request, found.response) if isinstance(body, Payload))
        if any(body.text is document.text and document.scan.cut(body.at) for body in payloads):
            return Skipped(file=found.file, number=found.number, why=why)
    return found


def _explained_by_fault(part: Node, found: Exchange | Skipped) -> Exchange | Skipped:
    """Return what was found in a value, with the fault of its document as the reason if nothing else is known.

    Of a value that is cut off, nobody knows what else it holds.
    """
    if isinstance(found, Exchange) or (why := part.document.fault) is None:
        return found
    by_cut = found.why.cause is Cause.LEFT_OUT and part.document.scan.cut(part.at)
    return replace(found, why=why) if by_cut or found.why.cause is Cause.NOTHING else found


def _exchanges(capture: Capture, number: int, part: Node, kind: Kind | None) -> Iterable[Exchange | Skipped]:
    """Return what :func:`exchanges` returns, whether or not a copy leaves out a part of a payload."""
    value = part.value
    if kind is None:
        if not value or not isinstance(value, (dict, list)):
            return [Skipped(file=capture.name, number=number, why=part.document.fault or _why(value))]
        if (entries := log_exchanges(capture, number, part)) is not None:
            return entries
    if isinstance(value, list) and value:
        return _array(capture, number, part, kind)
    if kind is None and has_responses(value):
        return pairs.exchanges_of_pairs(capture, [part], number)
    try:
        if (found := _recorded(capture, number, part) if kind is None else None) is None:
            found = _single(capture, number, part, kind)
        elif isinstance(found, Exchange):
            return search.exchanges_of_record(capture, number, part, found)
    except Unreadable as error:
        found = error.skipped(capture.name, number)
    if kind is not None or isinstance(found, Exchange) or not search.may_hold_exchanges(part, found.why):
        return [found]
    searched = search.exchanges_within(capture, number, part)
    return chain([next(searched, found)], searched)


def _array(capture: Capture, number: int, part: Node, kind: Kind | None) -> Iterator[Exchange | Skipped]:
    """Yield the exchange of an array that holds a stream, else the exchanges of its items."""
    if kind is None and (dumped := dumps.payload_in(part)) is not None:
        yield _dumped_exchange(capture, number, part, dumped)
        return
    has_records = kind is None and capture.mapping is not None and fits(part.item(0), capture.mapping)
    events = stream_of_list(part) if kind == "chunk" else None if kind or has_records else listed_stream(part)
    if events is not None:
        yield _exchange(capture, number, part, response=events)
        return
    nested = len(part.at) > 1  # no recorder writes arrays in arrays in arrays
    skipped = 0
    for position, value in enumerate(part.value):
        too_deep = nested and isinstance(value, list)
        if too_deep or (kind is None and not (value and isinstance(value, dict | list))):
            skipped += 1
            if skipped <= MOST_SKIPPED:
                why = _ARRAYS_IN_ARRAYS if too_deep else part.document.fault or _why(value)
                yield Skipped(file=capture.name, number=number, why=why)
            number += 1
            continue
        for found in exchanges(capture, number, part.item(position), kind):
            yield found
            number += found.parts
    if skipped > MOST_SKIPPED:
        yield Skipped(file=capture.name, number=number, why=why_no_payload(None), parts=skipped - MOST_SKIPPED)


def _recorded(capture: Capture, number: int, part: Node) -> Exchange | Skipped | None:
    """Return the exchange of a pair or a record, or ``None`` for any other value."""
    if not isinstance(part.value, dict) or dumps.is_dump(part.value):
        return None
    if not is_live(part.value) and is_pair(part.value):
        return pairs.pair(capture, number, part)
    return record(capture, number, part) if is_record(part.value) else None


def _single(capture: Capture, number: int, part: Node, kind: Kind | None) -> Exchange | Skipped:
    value = part.value
    if kind is None and isinstance(value, dict):
        if (kept := kept_stream(part)) is not None:
            return _exchange(capture, number, part, response=kept)
        if (dumped := dumps.payload_in(part)) is not None:
            return _dumped_exchange(capture, number, part, dumped)
        if "choices" not in value and (found := side_by_side.answer_beside_request(capture, number, part)) is not None:
            return found
    is_given, kind = kind is not None, kind or kind_of(value)
    if kind is None or value is jsontext.MISSING:
        return Skipped(file=capture.name, number=number, why=part.document.fault or _why(value))
    if kind == "request":
        asked = _exchange(capture, number, part, request=part.payload(kind))
        return as_dumped(asked) if not is_given and dumps.are_arguments(value) else asked
    return _exchange(capture, number, part, response=part.payload(kind))


def _why(value: object) -> Why:
    return _EMPTY_ARRAY if value == [] else why_no_payload(value)


def _exchange(
    capture: Capture, number: int, part: Node, *, request: Payload | None = None, response: Response | None = None
) -> Exchange:
    return Exchange(
        file=capture.name, number=number, text=part.document.text, at=part.at, request=request, response=response
    )


def _dumped_exchange(capture: Capture, number: int, part: Node, answer: http.Answer) -> Exchange | Skipped:
    response = RecordedMessage(body=answer)
    return as_dumped(http.exchange_of_part(capture, number, part, RecordedMessage(), response))
