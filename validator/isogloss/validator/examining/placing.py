"""Where a finding stands: from a place in a payload to line and column of the capture file."""

from __future__ import annotations

from enum import Enum

from isogloss.validator import jsontext
from isogloss.validator.exchange import Body, Exchange, Payload, Stream
from isogloss.validator.findings import Source
from isogloss.validator.pointer import ABSENT, UNREAD, Pointer, read
from isogloss.validator.quoting import excerpt
from isogloss.validator.rules import Hit
from isogloss.validator.streams.fold import Folded
from isogloss.validator.text import Place, Text

__all__ = ["LastPlaces", "Part", "Placer", "subject", "value_at"]


class Part(Enum):
    """What the pointer of a hit is relative to."""

    REQUEST = "request"
    RESPONSE = "completion"
    STREAM = "chunk"
    FOLDED = "completion folded from a stream"
    WIRE = "exchange"


def subject(exchange: Exchange, part: Part, hit: Hit, folded: Folded | None) -> tuple[str, object]:
    """The kind of payload a hit is in, and that payload; ``stream`` or ``exchange``, and ``None``, for the whole."""
    body = exchange.response.body if exchange.response is not None else None
    if part is Part.REQUEST:
        return "request", exchange.request and exchange.request.value
    if part is Part.FOLDED and hit.event is None:
        return "completion", folded and folded.value
    if isinstance(body, Stream):
        if hit.event is not None and hit.event < len(body.values) and part is not Part.WIRE:
            value = body.values[hit.event]
            return ("error" if isinstance(value, dict) and value.get("error") else "chunk"), value
        return (
            "stream" if part is not Part.WIRE or hit.event is not None or hit.offset is not None else "exchange"
        ), None
    if isinstance(body, Payload) and part is not Part.WIRE:
        return body.kind, body.value
    return "exchange", None


def value_at(payload: object, hit: Hit) -> object:
    """The value that a hit is about, in its payload."""
    return read(payload, hit.pointer) if hit.value is UNREAD else hit.value


class LastPlaces:
    """The places of the JSON text that was read last: many exchanges of a capture may stand in one text."""

    def __init__(self) -> None:
        self._text: Text | None = None
        self._places: jsontext.Places | jsontext.Walk | None = None

    def of(self, text: Text, *, sound: bool) -> jsontext.Places | jsontext.Walk:
        """The places of a text, read again only where another text came between."""
        if self._places is None or self._text is not text:
            self._text, self._places = text, jsontext.places(text.data, sound=sound)
        return self._places


class Placer:
    """Places the hits of one exchange; a JSON text is read for places at most once, and only when one is needed."""

    def __init__(self, exchange: Exchange, folded: Folded | None, last: LastPlaces) -> None:
        self._exchange = exchange
        self._folded = folded
        self._last = last
        self._places: dict[int | tuple[int], jsontext.Places | jsontext.Walk] = {}

    def event(self, part: Part, hit: Hit) -> int | None:
        """The number of the event that a hit is about, or in which that part of the folded completion began."""
        if part is Part.FOLDED and hit.event is None and self._folded is not None:
            return self._folded.event(hit.pointer)
        return hit.event

    def source(self, part: Part, hit: Hit) -> Source:
        """Where a hit stands in the capture."""
        event = self.event(part, hit)
        place = self._place(part, hit, event)
        return Source(self._exchange.file, place.line, place.column, self._exchange.number, event)

    def excerpt(self, part: Part, hit: Hit) -> str | None:
        """The beginning of the JSON that a hit is about; ``None`` where there is none."""
        value = value_at(subject(self._exchange, part, hit, self._folded)[1], hit)
        return None if value is ABSENT else excerpt(value)

    def _place(self, part: Part, hit: Hit, event: int | None) -> Place:
        request, response = self._exchange.request, self._exchange.response
        if part is Part.REQUEST and request is not None:
            return self._in_payload(request, hit)
        body = response.body if response is not None else None
        if isinstance(body, Stream):
            pointer = () if part is Part.FOLDED and hit.event is None else hit.pointer
            return self._in_stream(body, hit, event, pointer)
        if isinstance(body, Payload):
            return self._in_payload(body, hit)
        if isinstance(body, Body):
            return body.text.place(hit.offset or 0)
        return self._in_json(self._exchange.text, self._exchange.at, key=False, sound=False)

    def _in_payload(self, payload: Payload, hit: Hit) -> Place:
        if hit.offset is not None:
            return payload.text.place(hit.offset)
        return self._in_json(payload.text, (*payload.at, *hit.pointer), key=hit.key, sound=payload.sound)

    def _in_stream(self, stream: Stream, hit: Hit, event: int | None, pointer: Pointer) -> Place:
        if event is None:
            if hit.offset is not None:
                return stream.text.place(hit.offset)
            if stream.framing is None and stream.at:
                return self._in_json(stream.text, stream.at, key=False, sound=not stream.unsound)
            return stream.text.place(0)
        if stream.framing is not None:
            framed = stream.framing.events[event]
            text = (
                stream.text.slice(framed.offset, framed.offset + len(framed.data))
                if framed.segments is None
                else Text.derived(framed.data, stream.text, framed.segments)
            )
        elif stream.lines is not None:
            text = stream.lines[event]
        else:
            return self._in_json(stream.text, (*stream.at, event, *pointer), key=hit.key, sound=not stream.unsound)
        if hit.offset is not None:
            return text.place(hit.offset)
        if not pointer:
            return text.place(0)
        return self._in_json(text, pointer, key=hit.key, sound=event not in stream.unsound, event=event)

    def _in_json(self, text: Text, pointer: Pointer, *, key: bool, sound: bool, event: int | None = None) -> Place:
        which = (
            id(text) if event is None else (event,)
        )  # the texts of an exchange live as long as it does, those of events do not
        places = self._places.get(which)
        if places is None:
            places = self._last.of(text, sound=sound) if event is None else jsontext.places(text.data, sound=sound)
            self._places[which] = places
        return text.place(places.offset(pointer, key=key))
