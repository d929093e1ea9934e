"""Mask keys that a stream sends in pieces: each piece is masked as it would be in the whole text.

Every string of a chunk is taken for a piece of the text that the same property of all chunks makes together: content,
reasoning, refusals, the arguments of tool calls, tokens, and whatever else a server may send. A property that says the
same in all chunks, as ``id`` and ``model`` do, is no text in pieces. The numbers of ``bytes``, which log probabilities
have beside each token, are a piece, too.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import orjson

from isogloss.validator import jsontext, secrets, sse
from isogloss.validator.exchange import Payload, Stream
from isogloss.validator.pointer import Pointer
from isogloss.validator.text import Segments

__all__ = ["in_document", "in_text", "in_value", "in_values"]

_Masking = Callable[[bytes], bytes]
_DIGITS = re.compile(rb"-?\w+")


class _Piece(NamedTuple):
    """A string in an event, or the numbers of ``bytes``: its text, and the same text after masking."""

    event: int
    at: Pointer
    text: bytes
    masked: bytes


def in_values(stream: Stream) -> Stream:
    """Return the stream after masking the keys that the values of its events hold in pieces.

    The text of the stream stays the same.
    """
    values = _masked(stream.values)
    return stream if values is None else stream._replace(values=values)


def in_value(payload: Payload) -> Payload:
    """Return the payload of an answer after masking the keys that its value holds in pieces.

    The tokens of its log probabilities are pieces of a text, too.
    """
    values = _masked([payload.value])
    return payload if values is None else payload._replace(value=values[0])


def _masked(values: Sequence[object]) -> list[object] | None:
    """Return the values after masking the keys that they hold in pieces, or ``None`` if there are no keys."""
    pieces = list(_pieces(values, secrets.mask))
    if not pieces:
        return None
    changed = list(values)
    for number in {piece.event for piece in pieces}:
        changed[number] = copy.deepcopy(changed[number])
    for piece in pieces:
        holder: Any = changed[piece.event]
        for step in piece.at[:-1]:
            holder = holder[step]
        numbers = isinstance(holder[piece.at[-1]], list)
        holder[piece.at[-1]] = list(piece.masked) if numbers else piece.masked.decode("utf-8", "surrogatepass")
    return changed


def in_text(body: bytes, mask: _Masking) -> bytes:
    """Return the body of a streamed answer after masking keys that are in pieces or written with escapes.

    Its length stays the same, and JSON in it stays JSON. ``mask`` overwrites secrets in text without changing its
    length.
    """
    return _overwritten(body, sse.parse(body).events, mask)


def in_document(body: bytes, mask: _Masking) -> bytes:
    """Return the body of an answer that is one JSON text, after masking keys as :func:`in_text` does."""
    return _overwritten(body, [sse.Event(data=body, offset=0, segments=None, type=None, complete=True)], mask)


def _overwritten(body: bytes, events: Sequence[sse.Event], mask: _Masking) -> bytes:
    out = bytearray(body)
    places: dict[int, jsontext.Scan] = {}
    for piece in _pieces((_decoded(event.data) for event in events), mask):
        event = events[piece.event]
        if piece.event not in places:
            places = {piece.event: jsontext.scan(event.data)}
        scan = places[piece.event]
        if event.data[(start := scan.offset(piece.at)) : start + 1] == b"[":
            _overwrite_numbers(out, event, scan, piece)
            continue
        spelt = scan.string_segments(piece.at)
        for here, (was, is_) in enumerate(zip(piece.text, piece.masked, strict=True)):
            if was != is_:
                for offset in _spelling(spelt, here):
                    out[_outside(event, offset)] = ord("*")
    return bytes(out)


def _overwrite_numbers(out: bytearray, event: sse.Event, scan: jsontext.Scan, piece: _Piece) -> None:
    """Overwrite each masked number with the number of an asterisk, and fill the rest with spaces.

    There is always room for it: numbers that are masked have at least two digits.
    """
    for here, (was, is_) in enumerate(zip(piece.text, piece.masked, strict=True)):
        if was != is_ and (digits := _DIGITS.match(event.data, scan.offset((*piece.at, here)))):
            for offset, digit in zip(range(*digits.span()), b"%-*d" % (len(digits[0]), is_), strict=True):
                out[_outside(event, offset)] = digit


def _decoded(data: bytes) -> object:
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return jsontext.scan(data).value


def _pieces(values: Iterable[object], mask: _Masking) -> Iterator[_Piece]:
    """Join the strings of each text, and yield the pieces in which something has to be masked, event by event."""
    texts: dict[tuple[object, ...], list[tuple[int, Pointer, bytes]]] = {}
    for number, value in enumerate(values):
        for key, at, text in _strings(value):
            texts.setdefault(key, []).append((number, at, text))
    changed = []
    for parts in texts.values():
        if len(parts) > 1 and len({text for _, _, text in parts if text}) < 2:
            continue
        whole = b"".join(text for _, _, text in parts)
        masked = mask(whole)
        if masked == whole:
            continue
        start = 0
        for number, at, said in parts:
            left = masked[start : start + len(said)]
            start += len(said)
            if left != said:
                changed.append(_Piece(number, at, said, left))
    yield from sorted(changed, key=lambda piece: piece.event)


def _strings(chunk: object) -> Iterator[tuple[tuple[object, ...], Pointer, bytes]]:
    """Yield the strings of a chunk and its ``bytes``.

    Each comes with a key for the text that it is a piece of, and with its pointer.
    """
    pending: list[tuple[object, tuple[object, ...], Pointer]] = []  # the next one last
    if isinstance(chunk, dict):
        pending.append((chunk, (), ()))
    while pending:
        value, of, at = pending.pop()
        if isinstance(value, str):
            yield of, at, value.encode("utf-8", "surrogatepass")
        elif isinstance(value, dict):
            pending += [(one, (*of, name), (*at, name)) for name, one in reversed(value.items())]
        elif isinstance(value, list) and at[-1] == "bytes" and (numbers := _bytes(value)) is not None:
            yield of, at, numbers
        elif isinstance(value, list):
            # Items with a number are known by it, choices without one by their position; tokens follow each other.
            otherwise = at == ("choices",)
            items = [
                (one, (*of, _number(one, position if otherwise else None)), (*at, position))
                for position, one in enumerate(value)
            ]
            pending += reversed(items)


def _bytes(value: list[Any]) -> bytes | None:
    """Return the bytes that a list holds as numbers, or ``None`` if it holds anything else."""
    try:
        return bytes(value)
    except (TypeError, ValueError):
        return None


def _number(value: object, otherwise: int | None) -> int | None:
    index = value.get("index") if isinstance(value, dict) else None
    return index if type(index) is int else otherwise


def _spelling(segments: Segments, offset: int) -> range:
    """Return the offsets in the JSON text that spell the byte at an offset of a string.

    This is one byte, or all bytes of an escape.
    """
    for (here, there), (next_here, next_there) in pairwise(segments):
        if here <= offset < next_here:
            plain = next_here - here == next_there - there
            return range(there + offset - here, there + offset - here + 1) if plain else range(there, next_there)
    return range(0)


def _outside(event: sse.Event, offset: int) -> int:
    """Return the offset in the body for an offset in the data of an event."""
    if event.segments is None:
        return event.offset + offset
    here, there = max(segment for segment in event.segments if segment[0] <= offset)
    return there + offset - here
