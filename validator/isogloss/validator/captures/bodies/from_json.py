"""Read a body from the JSON value in which a recorder keeps it.

=====================================================  =============================================================
value                                                  what it represents
=====================================================  =============================================================
a string                                               the text of the body; or Base64, if it begins with ``base64:``,
                                                       is a ``data:`` URL, or decodes to JSON or events
``{"string": …}``, ``{"as_string": …}``                that string (Ruby VCR, vcrpy; Envoy)
``{"encoding": "ISO-8859-1", "string": …}``            the bytes that its characters stand for (Betamax)
``{"b64": …}``, ``{"base64_string": …}``, …            Base64
``{"encoding": "base64", "data": …}``                  Base64
``{"type": "Buffer", "data": [123, …]}``               these bytes, as Node.js writes a buffer in JSON (Newman)
``{"state": [{"base64_string": …}, …]}``               an ``io.BytesIO`` that PyYAML dumped; its first value is the body
``{"mimeType": …, "text": …}``, …                      the value that is described: see :mod:`.described`
``{"type": "JSON", "json": …}``                        the value of a matcher, or of the first of a list of matchers:
                                                       see :mod:`.matchers`
``["1f8b…", "…"]``                                     the parts of a compressed body in hexadecimal (nock)
a list of strings, or of any of the objects with text  the parts of a body, in order: its lines, or the pieces in which
                                                       it arrived; also as the ``data`` of objects
a list of objects with a chunk each                    these chunks: see :mod:`.wrapped`
``{"__type__": …, "__data__": …}``                     an object of a client library, see :mod:`.dumps`
any other object or list                               the body itself, as the recorder parsed it
=====================================================  =============================================================

Everything in Base64, hexadecimal, numbers or compressed data has its place where the encoded body begins.
"""

from __future__ import annotations

import binascii
import re

from isogloss.validator.captures import http
from isogloss.validator.captures.bodies.described import body_in, describes_base64
from isogloss.validator.captures.bodies.encoded import BASE64, from_base64, is_base64_of_body, without_base64
from isogloss.validator.captures.bodies.matchers import is_matcher, whole_value
from isogloss.validator.captures.bodies.wrapped import kept_stream, listed_stream
from isogloss.validator.captures.capture import unpacked
from isogloss.validator.captures.document import Node
from isogloss.validator.captures.http import Answer
from isogloss.validator.captures.limits import Budget, Unreadable
from isogloss.validator.captures.yaml.words import BINARY
from isogloss.validator.kinds import kind_of
from isogloss.validator.secrets import mask
from isogloss.validator.text import Text

__all__ = ["is_on_wire", "read_body", "text_on_wire"]

_ON_WIRE = r"HTTP/\d(?:\.\d)? \d{3}[^\r\n]*\r?\n|[A-Z]{3,7} \S+ HTTP/\d(?:\.\d)?\s*(?:\n|\Z)"
"""How an HTTP message begins. Servers log the start line of a request alone, too."""
_ON_WIRE_IN_BASE64 = ("SFRUUC8", "UE9TVCA")
"""How the Base64 of a response begins, and that of a request with POST."""
_IN_BASE64 = rb"(?:base64:|data:[\w.+-]+/[\w.+-]+(?:;[\w=.-]+)*;base64,)"
_HEXADECIMAL = r"(?:[0-9a-fA-F]{2})+"
_GZIP = "1f8b"
_BASE64 = (BINARY, "b64", "base64Bytes", "as_bytes")
_FILES = frozenset({"_sha1", "_file"})
"""Properties with which Playwright names the file that has the body."""
_LATIN = "ISO-8859-1"
"""The encoding in which each byte is a character. Betamax takes it for all text whose type names no other."""
_TEXTS = ("data", "string", "body", "text", "content", "value")


def read_body(node: Node, encoding: str | None, budget: Budget, *, in_base64: bool = False) -> Answer:
    """Return the body that a recorded value represents.

    ``encoding`` is the ``Content-Encoding`` of the body, if it has one. ``in_base64`` says that text is in Base64,
    because the recorder marked it so beside the value. Raises :class:`Unreadable`.
    """
    value = node.value
    if isinstance(value, dict):
        return _read_object(node, encoding, budget, in_base64=in_base64)
    if isinstance(value, list) and value:
        return _read_parts(node, encoding, budget, in_base64=in_base64)
    text = _bytes(node, in_base64=in_base64)
    if text is None:
        return node if isinstance(value, list) else None
    return http.decoded_body(text, encoding, budget)


def is_on_wire(value: object) -> bool:
    """Return whether a value is an HTTP message as it is on the wire, as text or in Base64, or a request line."""
    return isinstance(value, str) and (
        re.match(_ON_WIRE, value) is not None
        or (value.startswith(_ON_WIRE_IN_BASE64) and re.fullmatch(BASE64, value) is not None)
    )


def text_on_wire(node: Node) -> Text | None:
    """Return the text of an HTTP message for which :func:`is_on_wire` is true, else ``None``."""
    text = node.text() if is_on_wire(node.value) else None
    return text if text is None or not node.value.startswith(_ON_WIRE_IN_BASE64) else from_base64(text)


def _read_object(node: Node, encoding: str | None, budget: Budget, *, in_base64: bool) -> Answer:
    """Return the body that an object represents: the object, a value that it describes, or bytes that it encodes."""
    value = node.value
    if kind_of(value) is not None:
        return kept_stream(node) or node
    if is_matcher(value):
        return _read_matcher(node, encoding, budget, in_base64=in_base64)
    if value.get("type") == "Buffer" and (text := _bytes_of_buffer(node)) is not None:
        return http.decoded_body(text, encoding, budget)
    if _FILES & value.keys() and "text" not in value:
        raise Unreadable("a body that the recorder keeps in another file")
    if (described := body_in(node)) is not None:
        characters = described.text() if value.get("encoding") == _LATIN else None
        if characters is not None:
            return http.decoded_body(_from_characters(characters), encoding, budget)
        return read_body(described, encoding, budget, in_base64=in_base64 or describes_base64(value))
    inner = node.get("string", "as_string")
    if value.keys() == {"state"}:
        inner = next(node.get("state").items(), inner)
    if inner.value is None:
        text = _bytes(node, in_base64=in_base64)
    else:  # a binary scalar of YAML is an object, too
        text = _bytes(inner, in_base64=in_base64 or value.get("encoding") == "base64")
    if text is not None:
        return http.decoded_body(text, encoding, budget)
    # `{encoding, string: null}` is an empty body; any other object is a body that was parsed
    return None if value.keys() <= {"string", "as_string", "encoding", "truncated", *_BASE64} else node


def _from_characters(text: Text) -> Text:
    """Return the bytes that a recorder wrote as a character each, or the text itself if it has other characters."""
    characters = text.data.decode("utf-8", "replace")
    if characters.isascii():
        return text
    try:
        data = characters.encode("latin-1")
    except UnicodeEncodeError:
        return text
    return Text.spelled(mask(data), text, lambda: lambda offset: len(characters[:offset].encode()))


def _bytes_of_buffer(node: Node) -> Text | None:
    """Return the bytes of a buffer of Node.js, all at the place of the buffer, or ``None`` if it is none."""
    numbers = node.get("data").value
    if not isinstance(numbers, list) or not all(type(one) is int and 0 <= one < 256 for one in numbers):
        return None
    document = node.document
    return Text.fixed(mask(bytes(numbers)), document.text, document.places.offset(node.at))


def _read_matcher(node: Node, encoding: str | None, budget: Budget, *, in_base64: bool) -> Answer:
    matched = whole_value(node)
    if matched is None or not isinstance(matched.value, str):
        return matched
    text = _bytes(matched, in_base64=in_base64 or matched.at[-1] == "base64Bytes")
    return matched if text is None else http.decoded_body(text, encoding, budget)


def _read_parts(node: Node, encoding: str | None, budget: Budget, *, in_base64: bool) -> Answer:
    """Return the body that a list represents: a stream, the parts joined, the value of a matcher, or the list."""
    items = list(node.items())
    if all(isinstance(item, str) for item in node.value):
        if _is_hexadecimal(node.value, encoding):
            return http.decoded_body(_from_hexadecimal(node.joined()), encoding, budget)
        in_base64 = in_base64 or is_base64_of_body(*[part.encode("utf-8", "surrogatepass") for part in node.value])
        if not in_base64:
            return listed_stream(node) or http.decoded_body(node.joined(), encoding, budget)
    elif all(is_matcher(item) for item in node.value):
        return _read_matcher(items[0], encoding, budget, in_base64=in_base64)
    elif (events := listed_stream(node)) is not None:
        return events
    parts = [_piece(item, in_base64=in_base64) for item in items]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return node
    return http.decoded_body(unpacked(b"".join(part.data for part in known), known[0]), encoding, budget)


def _piece(node: Node, *, in_base64: bool) -> Text | None:
    """Return the text of a piece, or ``None`` if it has none.

    The text is the piece itself, or the ``data`` of an object that also says when the piece came.
    """
    text = _bytes(node, in_base64=in_base64)
    if text is None and kind_of(node.value) is None:
        return _bytes(node.get("data"), in_base64=in_base64)
    return text


def _is_hexadecimal(parts: list[str], encoding: str | None) -> bool:
    is_gzip = parts[0][:4].lower() == _GZIP
    return bool(is_gzip or encoding) and all(re.fullmatch(_HEXADECIMAL, part) for part in parts)


def _bytes(node: Node, *, in_base64: bool) -> Text | None:
    """Return the text of a string, decoded if it was encoded, or of an object with Base64, else ``None``."""
    if isinstance(node.value, dict):
        inner = node.get(*_BASE64)
        if inner.value is None and node.value.get("encoding") == "base64":
            inner = node.get(*_TEXTS)
        return from_base64(text) if (text := inner.text()) is not None else None
    text = node.text()
    if text is None:
        return None
    if in_base64:
        return from_base64(text)
    if match := re.match(_IN_BASE64, text.data):
        return from_base64(text.slice(match.end(), len(text.data)))
    if _is_hexadecimal([node.value], None):
        return _from_hexadecimal(text)
    return without_base64(text)


def _from_hexadecimal(text: Text) -> Text:
    """Decode hexadecimal digits. All the bytes are at the place of the first digit."""
    return unpacked(binascii.unhexlify(text.data), text)
