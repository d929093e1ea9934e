"""Read records of any layout by a :class:`Mapping`: objects that hold the request and the answer under some names."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from isogloss.validator import jsontext
from isogloss.validator.captures import http
from isogloss.validator.captures.bodies.dumps import sent_arguments
from isogloss.validator.captures.bodies.encoded import without_base64
from isogloss.validator.captures.bodies.wrapped import BETWEEN_LINES, kept_stream, listed_stream, stream_in_lines
from isogloss.validator.captures.document import Document, Node, integer
from isogloss.validator.captures.mapping import PARTS, Mapping, names_of
from isogloss.validator.captures.traffic import why_no_answer, why_other_traffic
from isogloss.validator.decode import Decoded, is_stream_type, response_body
from isogloss.validator.exchange import NO_HTTP, Exchange, HttpFacts, Payload, Response, Skipped, Stream
from isogloss.validator.kinds import answer_kind, kind_of
from isogloss.validator.text import Text

__all__ = ["decode_text", "fits", "follow", "follow_each", "read_mapped"]

_MOST_DOTS = 32
"""Of a path with more dots, only the splits near its beginning and its end are tried: a text may be a name, too."""
_NOTHING = Node(Document(Text(b""), Decoded(None, sound=True)), None, ())
"""The node that a path leads to if there is no value."""


def follow(part: Node, path: str) -> Node:
    """Return the node at a path; its value is ``None`` if there is nothing."""
    if not path:
        return _NOTHING
    if "." not in path and "[" not in path:
        return _child(part, path)
    found = _follow(part, tuple(path.split(".")))
    return _follow(part, names_of(path)) if found.value is None and "[" in path else found


def _follow(part: Node, steps: tuple[str, ...]) -> Node:
    if not steps:
        return part
    if not isinstance(part.value, dict):
        part = decode_text(part)
    if isinstance(part.value, list) and (position := _position(steps[0], part.value)) is not None:
        found = _follow(part.item(position), steps[1:])
        if found.value is not None:
            return found
    names = part.value if isinstance(part.value, dict) else None
    for name, rest in _splits(steps) if len(steps) <= _MOST_DOTS else _each_split(steps):
        if names is not None and name not in names:
            continue
        child = _child(part, name)
        if child.value is not None and (found := _follow(child, rest)).value is not None:
            return found
    return _NOTHING


@lru_cache(256)
def _splits(steps: tuple[str, ...]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple(_each_split(steps))


def _each_split(steps: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each name that a path may begin with, the longest first, and what is left of the path.

    There are several, since a name may have dots. If there are very many, either the name or what is left has few.
    """
    for end in range(len(steps), 0, -1):
        if end <= _MOST_DOTS or end > len(steps) - _MOST_DOTS:
            yield ".".join(steps[:end]), steps[end:]


def _child(part: Node, name: str) -> Node:
    """Return what has this name in a value: a property, an item by its number, or the value of a key in a list.

    JSON text is decoded first. The value of the node is ``None`` if nothing has the name.
    """
    if isinstance(part.value, dict):
        return part.get(name)
    part = decode_text(part)
    if isinstance(part.value, dict):
        return part.get(name)
    if not isinstance(part.value, list):
        return _NOTHING
    if (position := _position(name, part.value)) is not None:
        return part.item(position)
    for item in part.items():
        if item.get("key", "name").value == name:
            return _attribute_value(item.get("value"))
    return _NOTHING


def _position(name: str, items: list[Any]) -> int | None:
    position = integer(name)
    return position if position is not None and position < len(items) else None


def _attribute_value(value: Node) -> Node:
    """Return the value of an attribute. In the JSON encoding of OTLP, an object that names its type holds the value."""
    inner = value.get("stringValue", "intValue", "boolValue", "doubleValue")
    return value if inner.value is None else inner


def decode_text(part: Node) -> Node:
    """Return the value of JSON text, and any other value as it is."""
    if isinstance(part.value, str) and part.value.lstrip()[:1] not in ("{", "["):
        return part
    if (text := part.text()) is None or text.data.lstrip()[:1] not in (b"{", b"["):
        return part
    document = Document(text)
    return Node(document, None if document.value is jsontext.MISSING else document.value, ())


def follow_each(part: Node, path: str) -> Iterator[Node]:
    """Yield the values that a path leads to; ``*`` behind a name in it means every item of a list."""
    name, _, rest = path.partition("*")
    for item in follow(part, name.strip(".")).items():
        yield from follow_each(item, rest.strip(".")) if rest else (item,)


def fits(part: Node, mapping: Mapping) -> bool:
    """Return whether a record holds a request or an answer at the paths of the mapping."""
    paths = (mapping.request, mapping.response, mapping.stream)
    if isinstance(part.value, dict) and part.value.keys().isdisjoint(_first_names(paths)):
        return False
    return any(follow(part, path).value is not None for path in paths)


@lru_cache(256)
def _first_names(paths: tuple[str, ...]) -> frozenset[str]:
    """Return all names with which one of the paths may begin. An object without any of them holds nothing there."""
    ways = (names for path in paths if path for names in (tuple(path.split(".")), names_of(path)))
    return frozenset(name for names in ways for name, _ in _splits(names))


def read_mapped(
    file: str,
    number: int,
    part: Node,
    mapping: Mapping,
    *,
    request: Payload | None = None,
    row_group: int | None = None,
    by_user: bool = False,
) -> Exchange | Skipped:
    """Return the exchange that a record of a file holds, or a :class:`Skipped` with the reason why it is not checked.

    ``request`` is the request of a log that does not keep it in one place. ``row_group`` is that of the record, if it
    is a row of a table. ``by_user`` says that the mapping is the user's: then the exchange says which parts were there.
    A span may have the arguments of any function in place of a request. These are not read.
    """
    nodes = {name: follow(part, path) for name, path in zip(PARTS, mapping[:-1], strict=True)}
    mapped = frozenset(name for name, node in nodes.items() if node.value is not None) if by_user else None
    status = nodes["status"].integer()
    content_type = nodes["content_type"].string()
    host, path = http.host_and_path(_url(nodes["host"].string(), nodes["path"].string()))
    request = request or _request(nodes["request"], mapping)
    lines = None if mapping.as_sent else _lines_of_chunks(nodes["response"])
    body = lines or _answer(nodes["stream"], nodes["response"], status, content_type)
    request_value = request.value if request is not None else None
    is_request = mapping.as_sent or kind_of(request_value) == "request"
    why = None if mapping.as_sent else why_no_answer(request_value, body, status)
    if why is None:
        shows_http = any(part_value is not None for part_value in (status, content_type, host))
        why = why_other_traffic(request_value, body, path, None, shows_http=shows_http)
    if not why and isinstance(body, Payload) and body.text is not part.document.text:
        why = http.why_cut_off(body)
    if why:
        return Skipped(file=file, number=number, why=why, mapped=mapped)
    return Exchange(
        file=file,
        number=number,
        text=part.document.text,
        at=part.at,
        request=request if is_request else None,
        response=body,
        http=NO_HTTP if body is None else HttpFacts(status, content_type),
        host=host,
        path=path,
        dumped=not mapping.as_sent,
        row_group=row_group,
        mapped=mapped,
    )


def _url(host: str | None, path: str | None) -> str | None:
    if host is None or (path is not None and "://" in path):
        return path
    if "://" in host:
        return host.rstrip("/") + (path or "")
    return f"//{host}/{path.lstrip('/')}" if path else f"//{host}"


def _request(node: Node, mapping: Mapping) -> Payload | None:
    found = _without_base64(node).request()
    return found if found is None or mapping.as_sent else replace(found, value=sent_arguments(found.value))


def _answer(streamed: Node, response: Node, status: int | None, content_type: str | None) -> Response | None:
    """Return the stream, or else the other answer.

    If there is no other answer, it is whatever was sent in place of the stream. A number or a truth value is none: some
    logs keep there whether there was a stream.
    """
    in_stream = _body(streamed, status, content_type)
    if isinstance(in_stream, Stream) and in_stream.values:
        return in_stream
    whole = _body(response, status, content_type)
    is_flag = isinstance(in_stream, Payload) and not isinstance(in_stream.value, dict | list)
    return in_stream if whole is None and not is_flag else whole


def _lines_of_chunks(response: Node) -> Stream | None:
    may_be_lines = isinstance(response.value, str) and BETWEEN_LINES in response.value
    text = response.text() if may_be_lines else None
    return None if text is None else stream_in_lines(text)


def _body(node: Node, status: int | None, content_type: str | None) -> Response | None:
    """Return a body that was kept as text or as the value it was parsed into, or ``None`` if there is none.

    Some logs keep an empty object if there was no body.
    """
    node = _without_base64(node)
    if (text := node.text()) is not None:
        if text.data.lstrip()[:1] == b"[" and (listed := listed_stream(decode_text(node))) is not None:
            return listed
        has_body = is_stream_type(content_type) or text.data.strip()
        return response_body(text, status=status, content_type=content_type) if has_body else None
    if node.value is None or node.value in ({}, []):
        return None
    return listed_stream(node) or kept_stream(node) or node.payload(answer_kind(node.value, status))


def _without_base64(node: Node) -> Node:
    """Return a body that is in Base64 as its text, and any other as it is."""
    text = node.text()
    plain = None if text is None else without_base64(text)
    return node if plain is text else replace(node, value=plain)
