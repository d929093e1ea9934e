"""Tell which exchange of a trace repeats that of the span around it, or of a span in it.

A traced program has a span for each of its functions, and one for the call of the API. A function that passes on what
it got and returns what the API answered has both once more. A trace keeps its spans beside each other, on lines of
their own or in an array, each with its id and the id of the span around it: ``span_id`` and ``parent_id`` in
OpenTelemetry's console exporter and in MLflow, ``spanId`` and ``parentSpanId`` in OTLP, ``id`` and
``parentObservationId`` in Langfuse, ``id`` and ``parent_id`` in Weave (all read 2026-11). MLflow also has the request
and the answer of the outermost span in a summary before the spans.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import orjson
from msgspec.structs import replace

from isogloss.validator.captures.document import Node
from isogloss.validator.captures.names import NAMES_OF_SPANS, PARENTS_OF_SPANS
from isogloss.validator.exchange import Exchange, Payload, Skipped, Span, Stream

__all__ = ["with_span", "without_repeated_spans"]

_IDS = ("id", "span_id", "spanId", "run_id", "observation_id", "call_id")
_CONTEXT = "context"
_MOST_AROUND = 3
"""The ids may stand in the object that holds the attributes of a span."""
_MOST_REMEMBERED = 20_000
_DEEPEST = 10
_SORTED = orjson.OPT_SORT_KEYS


def with_span(part: Node, found: Exchange) -> Exchange:
    """Return the exchange of a record with the ids of the span that the record is, or as it is if it is no span."""
    around: list[Any] = [part.document.value]
    for step in part.at:
        around.append(around[-1][step])
    for value in islice(reversed(around), _MOST_AROUND):
        if isinstance(value, dict) and (span := _span(value)) is not None:
            return replace(found, span=span)
    return found


def _span(value: dict[str, Any]) -> Span | None:
    context = value.get(_CONTEXT)
    parts = [value, context] if isinstance(context, dict) else [value]
    if all(part.keys().isdisjoint(NAMES_OF_SPANS) for part in parts):  # looks for few names, however many there are
        return None
    ids = tuple(one for part in parts for name in _IDS if isinstance(one := part.get(name), str) and one)
    parents = (value[name] for name in PARENTS_OF_SPANS if name in value)
    return Span(ids, next((one for one in parents if isinstance(one, str) and one), None)) if ids else None


def without_repeated_spans(
    found: Iterable[Exchange | Skipped], before: Exchange | Skipped | None
) -> Iterator[Exchange | Skipped]:
    """Yield what was found, without the exchanges of spans that a span around them, or in them, has already.

    The exchange of an outermost span is also left out if the summary of the trace has it: what stands before the span
    in the same document, and is no span itself. If only the later one has a request, it is no repetition. ``before`` is
    what stands before all that was found.
    """
    known: OrderedDict[tuple[object, ...], None] = OrderedDict()
    for one in found:
        if not isinstance(one, Exchange) or one.span is None:
            yield one
            before = one
            continue
        request, answer = _digests(one)
        ids, parent = one.span.ids, one.span.parent
        to_others = [("around", own_id) for own_id in ids] + ([("inside", parent)] if parent is not None else [])
        is_known = any((*other, request, answer) in known for other in to_others)
        is_in_summary = (
            parent is None
            and isinstance(before, Exchange)
            and before.text is one.text
            and _digests(before) == (request, answer)
        )
        if answer is None or not (is_known or is_in_summary):
            yield one
        own_keys = [("inside", own_id) for own_id in ids] + ([("around", parent)] if parent is not None else [])
        known |= {(*own_key, value, answer): None for own_key in own_keys for value in (request, None)}
        while len(known) > _MOST_REMEMBERED:
            known.popitem(last=False)


def _digests(exchange: Exchange) -> tuple[int | None, int | None]:
    """Return a number for the request of an exchange, and one for its answer.

    Of a request, only the model and the messages count: a function may leave options to the client that it calls.
    """
    request = exchange.request.value if exchange.request is not None else None
    asked = [request.get("model"), request.get("messages")] if isinstance(request, dict) else None
    body = exchange.response
    answer = body.values if isinstance(body, Stream) else body.value if isinstance(body, Payload) else None
    return _digest(asked), _digest(answer)


def _digest(value: object) -> int | None:
    """Return a number that is the same for equal values, or ``None`` for ``None``."""
    try:
        return None if value is None else hash(orjson.dumps(_without_nulls(value), default=str, option=_SORTED))
    except orjson.JSONEncodeError:
        return None


def _without_nulls(value: Any, deepest: int = _DEEPEST) -> Any:
    """Return a value without the properties that are null: a client library writes null for what was not sent."""
    if isinstance(value, list):
        return [_without_nulls(one, deepest - 1) for one in value] if deepest else value
    if isinstance(value, dict) and deepest:
        return {name: _without_nulls(one, deepest - 1) for name, one in value.items() if one is not None}
    return value
