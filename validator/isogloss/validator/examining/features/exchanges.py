"""Find the features of an exchange: what is known about it, and what the body of its answer is."""

from __future__ import annotations

from functools import lru_cache
from itertools import islice

from isogloss.validator.captures.bodies.dumps import is_stored, names_call
from isogloss.validator.examining.features.sets import NONE, combined, joined
from isogloss.validator.exchange import NO_HTTP, NO_PROBE, Exchange, Payload, ProbeFacts, Response, Stream
from isogloss.validator.streams.trace import Trace, error_events
from isogloss.validator.views import WORDS_FOR_NULL

__all__ = ["of_exchange"]

_DUMPED = frozenset({"dumped"})
_MODELS = frozenset({"models"})
_WITHOUT_STREAM = frozenset({"request", "request without a stream", "whole request"})
_FOR_STREAM = frozenset({"request", "request for a stream", "whole request"})
_GATHERED = frozenset({"request"})
_GATHERED_FOR_STREAM = frozenset({"request", "request for a stream"})
_RESPONSE = frozenset({"response"})
_NO_STREAM = frozenset({"no stream"})
_TEXT = frozenset({"response", "text"})
_STREAM = frozenset({"response", "stream"})
_STREAM_AS_ERROR = _STREAM | {"error", "unusual error"}
_ERROR = frozenset({"response", "error"})
_ERROR_ABOUT_LENGTH = _ERROR | {"words about length"}
_UNUSUAL_ERROR = _ERROR | {"unusual error"}
_WORD_FOR_NULL = frozenset({"word for null"})
_LIBRARY_ORDER = ("id", "choices", "created", "model", "object")
"""The order in which the ``openai`` package writes its objects: that of the fields in ``chat_completion.py`` and
``chat_completion_chunk.py`` (openai-python 1.0 of 2023-11 to 3.57 of 2026-11). OpenAI's API sends ``object`` second.
"""
_SORTED = ("choices", "created")
"""How a program begins that writes such an object with its properties sorted, as recorders do."""


def of_exchange(exchange: Exchange, trace: Trace | None) -> frozenset[str]:
    """Return the features of an exchange. ``trace`` is the trace of its stream, if it has one.

    Of the request:

    * ``request``: there is one, with ``request for a stream`` or ``request without a stream``.
    * ``no stream``: the request asks for a stream, and the answer is one payload.
    * ``whole request``: what the request lacks was not sent.

    Of the exchange as a whole:

    * ``dumped``: a client library wrote it anew. The capture says so, or the payload has the form of an object of the
      ``openai`` package, or the request names the method that was called, and neither a content type nor a live
      exchange shows that it was sent like that.
    * ``response``: there is one.

    Of the response:

    * ``status``, ``content type``: the capture has them.
    * ``unusual status``: the status is not 200.
    * ``unusual content type``: OpenAI does not send it with such a body.
    * ``expected status``, ``expected code``: the exchange says which answer is right.
    * ``ids of earlier answers``: the exchange has them.
    * ``models``: the request is for the list of models.
    * ``broken connection``: the capture says that the connection broke.
    * ``times of arrival``: the capture says when the bytes of the body came.

    Of the body:

    * ``text``, ``error`` (also for a stream with an error status), ``stream``.
    * ``unusual error``: the body has no object ``error``.
    * ``word for null``: a property of the error is the string ``None`` or ``null``; also of an event.
    * ``words about length``: the error has a word that every message about a prompt that is too long has.
    * ``unsound``: the JSON has a fault.
    * ``padded``: the JSON begins with white space.

    Of a stream:

    * ``unusual framing``: an event is more than one line of data.
    * ``error events``, and ``faulty events``, which are no JSON, or cut off, or a `[DONE]` behind white space.
    * ``no chunks``: no event has any data of a chunk or an error.
    * ``no [DONE]``, ``several [DONE]``, ``data after [DONE]``: the end is ``[DONE]``.
    """
    body, http, probe = exchange.response, exchange.http, exchange.probe
    found = NONE if exchange.request is None else _request_features(exchange.request.value, exchange.gathered)
    is_as_sent = http.content_type is not None or exchange.live
    if exchange.dumped or (not is_as_sent and (_is_written_anew(body) or _is_call(exchange.request))):
        found = joined(found, _DUMPED)
    if body is None:
        return found if exchange.models is None else joined(found, _MODELS)
    if http is not NO_HTTP:
        content_type = http.content_type or ("" if exchange.live else None)
        found = joined(
            found,
            _http_features(http.status, content_type, http.broken, bool(http.arrivals), type(body) is Stream),
        )
    if probe is not NO_PROBE:
        found = joined(found, _probe_features(probe))
    if type(body) is Payload:
        if "request for a stream" in found:
            found = joined(found, _NO_STREAM)
        return joined(found, _payload_features(body)) if found else _payload_features(body)
    if trace is not None:
        has_error_status = http.status is not None and http.status >= 400
        return joined(found, _stream_features(trace, has_error_status=has_error_status))
    return joined(found, _TEXT)


def _request_features(value: object, is_gathered: bool) -> frozenset[str]:
    """Return the features of an exchange with a request."""
    if isinstance(value, dict) and value.get("stream") is True:
        return _GATHERED_FOR_STREAM if is_gathered else _FOR_STREAM
    return _GATHERED if is_gathered else _WITHOUT_STREAM


def _probe_features(probe: ProbeFacts) -> frozenset[str]:
    """Return the features of what a probe expects of an answer."""
    return combined(
        "expected status" if probe.expected_status else "",
        "expected code" if probe.expected_code is not None else "",
        "ids of earlier answers" if probe.earlier_ids else "",
    )


@lru_cache(1024)
def _http_features(
    status: int | None, content_type: str | None, is_broken: bool, has_arrivals: bool, is_stream: bool
) -> frozenset[str]:
    """Return the features of what is known about a response beside its body. Most exchanges have the same."""
    usual_type = "text/event-stream" if is_stream else "application/json"
    return combined(
        "" if status is None else "status",
        "unusual status" if status is not None and status != 200 else "",
        "content type" if content_type is not None else "",
        "unusual content type" if content_type is not None and content_type.partition(";")[0] != usual_type else "",
        "broken connection" if is_broken else "",
        "times of arrival" if has_arrivals else "",
    )


def _is_call(request: Payload | None) -> bool:
    """Return whether a request has the name of the method that was called, which no library sends."""
    return request is not None and isinstance(request.value, dict) and any(map(names_call, request.value.values()))


def _is_written_anew(body: Response | None) -> bool:
    """Return whether a completion or a first chunk was written anew, with null for what was not sent.

    The ``openai`` package writes its objects like that. So a message or a delta has both ``function_call`` and
    ``tool_calls``, and one of them is null. Some servers send such nulls, and others send their properties in this
    order or sorted, but no server is known to do both. OpenAI's store of completions fills in null, too, and adds
    options of the request.
    """
    if type(body) is Payload:
        value = None if body.kind == "error" else body.value
    else:  # a stream with its framing was captured as it was sent
        value = body.values[0] if type(body) is Stream and body.framing is None and body.values else None
    if type(value) is not dict:
        return False
    second = next(islice(value, 1, None), None)  # few have one of these, and that is found faster than the whole order
    if second not in ("choices", "created") or not _is_in_order_of_library(tuple(value)):
        return "input_user" in value and is_stored(value)  # hardly any has it, and a call takes longer
    choices = value["choices"]
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = (choice.get("message") or choice.get("delta")) if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        return False
    calls = [message[name] for name in ("function_call", "tool_calls") if name in message]
    return len(calls) == 2 and None in calls


def _is_in_order_of_library(names: tuple[str, ...]) -> bool:
    """Return whether the ``openai`` package writes properties in this order, or a program that sorts them."""
    return names[:5] == _LIBRARY_ORDER or (names[:2] == _SORTED and names == tuple(sorted(names)))


def _payload_features(body: Payload) -> frozenset[str]:
    features = _RESPONSE
    if body.kind == "error":
        value = body.value
        if type(value) is dict and type(error := value.get("error")) is dict:
            message = error.get("message")
            words = message.lower() if type(message) is str else ""
            features = _ERROR_ABOUT_LENGTH if "context" in words or "too " in words else _ERROR
            if error.get("type") in WORDS_FOR_NULL or error.get("param") in WORDS_FOR_NULL:
                features = joined(features, _WORD_FOR_NULL)
        else:
            features = _UNUSUAL_ERROR
    is_padded = body.text.data < b"!" and not body.at  # each kind of white space sorts before `!`
    if body.sound and not is_padded:
        return features
    return joined(features, combined("" if body.sound else "unsound", "padded" if is_padded else ""))


def _says_null(value: object) -> bool:
    error = value.get("error") if isinstance(value, dict) else None
    return isinstance(error, dict) and (error.get("type") in WORDS_FOR_NULL or error.get("param") in WORDS_FOR_NULL)


def _stream_features(trace: Trace, *, has_error_status: bool) -> frozenset[str]:
    """Return the features of the stream of a trace, and of its events."""
    features = _STREAM_AS_ERROR if has_error_status else _STREAM
    stream, ends = trace.stream, trace.done
    framing = stream.framing
    is_padded = framing is not None and any(framing.events.data[end][:1].isspace() for end in ends)
    event_features = combined(
        "unusual framing" if framing is not None and framing.is_unusual else "",
        "error events" if trace.errors or error_events(stream) else "",
        "word for null" if trace.errors and any(map(_says_null, stream.values)) else "",
        "faulty events" if trace.faulty or trace.blank or stream.cut or is_padded else "",
        "no chunks" if not (trace.chunks or trace.errors or trace.no_chunks or trace.faulty) else "",
        "no [DONE]" if not ends else "several [DONE]" if len(ends) > 1 else "",
        "data after [DONE]" if ends and ends[0] < len(stream.values) - 1 else "",
    )
    return joined(features, event_features)
