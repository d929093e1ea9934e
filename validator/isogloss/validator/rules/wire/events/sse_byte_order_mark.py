"""An event stream begins with a byte order mark.

## Why it matters
A byte order mark at the start is legal, and readers of event streams drop it. But clients that compare the first line
with `data:` do not find it there. They lose the first chunk, the one with the role. The `openai` package for Python is
one of these clients.

## What to do
* As a server's author: Open the response's writer with UTF-8 without a mark (`new UTF8Encoding(false)` in .NET).
* As a client's user: Drop U+FEFF at the beginning of the first line before you compare it with `data:`.

## Bad
```
\\ufeffdata: {"id":"chatcmpl-1"}
```

## Good
```
data: {"id":"chatcmpl-1"}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.exchange import Exchange
from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.wire._response import framing_of

RULE = Rule(
    severity=Severity.NOTE,
    sources=(
        Citation("WHATWG HTML Living Standard, 9.2.5 Parsing an event stream", "2025-06"),
        Citation("openai (PyPI) 3.52.0, _streaming.py: decodes the stream with its mark", "2026-11"),
    ),
    needs=("unusual framing",),
)


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit for the byte order mark of a stream."""
    framing = framing_of(exchange)
    if framing is not None and framing.bom:
        yield Hit("the stream begins with a byte order mark", offset=0)
