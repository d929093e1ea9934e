"""Read a stream from a list of objects: each object holds one event, usually with its time.

``[{"perf_ns": 1, "data": {…}}, …]`` is a list of such objects. They may also stand on lines of their own. The name of
the property does not count, but it must be the same in all objects. The event is a chunk as an object, or its JSON
text. Benchmarks and mock servers write such objects. Objects with one property may hold the body in pieces, as in the
profiles of NVIDIA's GenAI-Perf (``{"response": "data: {…}\\n\\n"}``: ``llm_profile_data_parser.py`` of
genai-perf 0.0.16, PyPI, read 2026-11).
"""

from __future__ import annotations

from typing import Any

from isogloss.validator.captures.document import Node, decoded
from isogloss.validator.captures.structures.objects import objects_in
from isogloss.validator.decode import decode_all, stream, stream_of_chunks, stream_of_lines
from isogloss.validator.exchange import Stream
from isogloss.validator.kinds import FIRST_ITEMS, chunks_in, kind_of, others
from isogloss.validator.text import Text

__all__ = ["event_in", "holds_chunk", "holds_pieces", "is_wrapped_stream", "stream_in", "stream_of_pieces"]

_MOST_PROPERTIES = 12
_HALVES = ("request", "response")
_FIRST_PIECES = 10
"""In so many first pieces of a body there is a chunk. Pieces may be shorter than events."""
_EVENT = ("data:", "event:", "id:", ": ")
"""How the piece with the first event begins."""


def is_wrapped_stream(value: object) -> bool:
    """Return whether a value is a list of objects that hold the events of a stream."""
    return bool(_name_and_events(value)[1])


def holds_pieces(value: object) -> bool:
    """Return whether a value is a list of objects that hold the pieces of the body of a stream, and nothing else."""
    if not isinstance(value, list) or not value or not isinstance(value[0], dict) or len(value[0]) != 1:
        return False
    name, piece = next(iter(value[0].items()))
    if not isinstance(piece, str) or not piece.startswith(_EVENT):
        return False
    pieces: list[str] = [
        one[name] for one in value if isinstance(one, dict) and len(one) == 1 and isinstance(one.get(name), str)
    ]
    if len(pieces) < len(value):
        return False
    return _may_be_chunk("".join(pieces[:_FIRST_PIECES])) and sum("[DONE]" in piece for piece in pieces) < 2


def stream_of_pieces(node: Node) -> Stream:
    """Return the stream whose pieces stand in a list for which :func:`holds_pieces` is true."""
    return stream(node.joined(next(iter(node.value[0]))))


def stream_in(node: Node) -> Stream | None:
    """Return the stream that a list of objects holds, or ``None`` if a value is no such list."""
    name, events = _name_and_events(node.value)
    if not events:
        return None
    texts = [item.get(name).text() for item in node.items()][: len(events)]
    lines = [text for text in texts if text is not None]
    if len(lines) == len(events):
        return stream_of_lines(lines, *decode_all([line.data for line in lines]))
    if lines and not all(event == "[DONE]" for event in events if isinstance(event, str)):
        return None
    return stream_of_chunks(events, node.document.text, node.at, sound=node.document.sound, within=(name,))


def holds_chunk(value: dict[str, Any]) -> bool:
    """Return whether an object holds a chunk as one of its properties."""
    return _name_of_chunk(value) is not None


def event_in(record: Node, name: str | None) -> tuple[str, Text] | None:
    """Return the event that an object on a line of its own holds, with the name of its property, else ``None``.

    The event is a chunk and, if the chunks before it stand under this ``name``, it may be the end. Everything else in
    the object is plain: it may be a record otherwise.
    """
    value = record.value
    if name is not None and value.get(name) == "[DONE]" and (end := record.get(name).text()) is not None:
        return name, end
    found = _name_of_chunk(value)
    if found is None or found in _HALVES or any(_may_be_payload(value[one]) for one in value if one != found):
        return None
    inner = record.get(found)
    if (text := inner.text()) is not None:
        return found, text
    whole = record.document.text
    rest = whole.slice(record.document.places.offset(inner.at), len(whole.data))
    return found, next(objects_in(rest))


def _may_be_payload(value: object) -> bool:
    return isinstance(value, dict | list) or (isinstance(value, str) and '"messages"' in value)


def _name_and_events(value: object) -> tuple[str, list[Any]]:
    """Return the name under which the objects of a list hold events, and these, or no events for any other value."""
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value[:FIRST_ITEMS]):
        return "", []
    name = next((found for item in value[:FIRST_ITEMS] if (found := _name_of_chunk(item)) is not None), None)
    if name is None or not all(isinstance(item, dict) and name in item for item in value):
        return "", []
    events = [item[name] for item in value]
    is_stream = bool(chunks_in([decoded(event) for event in events]))
    return name, events if is_stream else []


def _name_of_chunk(item: dict[str, Any]) -> str | None:
    if len(item) > _MOST_PROPERTIES or kind_of(item) is not None or others.other_kind(item):
        return None
    candidates = ((name, inner) for name, inner in item.items() if isinstance(inner, dict) or _may_be_chunk(inner))
    return next((name for name, inner in candidates if kind_of(decoded(inner)) == "chunk"), None)


def _may_be_chunk(value: object) -> bool:
    return isinstance(value, str) and '"choices"' in value
