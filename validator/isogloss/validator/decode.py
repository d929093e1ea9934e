"""Make payloads, streams and bodies from text. JSON is decoded once, and its faults are found later, by a scan."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import orjson

from isogloss.validator import jsontext, sse
from isogloss.validator.exchange import Body, Kind, NotJson, Payload, Response, Stream
from isogloss.validator.kinds import answer_kind, kind_of
from isogloss.validator.pointer import Pointer
from isogloss.validator.secrets import escapes_ascii, mask_unescaped
from isogloss.validator.text import Text

__all__ = [
    "Decoded", "decode", "decode_all", "decode_json", "has_events", "is_json_in_any_encoding", "is_stream_type",
    "is_whole_event", "kind_of_json", "looks_like_sse", "payload", "response_body", "stream", "stream_of_chunks",
    "stream_of_lines",
]  # fmt: skip

_DATA_LINE = rb"[\r\n]data:"
_PSEUDO_HEADER = rb":(?:authority|method|path|scheme|status|protocol):"
_NO_DATA = rb"(?:\xef\xbb\xbf)?[\r\n]*+(?:(?:event|id|retry|(?:b['\"])?(?i:data)[ \t]*+)?:[^\r\n]*+[\r\n]*+)++"
"""Comments, and fields without data, which a stream has before its first event; or ``data`` that is spelt wrongly."""
_OBJECT_LINE = rb"[\r\n]data:[ \t]*+\{"
_BEFORE_STREAM = b"\xef\xbb\xbf \t\r\n"
"""What may stand before a stream: a byte order mark, and blank lines, which servers send while the model begins."""
_JSON_LINE = rb"(?:\A(?:\xef\xbb\xbf)?\s*|[\r\n])(?:data:[ \t]*+){1,2}[{\[]"
"""The field may be written twice, a fault of servers that wrap their own events into events."""


class Decoded(NamedTuple):
    """A JSON value, and whether its text is sound.

    The value of an unsound text is recovered, or ``MISSING`` if nothing could be recovered.
    """

    value: object
    sound: bool


def decode(data: bytes) -> Decoded:
    """Decode a JSON text. Never raises: what is not JSON is recovered as far as it goes."""
    decoded = decode_json(data)
    return Decoded(mask_unescaped(data, jsontext.scan(data).value), False) if decoded is None else decoded


def decode_all(texts: Sequence[bytes]) -> tuple[list[object], list[bool]]:
    """Decode each of the JSON texts as :func:`decode` does; return the values, and whether each of the texts is sound.

    This takes less time: duplicate keys and escapes are searched for in all texts at once. If one of the texts is no
    JSON, or has escapes that may hide keys, they are decoded one by one.
    """
    try:
        values = list(map(orjson.loads, texts))
    except orjson.JSONDecodeError:
        values = None
    if values is None or escapes_ascii(b"\n".join(texts)):
        decoded = [decode(text) for text in texts]
        return [one.value for one in decoded], [one.sound for one in decoded]
    sound = [True] * len(texts)
    for number in jsontext.texts_with_duplicate_keys(texts, values, escapes=False):
        sound[number] = False
    return values, sound


def decode_json(data: bytes) -> Decoded | None:
    """Decode a text that is JSON; return ``None`` for any other text, without recovering anything."""
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        return None
    escapes = escapes_ascii(data)
    sound = not jsontext.duplicate_keys(data, value, escapes=escapes)
    return Decoded(mask_unescaped(data, value) if escapes else value, sound)


def is_json_in_any_encoding(data: bytes) -> bool:
    """Return whether a text is JSON, apart from bytes that are no UTF-8."""
    return decode_json(data.decode("utf-8", "replace").encode()) is not None


def kind_of_json(data: bytes) -> Kind | None:
    """Tell the kind of the payload that a JSON text is, or return ``None`` for any other text."""
    decoded = decode_json(data)
    return None if decoded is None else kind_of(decoded.value)


def payload(text: Text, kind: Kind, decoded: Decoded | None = None) -> Payload:
    """Return the payload of this kind that a text holds; its ``value`` is ``MISSING`` if nothing of the text is JSON.

    ``decoded`` is what the text was decoded to, if that was done before.
    """
    value, sound = decoded or decode(text.data)
    return Payload(kind=kind, value=value, text=text, sound=sound)


def looks_like_sse(data: bytes) -> bool:
    """Return whether bytes begin like an event stream.

    It begins with a `data` line, or with another field or a comment and has a `data` line below. Style sheets, Markdown
    and YAML begin with words and colons like these, too, but have no line of data. A dump of HTTP/2 begins with a
    pseudo-header, and may have the stream below it.
    """
    start = data[:200].lstrip(_BEFORE_STREAM) or data.lstrip(_BEFORE_STREAM)[:200]
    if start.startswith(b"data:"):
        return True
    if not start.startswith((b"event:", b"id:", b"retry:", b":")) or re.match(_PSEUDO_HEADER, start):
        return False
    return re.search(_DATA_LINE, data) is not None


def has_events(data: bytes) -> bool:
    """Return whether bytes are an event stream that has events of JSON, or the `[DONE]` behind them."""
    return looks_like_sse(data) and re.search(_JSON_LINE, data) is not None


def stream(text: Text) -> Stream:
    """Return the stream that the text of an SSE body holds.

    Events without a blank line or a line end between them are separated.
    """
    framing = sse.parse(text.data)
    sse.separate(framing, is_whole_event)
    return _stream(text, framing)


def _stream(text: Text, framing: sse.Framing, *, may_be_joined: bool = True) -> Stream:
    """Decode the events of a stream. ``may_be_joined`` says that a line may still hold several events."""
    texts = framing.events.data
    values: list[object] = []
    no_json: list[int] = []
    cut: list[int] = []
    loads = orjson.loads
    for number, data in enumerate(texts):
        try:
            values.append(loads(data))
        except orjson.JSONDecodeError:
            if may_be_joined and b"data:" in data:
                if sse.separate_joined(framing, is_whole_event):
                    return _stream(text, framing, may_be_joined=False)
                may_be_joined = False
            value, is_cut = _recover(data)
            values.append(value)
            no_json.append(number)
            if is_cut:
                cut.append(number)
    escapes = escapes_ascii(text.data)
    unsound = _unsound_events(texts, values, no_json, escapes=escapes)
    if escapes:
        values = [mask_unescaped(data, value) for data, value in zip(texts, values, strict=True)]
    return Stream(values=values, text=text, framing=framing, unsound=unsound, cut=frozenset(cut))


def is_whole_event(data: bytes) -> bool:
    """Return whether the data of an event are ``[DONE]`` or a JSON object."""
    return data.strip() == b"[DONE]" or ((decoded := decode_json(data)) is not None and isinstance(decoded.value, dict))


def _unsound_events(texts: list[bytes], values: list[object], no_json: list[int], *, escapes: bool) -> frozenset[int]:
    """Return the numbers of the events whose JSON has to be scanned for faults."""
    texts, decoded = texts.copy(), values.copy()
    for number in no_json:
        texts[number], decoded[number] = b"0", 0  # a text without keys
    faulty = [number for number in no_json if values[number] not in (NotJson.DONE, NotJson.EMPTY)]
    return frozenset(jsontext.texts_with_duplicate_keys(texts, decoded, escapes=escapes)).union(faulty)


def _recover(data: bytes) -> tuple[object, bool]:
    """Return the value of an event that is no JSON, recovered as far as it goes, and whether it is cut off."""
    bare = data.strip()
    if bare == b"[DONE]":
        return NotJson.DONE, False
    if not bare:
        return NotJson.EMPTY, False
    scan = jsontext.scan(data)
    return scan.value if isinstance(scan.value, dict) and scan.value else NotJson.FAULTY, scan.cut(())


def stream_of_chunks(
    chunks: list[object], text: Text, at: Pointer = (), *, sound: bool = True, within: Pointer = ()
) -> Stream:
    """Return the stream of chunks that are the items of an array at a pointer in a JSON text.

    If each chunk is wrapped in its item, ``within`` is the pointer from the item to the chunk.
    """
    numbers = range(len(chunks))
    unsound, last = (frozenset[int](), numbers[:0]) if sound else (frozenset(numbers), numbers[-1:])
    cut = frozenset(number for number in last if _ends_inside(text, (*at, number, *within)))
    values = [NotJson.DONE if chunk == "[DONE]" else chunk for chunk in chunks]
    return Stream(values=values, text=text, at=at, unsound=unsound, cut=cut, within=within)


def stream_of_lines(lines: list[Text], values: Sequence[object], sound: Sequence[bool]) -> Stream:
    """Return the stream whose chunks stand on one line each; ``values`` and ``sound`` come from decoding the lines."""
    chunks: list[object] = [
        value if isinstance(value, dict) else NotJson.DONE if line.data.strip() == b"[DONE]" else NotJson.FAULTY
        for line, value in zip(lines, values, strict=True)
    ]
    unsound = frozenset(n for n, is_sound in enumerate(sound) if not is_sound and chunks[n] is not NotJson.DONE)
    return Stream(
        values=chunks,
        text=lines[0],
        lines=lines,
        unsound=unsound,
        cut=frozenset(number for number in unsound if _ends_inside(lines[number], ())),
    )


def _ends_inside(text: Text, at: Pointer) -> bool:
    """Return whether a text that is unsound ends inside the value at a pointer."""
    return decode_json(text.data) is None and jsontext.scan(text.data).cut(at)


def is_stream_type(content_type: str | None) -> bool:
    """Return whether a content type is that of a stream."""
    return content_type is not None and "event-stream" in content_type


def response_body(text: Text, *, status: int | None, content_type: str | None) -> Response:
    """Return a response body as what it is: an event stream, a JSON payload or neither.

    Its bytes count before its content type: text that is not JSON, and has lines of data with JSON objects, is a stream
    whose beginning is broken. The kind of a JSON body follows from its content, or from its status if the content does
    not show it.
    """
    data = text.data
    if looks_like_sse(data):
        return stream(text)
    if not data.strip():
        return stream(text) if is_stream_type(content_type) and (status or 200) < 400 else Body(text=text)
    if is_stream_type(content_type) and re.fullmatch(_NO_DATA, data) is not None:
        return stream(text)
    decoded = decode(data)
    if not decoded.sound and re.search(_OBJECT_LINE, data) is not None:
        return stream(text)
    if not isinstance(decoded.value, dict) and not decoded.sound:
        return Body(text=text)
    return payload(text, answer_kind(decoded.value, status), decoded)
