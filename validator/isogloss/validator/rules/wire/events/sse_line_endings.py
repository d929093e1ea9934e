"""The lines of an event stream end in CRLF or CR.

LF, CRLF and CR all end a line, and one stream may mix them. OpenAI sends LF.

## Why it matters
CRLF and CR are legal, but clients that split the stream at `\\n\\n` never see the end of an event. They wait until the
stream is over, and then find one event that is not JSON, or none.

## Who breaks
cc-switch before 3.13, on a provider that ends its lines with CR LF: the answer was asked for, and paid, twice
([farion1231/cc-switch#1787](https://github.com/farion1231/cc-switch/issues/1787)). Clients that hey-api generated until
December 2025 found no event of sse-starlette ([hey-api/hey-api#3054](https://github.com/hey-api/hey-api/issues/3054)).

## What to do
* As a server's author: Write a single line feed at the end of each line; print functions of some platforms write CRLF.
* As a client's user: Split the stream with a parser that knows all three line endings, and not at two line feeds.

## Bad
```
data: {"id":"chatcmpl-1"}␍␊
␍␊
```

## Good
```
data: {"id":"chatcmpl-1"}␊
␊
```
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from isogloss.validator.exchange import Exchange, Stream
from isogloss.validator.findings import Severity
from isogloss.validator.rules import Hit, Rule
from isogloss.validator.rules.wire._response import EVENT_STREAM

RULE = Rule(
    severity=Severity.NOTE,
    catalogue=(59,),
    sources=(EVENT_STREAM,),
    needs=("unusual framing",),
)

_LINE = rb"([^\r\n]*+)(\r\n|\r|\n|\Z)"
_NAMES = {"\n": "LF", "\r\n": "CRLF", "\r": "CR"}


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit for the first line ending that is not LF.

    If others end in LF, those around a line of no known field belong to what brought that line into the stream.
    """
    body = exchange.response
    if not isinstance(body, Stream) or body.framing is None:
        return
    framing = body.framing
    other_offsets = [offset for ending, offset in framing.line_endings.items() if ending != "\n"]
    if other_offsets and framing.unknown_lines and "\n" in framing.line_endings:
        other_offsets = _other_endings(body.text.data, frozenset(framing.unknown_lines))
    if other_offsets:
        found = " and ".join(name for ending, name in _NAMES.items() if ending in framing.line_endings)
        yield Hit(f"lines end in {found}", offset=min(other_offsets))


def _other_endings(data: bytes, unknown_lines: Collection[int]) -> list[int]:
    """Return the offsets of the line endings other than LF that are not around an unknown line."""
    found: list[int] = []
    is_unknown = False  # of the last line that is not blank
    for line in re.finditer(_LINE, data):
        if line[1]:
            is_unknown = line.start() in unknown_lines
        if line[2] not in (b"\n", b"") and not is_unknown and line.end() not in unknown_lines:
            found.append(line.end(1))
    return found
