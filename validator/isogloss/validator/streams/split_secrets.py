"""Mask keys that a stream sends in pieces: each piece is masked as it would be in the whole text.

Every string of a chunk counts as a piece of a text, which the same property of all chunks makes together: content,
reasoning, refusals, the arguments of tool calls, tokens, and whatever else a server may send. If a property has the
same value in all chunks, such as ``id`` and ``model``, it is no text in pieces. The numbers of ``bytes``, which log
probabilities have beside each token, are pieces, too.
"""

from __future__ import annotations

import copy
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any

import orjson
from msgspec import Struct
from msgspec.structs import replace

from isogloss.validator import jsontext, secrets, sse
from isogloss.validator.exchange import Exchange, Payload, Stream
from isogloss.validator.pointer import Pointer
from isogloss.validator.text import Segments

__all__ = ["mask_document", "mask_event_stream", "mask_exchange", "mask_stream"]

_Mask = Callable[[bytes], bytes]
_DIGITS = re.compile(rb"-?\w+")


class _Piece(Struct, frozen=True):
    """A string in an event, or the numbers of ``bytes``: its text, and the same text after masking."""

    event: int
    at: Pointer
    text: bytes
    masked: bytes


def mask_exchange(exchange: Exchange) -> Exchange:
    """Return the exchange after masking the keys that its answer holds in pieces."""
    body = exchange.response
    if isinstance(body, Stream):
        return replace(exchange, response=mask_stream(body))
    return replace(exchange, response=_mask_payload(body)) if isinstance(body, Payload) else exchange


def mask_stream(stream: Stream) -> Stream:
    """Return the stream after masking the keys that the values of its events hold in pieces.

    The text of the stream stays the same.
    """
    values = _mask_values(stream.values)
    return stream if values is None else replace(stream, values=values)


def _mask_payload(payload: Payload) -> Payload:
    """Return the payload of an answer after masking the keys that its value holds in pieces.

    The tokens of its log probabilities are pieces of a text, too.
    """
    values = _mask_values([payload.value])
    return payload if values is None else replace(payload, value=values[0])


def _mask_values(values: Sequence[object]) -> list[object] | None:
    """Return the values after masking the keys that they hold in pieces, or ``None`` if there are no keys."""
    pieces = list(_pieces(values, secrets.mask))
    if not pieces:
        return None
    changed = list(values)
    for number in {piece.event for piece in pieces}:
        changed[number] = copy.deepcopy(changed[number])
    for piece in pieces:
        parent: Any = changed[piece.event]
        for step in piece.at[:-1]:
            parent = parent[step]
        is_numbers = isinstance(parent[piece.at[-1]], list)
        parent[piece.at[-1]] = list(piece.masked) if is_numbers else piece.masked.decode("utf-8", "surrogatepass")
    return changed


def mask_event_stream(body: bytes, mask: _Mask) -> bytes:
    """Return the body of a streamed answer after masking keys that are in pieces or written with escapes.

    Its length stays the same, and JSON in it stays JSON. ``mask`` overwrites secrets in text without changing its
    length.
    """
    return _overwrite(body, sse.parse(body).events, mask)


def mask_document(body: bytes, mask: _Mask) -> bytes:
    """Return the body of an answer that is one JSON text, after masking keys as :func:`mask_event_stream` does."""
    return _overwrite(body, [sse.Event(data=body, offset=0, segments=None, type=None, complete=True)], mask)


def _overwrite(body: bytes, events: Sequence[sse.Event], mask: _Mask) -> bytes:
    out = bytearray(body)
    scans: dict[int, jsontext.Scan] = {}
    for piece in _pieces((_decode(event.data) for event in events), mask):
        event = events[piece.event]
        if piece.event not in scans:
            scans = {piece.event: jsontext.scan(event.data)}
        scan = scans[piece.event]
        if event.data[(start := scan.offset(piece.at)) : start + 1] == b"[":
            _overwrite_numbers(out, event, scan, piece)
            continue
        segments = scan.string_segments(piece.at)
        for position, (plain, masked) in enumerate(zip(piece.text, piece.masked, strict=True)):
            if plain != masked:
                for offset in _spelled_range(segments, position):
                    out[_offset_in_body(event, offset)] = ord("*")
    return bytes(out)


def _overwrite_numbers(out: bytearray, event: sse.Event, scan: jsontext.Scan, piece: _Piece) -> None:
    """Overwrite each masked number with the number of an asterisk, and fill the rest with spaces.

    There is always room for it: numbers that are masked have at least two digits.
    """
    for position, (plain, masked) in enumerate(zip(piece.text, piece.masked, strict=True)):
        if plain != masked and (digits := _DIGITS.match(event.data, scan.offset((*piece.at, position)))):
            for offset, digit in zip(range(*digits.span()), b"%-*d" % (len(digits[0]), masked), strict=True):
                out[_offset_in_body(event, offset)] = digit


def _decode(data: bytes) -> object:
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return jsontext.scan(data).value


def _pieces(values: Iterable[object], mask: _Mask) -> Iterator[_Piece]:
    """Join the strings of each text, and yield the pieces in which something has to be masked, event by event."""
    texts: dict[tuple[object, ...], list[tuple[int, Pointer, bytes]]] = {}
    for number, value in enumerate(values):
        for key, at, text in _strings(value):
            texts.setdefault(key, []).append((number, at, text))
    changed_pieces = []
    for parts in texts.values():
        if len(parts) > 1 and len({text for _, _, text in parts if text}) < 2:
            continue
        whole = b"".join(text for _, _, text in parts)
        masked = mask(whole)
        if masked == whole:
            continue
        start = 0
        for number, at, piece_text in parts:
            masked_text = masked[start : start + len(piece_text)]
            start += len(piece_text)
            if masked_text != piece_text:
                changed_pieces.append(_Piece(number, at, piece_text, masked_text))
    yield from sorted(changed_pieces, key=lambda piece: piece.event)


def _strings(chunk: object) -> Iterator[tuple[tuple[object, ...], Pointer, bytes]]:
    """Yield the strings of a chunk and its ``bytes``.

    Each comes with a key for the text that it is a piece of, and with its pointer.
    """
    pending: list[tuple[object, tuple[object, ...], Pointer]] = []  # the next one last
    if isinstance(chunk, dict):
        pending.append((chunk, (), ()))
    while pending:
        value, key, at = pending.pop()
        if isinstance(value, str):
            yield key, at, value.encode("utf-8", "surrogatepass")
        elif isinstance(value, dict):
            pending += [
                (inner, (*key, name), (*at, name))
                for name, inner in value.items()
                if isinstance(inner, (str, dict, list))
            ]
        elif isinstance(value, list) and at[-1] == "bytes" and (numbers := _bytes(value)) is not None:
            yield key, at, numbers
        elif isinstance(value, list):
            # Items with an index are identified by it, and choices without one by their position. Tokens are one text.
            default_index = at == ("choices",)
            items = [
                (inner, (*key, _index_of(inner, position if default_index else None)), (*at, position))
                for position, inner in enumerate(value)
            ]
            pending += reversed(items)


def _bytes(value: list[Any]) -> bytes | None:
    """Return the bytes that a list holds as numbers, or ``None`` if it holds anything else."""
    try:
        return bytes(value)
    except (TypeError, ValueError):
        return None


def _index_of(value: object, default: int | None) -> int | None:
    index = value.get("index") if isinstance(value, dict) else None
    return index if type(index) is int else default


def _spelled_range(segments: Segments, offset: int) -> range:
    """Return the offsets in the JSON text that spell the byte at an offset of a string.

    This is one byte, or all bytes of an escape.
    """
    behind = bisect_right(segments, offset, key=itemgetter(0))
    if behind == len(segments):
        return range(0)
    (inside, outside), (next_inside, next_outside) = segments[behind - 1], segments[behind]
    if next_inside - inside != next_outside - outside:
        return range(outside, next_outside)
    start = outside + offset - inside
    return range(start, start + 1)


def _offset_in_body(event: sse.Event, offset: int) -> int:
    """Return the offset in the body for an offset in the data of an event."""
    if event.segments is None:
        return event.offset + offset
    inside, outside = event.segments[bisect_right(event.segments, offset, key=itemgetter(0)) - 1]
    return outside + offset - inside
