"""Read the rows of tables, in CSV and in dumps of SQL: write each as a JSON object of strings, and read that.

Such an object is read like one on a line of JSON Lines. Many programs keep only the answers, beside the words of a
prompt and a time under any name, so that an answer alone is read here, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import orjson
from msgspec import Struct

from isogloss.validator.captures.bodies.described import BEGINNING
from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.document import BODIES_IN_BASE64, Document
from isogloss.validator.captures.structures.side_by_side import answer_alone_in
from isogloss.validator.captures.structures.values import exchanges
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.text import SegmentPairs, Text

__all__ = ["AS_IS", "Cell", "Quoting", "begins_as_body", "exchanges_of_row", "row_as_json"]

_ESCAPES = {bytes([code]): b"\\u%04x" % code for code in range(32)} | {
    b"\n": b"\\n", b"\r": b"\\r", b"\t": b"\\t", b"\\": b"\\\\", b'"': b'\\"',
}  # fmt: skip
"""How JSON writes a character that it does not write as it is."""
_CONTROL = rb"[\x00-\x1f]"
_BODY = rb"(?:%b)" % b"|".join([BEGINNING, *BODIES_IN_BASE64])

Cell: TypeAlias = tuple[int, int]
"""Where the contents of a cell begin and end in the text, without the quotation marks around them."""


class Quoting(Struct, frozen=True, eq=False):
    """A way to write a cell: a pattern for what JSON writes in another way, and how JSON writes it.

    What is not in ``escapes`` is a character, or written alike in JSON. ``mark`` is how a quotation mark is written, if
    JSON writes nothing else in another way but backslashes and control characters.
    """

    specials: bytes
    escapes: Mapping[bytes, bytes] = {}
    mark: bytes = b""

    def json_string(self, contents: bytes) -> bytes:
        """Return the contents of a cell as a JSON string."""
        if not self.mark:
            return b'"%b"' % re.sub(self.specials, self.escaped, contents)
        escaped = contents.replace(b"\\", b"\\\\").replace(self.mark, b'\\"')  # faster than one at a time
        return b'"%b"' % re.sub(_CONTROL, self.escaped, escaped)

    def escaped(self, special: re.Match[bytes]) -> bytes:
        """Return how JSON writes what the pattern found."""
        return self.escapes.get(special[0]) or _ESCAPES.get(special[0], special[0])


AS_IS = Quoting(rb'["\\\x00-\x1f]', {}, b'"')
"""A cell without quotation marks."""


def begins_as_body(data: bytes, start: int, end: int) -> bool:
    """Return whether a cell begins as a body does, also one in Base64."""
    return re.compile(_BODY).match(data, start, end) is not None


def row_as_json(text: Text, cells: Iterable[tuple[str, Cell, Quoting]]) -> Text:
    """Return the JSON object of a row, with a string for each cell that is not empty.

    Each cell has the name of its column. If several columns have the same name, the first one counts.
    """
    data = text.data
    named: dict[str, tuple[int, int, Quoting]] = {}
    for name, (start, end), quoting in cells:
        if start < end:
            named.setdefault(name, (start, end, quoting))
    keys = [orjson.dumps(name) + b":" for name in named]
    strings = [quoting.json_string(data[start:end]) for start, end, quoting in named.values()]
    json = b"{%b}" % b",".join(key + string for key, string in zip(keys, strings, strict=True))

    def segments() -> SegmentPairs:
        found, position = SegmentPairs(), 1
        for key, (start, end, quoting) in zip(keys, named.values(), strict=True):
            position += len(key) + 1  # the key with its colon, and a quotation mark
            for special in re.compile(quoting.specials).finditer(data, start, end):
                found.add(position, start)
                position += special.start() - start + len(quoting.escaped(special))
                start = special.end()
            found.add(position, start)
            position += end - start + 2  # a quotation mark and a comma
        return found

    return Text.derived(json, text, segments)


def exchanges_of_row(capture: Capture, number: int, row: Text) -> Sequence[Exchange | Skipped]:
    """Return the exchanges of the object that :func:`row_as_json` wrote; the first has the number."""
    document = Document(row)
    part = document.root
    found = list(exchanges(capture, number, part))
    if any(isinstance(one, Exchange) for one in found) or capture.mapping is not None:
        return found
    alone = answer_alone_in(capture, number, part)
    return found if alone is None else [alone]
