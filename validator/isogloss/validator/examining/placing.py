"""Find where a finding stands: its line and column in the capture file, from its pointer in a payload."""

from __future__ import annotations

from typing import Literal

from isogloss.validator import excerpts, jsontext
from isogloss.validator.excerpts import Excerpt
from isogloss.validator.exchange import Body, Exchange, Payload, Stream
from isogloss.validator.findings import Source
from isogloss.validator.kinds.events import is_error
from isogloss.validator.pointer import ABSENT, UNREAD, Pointer, existing_steps, read
from isogloss.validator.quoting import value_beginning
from isogloss.validator.rules import Hit
from isogloss.validator.streams.fold import Folded
from isogloss.validator.text import Place, Text

__all__ = ["ExchangePart", "Placer", "kind_of_hit", "payload_of_hit", "value_at"]


ExchangePart = Literal["request", "response", "stream", "folded", "wire"]
"""The part of an exchange that the pointer of a hit starts from. ``folded`` is the completion that a stream folds into,
and ``wire`` is the exchange itself."""


def payload_of_hit(exchange: Exchange, part: ExchangePart, hit: Hit, folded: Folded | None) -> tuple[str, object]:
    """Return the kind of the payload that a hit is in, and the payload.

    For a hit on a whole stream or exchange, return ``stream`` or ``exchange`` as the kind, and ``None``.
    """
    kind, body = kind_of_hit(exchange, part, hit), exchange.response
    if part == "request":
        return kind, exchange.request and exchange.request.value
    if part == "folded" and hit.event is None:
        return kind, folded and folded.value
    if isinstance(body, Stream):
        return kind, body.values[hit.event] if hit.event is not None and kind != "stream" else None
    return kind, body.value if isinstance(body, Payload) and part != "wire" else None


def kind_of_hit(exchange: Exchange, part: ExchangePart, hit: Hit) -> str:
    """Return the kind of the payload that a hit is in, or ``stream`` or ``exchange`` for a hit on the whole of it."""
    if part == "request":
        return "request"
    body = exchange.response
    if type(body) is Payload:
        return "exchange" if part == "wire" else body.kind
    if type(body) is not Stream:
        return "exchange"
    event = hit.event
    if part == "wire":
        return "exchange" if event is None and hit.offset is None else "stream"
    if event is None:
        return "completion" if part == "folded" else "stream"
    if event >= len(body.values):
        return "stream"
    return "error" if is_error(body.values[event]) else "chunk"


def value_at(payload: object, hit: Hit) -> object:
    """Return the value that a hit is about. Read it from the payload if the hit does not hold it."""
    return read(payload, hit.pointer) if hit.value is UNREAD else hit.value


_MOST_TEXTS = 64
"""The texts of events, and the places that were read in them, take much more memory than the events."""


class Placer:
    """Finds the places of the hits of one exchange, reading JSON texts only as far as needed.

    What was read of a text is kept for the next hit in it, but only of the events that were asked for last: look hits
    up in the order of their events.
    """

    def __init__(self, exchange: Exchange, folded: Folded | None) -> None:
        self._exchange = exchange
        self._folded = folded
        self._event_texts: dict[int, Text | None] = {}  # of events, by their numbers
        self._names = excerpts.Names()

    def event(self, part: ExchangePart, hit: Hit) -> int | None:
        """Return the number of the event that a hit is about, or ``None`` if there is none.

        For a hit in a folded completion, this is the event in which that part of the completion began, or that brought
        the character which the hit is about.
        """
        if part == "folded" and hit.event is None and self._folded is not None:
            return self._folded.event(hit.pointer, hit.character)
        return hit.event

    def source(self, part: ExchangePart, hit: Hit) -> Source:
        """Return the source of a hit: its place in the capture, with the numbers of its exchange and its event."""
        event = self.event(part, hit)
        place = self._place(part, hit, event)
        exchange = self._exchange
        return Source(exchange.file, place.line, place.column, exchange.number, event, exchange.row_group)

    def beginning(self, part: ExchangePart, hit: Hit) -> str | None:
        """Return the beginning of the JSON that a hit is about, or ``None`` if there is no value."""
        value = value_at(payload_of_hit(self._exchange, part, hit, self._folded)[1], hit)
        return None if value is ABSENT else value_beginning(value)

    def excerpt(self, part: ExchangePart, hit: Hit) -> Excerpt | None:
        """Return an excerpt around the place of a hit, without values, or ``None`` if there is nothing to show."""
        _, payload = payload_of_hit(self._exchange, part, hit, self._folded)
        if hit.offset is not None:
            text = self._text(part, hit.event)
            return None if text is None else excerpts.excerpt_of_text(text.data, hit.offset)
        if payload is None and hit.event is not None:  # a hit on the whole stream that stands at one of its events
            body = self._exchange.response
            payload = body.values[hit.event] if isinstance(body, Stream) and hit.event < len(body.values) else None
        if not isinstance(payload, dict | list):
            return None
        return excerpts.excerpt_of_value(payload, hit.pointer, key=hit.key, names=self._names)

    def _text(self, part: ExchangePart, event: int | None) -> Text | None:
        """Return the text that the offset of a hit counts in, or ``None`` if there is no separate text for it."""
        request, body = self._exchange.request, self._exchange.response
        if part == "request" and request is not None:
            return request.text
        if isinstance(body, Stream) and event is not None:
            return self._text_of_event(body, event)
        return body.text if body is not None else None

    def _place(self, part: ExchangePart, hit: Hit, event: int | None) -> Place:
        request, body = self._exchange.request, self._exchange.response
        if part == "request" and request is not None:
            return self._place_in_payload(request, hit)
        if isinstance(body, Stream):
            pointer = () if part == "folded" and hit.event is None else hit.pointer
            return self._place_in_stream(body, hit, event, pointer)
        if isinstance(body, Payload):
            return self._place_in_payload(body, hit)
        if isinstance(body, Body):
            return body.text.place(hit.offset or 0)
        return _place_in_json(self._exchange.text, self._exchange.at, key=False, sound=False)

    def _place_in_payload(self, payload: Payload, hit: Hit) -> Place:
        if hit.offset is not None:
            return payload.text.place(hit.offset)
        pointer = (*payload.at, *hit.pointer)
        known_steps = len(payload.at) + existing_steps(payload.value, hit.pointer)
        return _place_in_json(payload.text, pointer, key=hit.key, sound=payload.sound, known_steps=known_steps)

    def _place_in_stream(self, stream: Stream, hit: Hit, event: int | None, pointer: Pointer) -> Place:
        if event is None:
            if hit.offset is not None:
                return stream.text.place(hit.offset)
            if stream.at:
                return _place_in_json(stream.text, stream.at, key=False, sound=not stream.unsound)
            return stream.text.place(0)
        text = self._text_of_event(stream, event)
        if text is None:
            whole_pointer = (*stream.at, event, *stream.within, *pointer)
            return _place_in_json(stream.text, whole_pointer, key=hit.key, sound=not stream.unsound)
        if hit.offset is not None:
            return text.place(hit.offset)
        if not pointer:
            return text.place(0)
        known_steps, is_sound = existing_steps(stream.values[event], pointer), event not in stream.unsound
        return _place_in_json(text, pointer, key=hit.key, sound=is_sound, known_steps=known_steps)

    def _text_of_event(self, stream: Stream, event: int) -> Text | None:
        """Return the JSON text of an event, or ``None`` if the event is an item of an array.

        The text is kept for the next hits in it, with the places that were read there.
        """
        if event not in self._event_texts:
            if len(self._event_texts) >= _MOST_TEXTS:
                self._event_texts.clear()
            self._event_texts[event] = stream.text_of(event)
        return self._event_texts[event]


def _place_in_json(text: Text, pointer: Pointer, *, key: bool, sound: bool, known_steps: int = 0) -> Place:
    """Return the place that a pointer leads to in a text. Its first ``known_steps`` steps are known to exist."""
    return text.place(jsontext.places_of(text, sound=sound).offset(pointer, key=key, known_steps=known_steps))
