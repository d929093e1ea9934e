"""Find the features of an exchange: what is known about it, and what the body of its answer is."""

from __future__ import annotations

from isogloss.validator.examining.features.sets import NONE, combined
from isogloss.validator.exchange import Exchange, Payload, Stream
from isogloss.validator.streams.trace import Trace, error_events

__all__ = ["of_exchange"]


def of_exchange(exchange: Exchange, trace: Trace | None) -> frozenset[str]:
    """Return the features of an exchange. ``trace`` is the trace of its stream, if it has one.

    Of the request:

    * ``request``: there is one, with ``stream asked for`` or ``no stream asked for``.
    * ``no stream``: the request asks for a stream, and the answer is one payload.

    Of the response:

    * ``status``, ``content type``: the capture has them.
    * ``error status``: the status is 400 or higher.
    * ``odd content type``: OpenAI does not send it with such a body.
    * ``expected status``, ``expected code``: the exchange says which answer is right.
    * ``ids of earlier answers``: the exchange has them.
    * ``models``: the request is for the list of models.
    * ``broken``: the capture says that the connection broke.
    * ``times of arrival``: the capture says when the bytes of the body came.

    Of the body:

    * ``text``, ``error`` (also for a stream with an error status), ``stream``.
    * ``odd error``: the body has no object ``error``.
    * ``unsound``: the JSON has a fault.
    * ``padded``: the JSON begins with white space.

    Of a stream:

    * ``odd framing``: an event is more than one line of data.
    * ``error events``, and ``broken events``, which are no JSON.
    * ``no chunks``: no event has any data of a chunk or an error.
    * ``no end``, ``several ends``, ``data behind the end``: the end is ``[DONE]``.
    """
    response = exchange.response
    request = stream_demand = ""
    is_stream_asked = False
    if exchange.request is not None:
        request, value = "request", exchange.request.value
        is_stream_asked = isinstance(value, dict) and value.get("stream") is True
        stream_demand = "stream asked for" if is_stream_asked else "no stream asked for"
    if response is None:
        return combined(request, stream_demand, "" if exchange.models is None else "models")
    body, status, content_type = response.body, response.status, response.content_type
    has_error_status = status is not None and status >= 400
    error = odd_error = padded = body_kind = no_stream = ""
    usual_type = "application/json"
    stream_features: tuple[str, ...] = ()
    if isinstance(body, Payload):
        body_kind = "" if body.sound else "unsound"
        no_stream = "no stream" if is_stream_asked else ""
        if body.kind == "error":
            error, odd_error = "error", "" if _has_error_object(body.value) else "odd error"
        padded = "padded" if not body.at and body.text.data[:1].isspace() else ""
        if status is None and not (content_type or request or padded or body_kind or response.broken):
            return combined(error, odd_error) if error else NONE
    elif isinstance(body, Stream):
        body_kind, usual_type = "stream", "text/event-stream"
        error, odd_error = ("error", "odd error") if has_error_status else ("", "")
        stream_features = _event_features(body, trace) if trace is not None else ()
    else:
        body_kind = "text"
    return combined(
        request,
        stream_demand,
        "" if status is None else "status",
        "error status" if has_error_status else "",
        "content type" if content_type else "",
        "odd content type" if content_type and content_type.partition(";")[0] != usual_type else "",
        no_stream,
        "expected status" if exchange.expected_status else "",
        "expected code" if exchange.expected_code is not None else "",
        "ids of earlier answers" if exchange.earlier_ids else "",
        "broken" if response.broken else "",
        "times of arrival" if response.arrivals else "",
        error,
        odd_error,
        padded,
        body_kind,
        *stream_features,
    )


def _has_error_object(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("error"), dict)


def _event_features(stream: Stream, trace: Trace) -> tuple[str, ...]:
    ends = trace.done
    return (
        "odd framing" if stream.framing is not None and stream.framing.is_unusual else "",
        "error events" if trace.errors or error_events(stream) else "",
        "broken events" if trace.broken or trace.blank else "",
        "no chunks" if not (trace.chunks or trace.errors or trace.strangers or trace.broken) else "",
        "no end" if not ends else "several ends" if len(ends) > 1 else "",
        "data behind the end" if ends and ends[0] < len(stream.values) - 1 else "",
    )
