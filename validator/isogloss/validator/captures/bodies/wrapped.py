"""Read a stream from a list, in every form in which recorders write it.

==========================================  ==========================================================================
items of the list                           what they hold
==========================================  ==========================================================================
chunks                                      one event each; an error, ``[DONE]`` or a heartbeat may be among them
``"{…}"``, ``"data: {…}"``                  one event each, as text; items may be blank, or hold another line of events
``"data: {…}\\n\\n"``, ``"data: {…"``, …    the pieces in which the body came, wherever they were cut
``{"perf_ns": 1, "data": {…}}``, …          any of these, in an object each, usually beside its time
``{"perf_ns": 1, "packets": [{…}]}``, …     the text of a chunk each, one object or list deeper
==========================================  ==========================================================================

The name of the property does not count, but it must be the same in all objects. Such objects may also stand on lines of
their own, with a whole event each. Benchmarks and mock servers write them, as the profiles of NVIDIA's GenAI-Perf
(``llm_profile_data_parser.py`` of genai-perf 0.0.16, PyPI) and the raw records of AIPerf (``RawRecordInfo`` and
``SSEMessage`` in src/aiperf/common/models/record_models.py of ai-dynamo/aiperf). MLflow keeps them as events of a
span, as ``mlflow.chunk.value`` among their attributes (tests/tracing/test_fluent.py of mlflow/mlflow; all read
2026-11).
"""

from __future__ import annotations

import re
from typing import Any

from msgspec.structs import replace

from isogloss.validator.captures.bodies.objects import objects_in
from isogloss.validator.captures.bodies.reads import BEGINS_EVENT
from isogloss.validator.captures.document import Node, decoded
from isogloss.validator.captures.names import normalised_names
from isogloss.validator.decode import decode_all, kind_of_json, stream, stream_of_chunks, stream_of_lines
from isogloss.validator.exchange import Stream
from isogloss.validator.kinds import FIRST_ITEMS, chunks_in, kind_of
from isogloss.validator.kinds.marks import TELLING_PROPERTIES
from isogloss.validator.pointer import ABSENT, Pointer, read
from isogloss.validator.text import Text

__all__ = [
    "BETWEEN_LINES", "event_in", "holds_chunk", "holds_stream", "kept_stream", "listed_stream",
    "name_of_read", "stream_in_lines", "stream_of_list",
]  # fmt: skip

_MOST_PROPERTIES = 12
"""An object with more properties is no event with its time, but a record."""
_HALVES = ("request", "response")
_WHOLE_BODIES = (*_HALVES, "body", "sse", "response_text")
"""Names of properties that hold a whole body, even if it is a single event."""
_OF_LIBRARIES = "__data__"
"""The name under which an object of a client library was dumped (:mod:`.dumps`): no recorder of events has it."""
_MESSAGE = frozenset({"role", "content"})
"""Names of a message of a conversation. What it quotes was not sent."""
_OF_MESSAGES = frozenset({"status", "statuscode", "url", "uri", "path", "method"})
"""Names of parts of an HTTP message. An object that has one of them holds a whole body, and no piece of a stream."""
BETWEEN_LINES = "}\n{"
"""What is in a text whose lines are chunks."""
_EVENT = rb"(?s)\s*+(?:data:[ \t]*+([^\r\n]*+)\s*+|(\{.*\}|\[DONE\])\s*+|(?:event|id|retry)?:[^\n]*+\n?)?\Z"
"""A text that is blank, or holds a line of a stream, or a chunk or the end alone."""


def holds_stream(value: object) -> bool:
    """Return whether a value is a list that holds a stream."""
    return bool(chunks_in(value)) or bool(_path_and_events(value)[1]) or _name_of_pieces(value) is not None


def listed_stream(node: Node) -> Stream | None:
    """Return the stream that a list holds, or ``None`` if a value is no such list."""
    if chunks := chunks_in(node.value):
        return stream_of_list(replace(node, value=chunks))
    path, events = _path_and_events(node.value)
    if not events:
        return _stream_of_pieces(node)
    texts = [_inner(item, path).text() for item in node.items()][: len(events)]
    lines = [text for text in texts if text is not None]
    if len(lines) == len(events):
        return stream_of_lines(lines, *decode_all([line.data for line in lines]))
    if not all(event == "[DONE]" for event in events if isinstance(event, str)):
        return None
    return stream_of_list(replace(node, value=events), within=path)


def _inner(node: Node, path: Pointer) -> Node:
    """Return the value at a path that the value of a node has."""
    return replace(node, value=read(node.value, path), at=(*node.at, *path))


def kept_stream(node: Node) -> Stream | None:
    """Return the stream that stands in what a log made of it, or ``None`` if a value is no such object.

    The logs of Helicone (helicone-node/async_logger/HeliconeAsyncOpenAIApi.ts of Helicone/helicone) and of the gateway
    of Noveum (src/telemetry of Noveum/ai-gateway) have such objects (both read 2026-11).
    """
    if not isinstance(node.value, dict) or not isinstance(node.value.get("streamed_data"), list):
        return None
    return listed_stream(node.get("streamed_data"))


def stream_in_lines(text: Text) -> Stream | None:
    """Return the stream whose chunks are the lines of a text, without ``data:``, or ``None`` for any other text.

    TensorZero keeps such a text in ``raw_response`` (``collect_chunks`` in
    tensorzero-core/src/inference/types/streams.rs of tensorzero/tensorzero, read 2026-11).
    """
    lines = [text.slice(*match.span()) for match in re.finditer(rb"\S[^\r\n]*", text.data)]
    values, sound = decode_all([line.data for line in lines])
    return stream_of_lines(lines, values, sound) if len(chunks_in(list(values))) == len(lines) else None


def stream_of_list(node: Node, within: Pointer = ()) -> Stream:
    """Return the stream whose events are the items of a list, or stand ``within`` them, whatever they are."""
    return stream_of_chunks(node.value, node.document.text, node.at, sound=node.document.sound, within=within)


def _name_of_pieces(value: object) -> str | None:
    """Return the name under which the objects of a list hold the pieces of a stream, or ``None`` for any other value.

    The name is empty if the pieces are the items themselves. If chunks stand behind the first of several ends, there
    may be several streams. A request among the items is no piece: they are the cells of a row.
    """
    if not isinstance(value, list):
        return None
    found = (_name_of_piece(item) for item in value[:FIRST_ITEMS])
    name = next((one for one in found if one is not None), None)
    if name is None:
        return None
    pieces = [_piece(item, name) for item in value]
    if not all(isinstance(piece, str) for piece in pieces) or any(map(_may_be_payload, pieces[:FIRST_ITEMS])):
        return None
    ends = [number for number, piece in enumerate(pieces) if "[DONE]" in piece]
    if ends and any('"choices"' in piece for piece in pieces[ends[0] + 1 : ends[-1] + 1]):
        return None
    return name if '"choices"' in "".join(pieces) else None


def _name_of_piece(item: object) -> str | None:
    """Return the name of the property that holds the beginning of a stream, or an empty one for the text of it."""
    if isinstance(item, str):
        begins = item.startswith(BEGINS_EVENT) or ('"choices"' in item and item.lstrip().startswith("{"))
        return "" if begins else None
    if not isinstance(item, dict) or len(item) > _MOST_PROPERTIES:
        return None
    named = (name for name, one in item.items() if name and isinstance(one, str) and one.startswith(BEGINS_EVENT))
    found = next(named, None)
    if found is None or not _OF_MESSAGES.isdisjoint(normalised_names(item)):
        return None
    return None if any(_may_be_payload(item[name]) for name in item if name != found) else found


def _piece(item: Any, name: str) -> Any:
    return item if not name else item.get(name) if isinstance(item, dict) else None


def _stream_of_pieces(node: Node) -> Stream | None:
    """Return the stream in a list of pieces: that of their joined text, or one with an event for each piece."""
    name = _name_of_pieces(node.value)
    if name is None:
        return None
    pieces = [item.get(name) if name else item for item in node.items()]
    if pieces[0].value.startswith(BEGINS_EVENT) and any("\n" in piece.value for piece in pieces):
        found = stream(node.joined(name) if name else node.joined())
        return found if any(kind_of(value) == "chunk" for value in found.values) else None
    texts = [text for piece in pieces if (text := piece.text()) is not None]
    events = [re.match(_EVENT, text.data) for text in texts]
    lines = [
        text.slice(*event.span(event.lastindex))
        for text, event in zip(texts, events, strict=True)
        if event and event.lastindex
    ]
    values, sound = decode_all([line.data for line in lines])
    chunks = [value for value in values if isinstance(value, dict) and kind_of(value) != "completion"]
    return stream_of_lines(lines, values, sound) if all(events) and chunks_in(chunks) else None


def holds_chunk(value: dict[str, Any]) -> bool:
    """Return whether an object holds a chunk as one of its properties."""
    return _name_of_chunk(value) is not None


def event_in(record: Node, name: str | None) -> tuple[str, Text] | None:
    """Return the event that an object on a line of its own holds, with the name of its property, else ``None``.

    The event is a chunk and, if the chunks before it stand under this ``name``, it may be the end. Nothing else in the
    object is a payload: it may be a record otherwise.
    """
    value = record.value
    if name is not None and value.get(name) == "[DONE]" and (end := record.get(name).text()) is not None:
        return name, end
    found = _name_of_chunk(value)
    if found is None:
        return _event_in_text(record, name)
    if found in _HALVES or any(_may_be_payload(value[one]) for one in value if one != found):
        return None
    inner = record.get(found)
    if (text := inner.text()) is not None:
        return found, text
    whole = record.document.text
    rest = whole.slice(record.document.places.offset(inner.at), len(whole.data))
    return found, next(objects_in(rest))


def name_of_read(value: object) -> str | None:
    """Return the name of the property that holds what was read of a stream, up to a cut or to the end of an event."""
    found = _name_of_piece(value)
    return found if found and found not in _WHOLE_BODIES else None


def _event_in_text(record: Node, name: str | None) -> tuple[str, Text] | None:
    """Return the chunk in the text of an event, or the end under this ``name``, as :func:`event_in` does."""
    found = name_of_read(record.value)
    text = record.get(found).text() if found else None
    event = re.match(_EVENT, text.data) if text is not None else None
    if not found or text is None or event is None or event.lastindex != 1:
        return None
    is_event = found == name if event[1] == b"[DONE]" else kind_of_json(event[1]) == "chunk"
    return (found, text.slice(*event.span(1))) if is_event else None


def _may_be_payload(value: object, deeper: int = 2) -> bool:
    """Return whether a value is a payload or holds one, or may be the text of a request.

    Of a list, only the first items are looked at.
    """
    if isinstance(value, str):
        return '"messages"' in value
    if not isinstance(value, dict | list):
        return False
    if isinstance(value, dict) and not value.keys().isdisjoint(TELLING_PROPERTIES) and kind_of(value) is not None:
        return True
    inner = value.values() if isinstance(value, dict) else value[:FIRST_ITEMS]
    return deeper > 0 and any(_may_be_payload(one, deeper - 1) for one in inner)


def _path_and_events(value: object) -> tuple[Pointer, list[Any]]:
    """Return the path at which the objects of a list hold events, and these, or no events for any other value.

    An object that holds another payload, too, is a record of an exchange.
    """
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value[:FIRST_ITEMS]):
        return (), []
    path = next((found for item in value[:FIRST_ITEMS] if (found := _path_of_chunk(item))), ())
    events = [read(item, path) for item in value] if path else []
    if not events or any(event is ABSENT for event in events):
        return (), []
    if any(_may_be_payload(one) for item in value[:FIRST_ITEMS] for name, one in item.items() if name != path[0]):
        return (), []
    is_stream = bool(chunks_in([decoded(event) for event in events]))
    return path, events if is_stream else []


def _path_of_chunk(item: dict[str, Any]) -> Pointer:
    """Return the path of the chunk in an object, or of the text of one in an object or a list in it, or ``()``."""
    if (name := _name_of_chunk(item)) is not None:
        return (name,)
    if len(item) > _MOST_PROPERTIES or item.keys() >= _MESSAGE or not _OF_MESSAGES.isdisjoint(normalised_names(item)):
        return ()
    for name, inner in item.items():
        parts = enumerate(inner[:FIRST_ITEMS]) if isinstance(inner, list) else [(None, inner)]
        for position, part in parts if name not in _WHOLE_BODIES else ():
            for key, one in part.items() if isinstance(part, dict) else ():
                if _may_be_chunk(one) and kind_of(decoded(one)) == "chunk":
                    return (name, key) if position is None else (name, position, key)
    return ()


def _name_of_chunk(item: dict[str, Any]) -> str | None:
    if len(item) > _MOST_PROPERTIES or _OF_LIBRARIES in item or item.keys() >= _MESSAGE or kind_of(item) is not None:
        return None
    candidates = ((name, inner) for name, inner in item.items() if isinstance(inner, dict) or _may_be_chunk(inner))
    return next((name for name, inner in candidates if kind_of(decoded(inner)) == "chunk"), None)


def _may_be_chunk(value: object) -> bool:
    return isinstance(value, str) and '"choices"' in value
