"""A JSON document that holds texts and payloads: each of them knows its place in the document."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cached_property
from itertools import islice, pairwise
from typing import Any

import orjson
from msgspec import Struct

from isogloss.validator import jsontext
from isogloss.validator.captures.capture import Capture
from isogloss.validator.decode import decode, decode_json
from isogloss.validator.exchange import Cause, Kind, Payload, Skipped, Why
from isogloss.validator.kinds import CHECK_AS_KIND, kind_of
from isogloss.validator.pointer import Pointer
from isogloss.validator.searching import holds_any, holds_one_of
from isogloss.validator.secrets import mask
from isogloss.validator.text import Place, Text

__all__ = [
    "BODIES_IN_BASE64", "Document", "Node", "SeveralDocuments", "adjoining_objects", "adjoining_records", "damaged",
    "decoded", "documents", "documents_in", "integer", "only_document", "string",
]  # fmt: skip

_ANSWER = rb'choices\\*"\s*:\s*\[[\s\\nrt]*[{\]]|error\\*"\s*:\s*\{'
"""The beginning of ``choices`` or of ``error``, also in JSON that is written as a string."""
BODIES_IN_BASE64 = (
    b"eyJ", b"ewo", b"ewk", b"ew0", b"eyA", b"W3s", b"ZGF0YT", b"ZXZlbnQ6", b"aWQ6", b"cmV0cnk6", b"OiA", b"OiB",
)  # fmt: skip
"""How Base64 begins of ``{"``, of ``{`` before white space, of ``[{``, and of the fields and comments of events."""
_STRINGS_IN_BASE64 = tuple(b'"' + one for one in BODIES_IN_BASE64)
_END_OF_INDENTED = rb"(?m)^(?:[}\]]|\{[^\n]*\}|\[[^\n]*\])[ \t]*\r?\n\s*+(?=[{\[])"
"""The last line of an indented document, or a document on one line, that another one follows."""
_LINE = rb"\S[^\r\n]*"
_DECODER = json.JSONDecoder()
_BETWEEN = r"\s*(?:,|-{3,})?\s*"
"""What may stand between records of a file that follow each other."""
_LONGEST_END = 100
"""How many bytes at the end of a text are looked at, to see whether a record ends there."""


class Document:
    """A decoded JSON text. It is scanned for places once, and only when one is needed."""

    def __init__(self, text: Text, decoded: tuple[object, bool] | None = None) -> None:
        self.text = text
        self.value, self.sound = decoded or decode(text.data)

    @property
    def root(self) -> Node:
        """The value of the document, as a node."""
        return Node(self, self.value, ())

    @cached_property
    def scan(self) -> jsontext.Scan:
        """The scan of the document, with everything that is wrong with it as JSON."""
        return jsontext.scan(self.text.data)

    @property
    def places(self) -> jsontext.Places | jsontext.Walk:
        """The places of the values and keys in the document."""
        return jsontext.places_of(self.text, sound=self.sound)

    @cached_property
    def may_hold_answers(self) -> bool:
        """Whether the beginning of an answer is in the text. Without it, no value can be an answer by its content."""
        data = self.text.data
        begins = holds_any(data, b"choices", b"error") and re.search(_ANSWER, data) is not None
        return begins or holds_one_of(data, _STRINGS_IN_BASE64)

    @cached_property
    def may_hold_requests(self) -> bool:
        """Whether the name of messages is in the text. Without it, no value can be a request by its content."""
        data = self.text.data
        return holds_any(data, b"messages") or holds_one_of(data, _STRINGS_IN_BASE64)

    @cached_property
    def fault(self) -> Why | None:
        """The first fault of the document as JSON, with its place, in words for a reader, or ``None``.

        If a copy leaves out a part of the document, this is why it is not JSON.
        """
        if self.sound or not (faults := self.scan.faults):
            return None
        place = self.text.place(faults[0].offset)
        if self.scan.elided:
            return Why(f"line {place.line}: a part of it is left out, with dots in its place")
        words = f"not JSON: line {place.line}, column {place.column}: {faults[0].message}"
        return Why(words, Cause.FAULTY, CHECK_AS_KIND)

    def damage(self, file: str) -> list[Skipped]:
        """Return a :class:`Skipped` if the document is not JSON as a whole, so that parts may not have been read.

        The list is empty if it is sound, or if its faults are only ones that leave no part unread.
        """
        faults = () if self.sound else self.scan.faults
        found = (fault for fault in faults if fault.rule in ("json-syntax", "json-truncated"))
        return [damaged(file, self.text.place(fault.offset), fault.message) for fault in islice(found, 1)]


def damaged(file: str, place: Place, message: str) -> Skipped:
    """Return what is reported of a file that was read only up to a place."""
    words = f"damaged at line {place.line}, column {place.column}, read as far as it goes: {message}"
    return Skipped(file=file, why=Why(words, Cause.UNREAD))


class Node(Struct, frozen=True):
    """A value inside a document.

    A value that is missing or of another type gives ``None`` or nothing, because other programs wrote the recordings. A
    value that is a :class:`Text` is in no document: it comes from a cell of a table.
    """

    document: Document
    value: Any
    at: Pointer

    def get(self, *names: str) -> Node:
        """Return the first of these properties that is present and not null, or a node with the value ``None``."""
        own = self.value
        if isinstance(own, dict):
            for name in names:
                if (value := own.get(name)) is not None:
                    return Node(self.document, value, (*self.at, name))
        elif own is None:
            return self
        return Node(self.document, None, self.at)

    def items(self) -> Iterator[Node]:
        """Yield the items of an array; a value of another type has none."""
        if isinstance(self.value, list):
            for position, value in enumerate(self.value):
                yield Node(self.document, value, (*self.at, position))

    def item(self, position: int) -> Node:
        """Return the item of an array at a position. The array must have this position."""
        return Node(self.document, self.value[position], (*self.at, position))

    def string(self) -> str | None:
        """Return the value if it is a string, else ``None``."""
        return string(self.value)

    def integer(self) -> int | None:
        """Return the value if it is an integer or the digits of a small one, else ``None``."""
        return integer(self.value)

    def text(self) -> Text | None:
        """Return the text of a string, or ``None``. Every byte of it leads to the place where it is written."""
        if isinstance(self.value, Text):
            return self.value
        if not isinstance(self.value, str):
            return None
        data = mask(self.value.encode("utf-8", "surrogatepass"))
        return Text.spelled(data, self.document.text, lambda: self.document.places.spelling(self.at, data).offset)

    def joined(self, *names: str) -> Text:
        """Join the strings of an array into one text: some recorders split bodies into lines, each with its end.

        With a name, they are the properties of that name of the objects in the array.
        """
        found = (item.get(*names) if names else item for item in self.items())
        lines: list[tuple[Pointer, bytes]] = [
            (item.at, item.value.encode("utf-8", "surrogatepass")) for item in found if isinstance(item.value, str)
        ]

        def segments() -> list[tuple[int, int]]:
            size, joined = 0, []
            for at, line in lines:
                joined += [(size + offset, source) for offset, source in self.document.places.string_segments(at)]
                size += len(line)
            return joined

        return Text.derived(mask(b"".join(line for _, line in lines)), self.document.text, segments)

    def payload(self, kind: Kind) -> Payload:
        """Return the value as a payload of that kind."""
        return Payload(kind=kind, value=self.value, text=self.document.text, at=self.at, sound=self.document.sound)

    def payload_in(self, name: str, kind: Kind) -> Payload:
        """Return the property with this name, which the value must have, as a payload of that kind."""
        document = self.document
        return Payload(kind, self.value[name], document.text, (*self.at, name), document.sound)

    def request(self) -> Payload | None:
        """Return the value, or what a string holds as JSON text, as a request.

        Return ``None`` if there is no value, or if the string is no JSON.
        """
        text = self.text()
        if text is None:
            return None if self.value is None else self.payload("request")
        value, sound = decode(text.data)
        return None if value is jsontext.MISSING else Payload(kind="request", value=value, text=text, sound=sound)


def string(value: object) -> str | None:
    """Return a value that is a string, or ``None`` for any other value."""
    if isinstance(value, str):
        return value
    return value.data.decode("utf-8", "replace") if isinstance(value, Text) else None


def integer(value: object) -> int | None:
    """Return a value that is an integer or the digits of a small one, or ``None`` for any other value."""
    if type(value) is int:
        return value
    digits = string(value) or ""
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 6 else None


def decoded(value: Any) -> Any:
    """Return what a string holds as JSON text of an object or array, and any other value as it is."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        return value


class SeveralDocuments(Exception):
    """Raised for a capture that holds several JSON documents, in ``texts``. Each of them is read as a capture."""

    def __init__(self, texts: list[Text]) -> None:
        super().__init__(f"{len(texts)} JSON documents")
        self.texts = texts


def only_document(capture: Capture) -> Document:
    """Return the JSON document that a capture is. Raises :class:`SeveralDocuments` and :class:`Unreadable`."""
    if not capture.document.sound and (texts := documents_in(capture.text)):
        raise SeveralDocuments(texts)
    return Document(capture.text, capture.document)


def documents(capture: Capture) -> Iterator[Document]:
    """Yield the documents of a capture: one of JSON, as :func:`only_document`, or any number of YAML."""
    if capture.begins_as_json:
        yield only_document(capture)
    else:
        from isogloss.validator.captures.yaml.text import yaml_documents

        for text in yaml_documents(capture.text):
            yield Document(text)


def documents_in(text: Text) -> list[Text]:
    """Return the documents of a text that holds several: one on each line, or indented, as ``jq`` writes them.

    Records may also follow each other without a line between them, as Amazon Data Firehose writes them, or with a
    comma or dashes. All of them must be objects or arrays, perhaps with a key twice. For any other text, the result is
    empty.
    """
    ends = [match.end() for match in re.finditer(_END_OF_INDENTED, text.data)]
    if ends:
        documents = [text.slice(start, end) for start, end in pairwise([0, *ends, len(text.data)])]
    else:
        documents = [text.slice(*match.span()) for match in re.finditer(_LINE, text.data)]
    return documents if len(documents) > 1 and all(map(_is_container, documents)) else adjoining_records(text)


def adjoining_records(text: Text) -> list[Text]:
    """Return the records of a text that holds several objects, and nothing else.

    If one of them is a payload, they are no records, since a server may send several payloads. Only completions that
    each have an id of their own are answers to several requests. For any other text, the result is empty.
    """
    if not text.data.startswith(b"{") or not text.data[-_LONGEST_END:].rstrip(b" \t\r\n,").endswith(b"}"):
        return []  # so that a long document that is cut off is not decoded once more
    position, spans, ids = 0, [], set[str]()
    for value, end, following in adjoining_objects(text.data, 0, _BETWEEN):
        if (kind := kind_of(value)) is not None:
            if kind != "completion" or not isinstance(name := value.get("id"), str) or name in ids:
                return []
            ids.add(name)
        spans.append((position, end))
        position = following
    is_mixture = 0 < len(ids) < len(spans)
    is_whole = position == len(text.data)
    return [text.slice(*span) for span in spans] if is_whole and len(spans) > 1 and not is_mixture else []


def adjoining_objects(data: bytes, position: int, between: str) -> Iterator[tuple[dict[str, Any], int, int]]:
    """Yield the JSON objects that follow each other from a position on, with no more than ``between`` between them.

    With each comes where it ends, and where the next one would begin.
    """
    text, gap = data.decode("latin-1"), re.compile(between)  # so that each character is a byte
    while text.startswith("{", position):
        try:
            value, end = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            return
        match = gap.match(text, end)
        position = match.end() if match else end
        yield value, end, position


def _is_container(text: Text) -> bool:
    return text.data.lstrip()[:1] in (b"{", b"[") and decode_json(text.data) is not None
