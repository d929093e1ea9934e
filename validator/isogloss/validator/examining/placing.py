"""Where a finding stands: from a place in a payload to line and column of the capture file."""

from __future__ import annotations

from enum import Enum

from isogloss.validator import jsontext
from isogloss.validator.exchange import Body, Exchange, Payload, Stream
from isogloss.validator.findings import Finding, Severity, Source
from isogloss.validator.pointer import ABSENT, Pointer, generic, rfc6901
from isogloss.validator.quoting import excerpt
from isogloss.validator.rules import Hit
from isogloss.validator.streams.fold import Folded
from isogloss.validator.text import Place, Text

__all__ = ["Part", "Placer", "subject"]


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


class Placer:
    """Places the hits of one exchange; a JSON text is scanned at most once, and only when something was found in it."""

    def __init__(self, exchange: Exchange, folded: Folded | None, *, show_values: bool = False) -> None:
        self._exchange = exchange
        self._folded = folded
        self._show_values = show_values
        self._places: dict[int | tuple[int], jsontext.Places] = {}

    def path_and_kind(self, part: Part, hit: Hit) -> tuple[str, str]:
        """The generic path of a hit and the kind of payload it is in: ``stream`` or ``exchange`` for the whole."""
        return generic(hit.pointer), subject(self._exchange, part, hit, self._folded)[0]

    def finding(
        self, rule: str, severity: Severity, part: Part, hit: Hit, count: int, explained_by: tuple[str, ...] = ()
    ) -> Finding:
        """The finding that a hit is, with its place in the capture."""
        path, kind = self.path_and_kind(part, hit)
        event = hit.event
        if part is Part.FOLDED and event is None and self._folded is not None:
            event = self._folded.event(hit.pointer)
        place = self._place(part, hit, event)
        return Finding(
            rule=rule,
            severity=severity,
            message=hit.message,
            kind=kind,
            path=path,
            pointer=rfc6901(hit.pointer),
            source=Source(
                file=self._exchange.file,
                line=place.line,
                column=place.column,
                exchange=self._exchange.number,
                event=event,
            ),
            schema=hit.schema,
            count=count,
            explained_by=explained_by,
            value=excerpt(hit.value) if self._show_values and hit.value is not ABSENT else None,
        )

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
        return self._in_json(self._exchange.text, self._exchange.at, key=False)

    def _in_payload(self, payload: Payload, hit: Hit) -> Place:
        if hit.offset is not None:
            return payload.text.place(hit.offset)
        return self._in_json(payload.text, (*payload.at, *hit.pointer), key=hit.key)

    def _in_stream(self, stream: Stream, hit: Hit, event: int | None, pointer: Pointer) -> Place:
        if event is None:
            if hit.offset is not None:
                return stream.text.place(hit.offset)
            if stream.framing is None and stream.at:
                return self._in_json(stream.text, stream.at, key=False)
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
            return self._in_json(stream.text, (*stream.at, event, *pointer), key=hit.key)
        if hit.offset is not None:
            return text.place(hit.offset)
        return self._in_json(text, pointer, key=hit.key, event=event) if pointer else text.place(0)

    def _in_json(self, text: Text, pointer: Pointer, *, key: bool, event: int | None = None) -> Place:
        which = (
            id(text) if event is None else (event,)
        )  # the texts of an exchange live as long as it does, those of events do not
        places = self._places.get(which)
        if places is None:
            places = self._places[which] = jsontext.places(text.data)
        return text.place(places.offset(pointer, key=key))
