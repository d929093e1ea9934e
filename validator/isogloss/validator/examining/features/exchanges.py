"""Features of an exchange: what is known of it, and what the body of its answer is."""

from __future__ import annotations

from isogloss.validator.examining.features.sets import NONE, combined
from isogloss.validator.exchange import Exchange, Payload, Stream
from isogloss.validator.streams.trace import Trace, error_events

__all__ = ["of_exchange"]


def of_exchange(exchange: Exchange, trace: Trace | None) -> frozenset[str]:
    """Features of an exchange, whose stream, if it has one, has that trace.

    ``request``, and ``stream asked for`` or ``no stream asked for``, ``no stream`` where one was asked for and there is
    none; ``status`` and ``content type`` where the capture tells, ``error status`` for one that is not of a success,
    ``odd content type`` for one that OpenAI does not send with such a body; ``expected status`` where it says what has
    to be answered, and ``expected code``; ``ids of earlier answers``; ``models`` where these were asked for; ``broken``
    where it says that the connection broke, ``times of arrival`` where it says when the bytes of the body came; and of
    what the body is: ``text``, ``error`` (also for a failed stream), with ``odd error`` for a body without an object of
    that name, ``unsound`` for JSON with a fault in it, ``padded`` for one that may begin with white space; and
    ``stream``, with ``odd framing`` where an event is more than one line of data, ``error events``, ``broken events``
    that are no JSON, ``no chunks`` where none is, and ``no end``, ``several ends`` or ``data behind the end``, which is
    `[DONE]`.
    """
    response = exchange.response
    request = asked = ""
    streams = False
    if exchange.request is not None:
        request, value = "request", exchange.request.value
        streams = isinstance(value, dict) and value.get("stream") is True
        asked = "stream asked for" if streams else "no stream asked for"
    if response is None:
        return combined(request, asked, "" if exchange.models is None else "models")
    body, status, content_type = response.body, response.status, response.content_type
    failed = status is not None and status >= 400
    error = odd_error = padded = other = no_stream = ""
    usual = "application/json"
    events: tuple[str, ...] = ()
    if isinstance(body, Payload):
        other = "" if body.sound else "unsound"
        no_stream = "no stream" if streams else ""
        if body.kind == "error":
            error, odd_error = "error", "" if _has_error_object(body.value) else "odd error"
        padded = "padded" if not body.at and body.text.data[:1].isspace() else ""
        if status is None and not (content_type or request or padded or other or response.broken):
            return combined(error, odd_error) if error else NONE
    elif isinstance(body, Stream):
        other, usual = "stream", "text/event-stream"
        error, odd_error = ("error", "odd error") if failed else ("", "")
        events = _of_events(body, trace) if trace is not None else ()
    else:
        other = "text"
    return combined(
        request,
        asked,
        "" if status is None else "status",
        "error status" if failed else "",
        "content type" if content_type else "",
        "odd content type" if content_type and content_type.partition(";")[0] != usual else "",
        no_stream,
        "expected status" if exchange.expected_status else "",
        "expected code" if exchange.expected_code is not None else "",
        "ids of earlier answers" if exchange.earlier_ids else "",
        "broken" if response.broken else "",
        "times of arrival" if response.arrivals else "",
        error,
        odd_error,
        padded,
        other,
        *events,
    )


def _has_error_object(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("error"), dict)


def _of_events(stream: Stream, trace: Trace) -> tuple[str, ...]:
    ends = trace.done
    return (
        "odd framing" if stream.framing is not None and stream.framing.odd else "",
        "error events" if trace.errors or error_events(stream) else "",
        "broken events" if trace.broken or trace.blank else "",
        "no chunks" if not (trace.chunks or trace.errors or trace.strangers or trace.broken) else "",
        "no end" if not ends else "several ends" if len(ends) > 1 else "",
        "data behind the end" if ends and ends[0] < len(stream.values) - 1 else "",
    )
