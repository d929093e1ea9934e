"""An event stream has `event`, `id` or `retry` fields.

OpenAI's chat completion streams have only `data`.

## Why it matters
These fields are legal, but clients break on them. Clients that expect each event to be one `data` line take the field
for data. Clients that tell events apart by type, as browsers do, drop every event that has a type. The `openai` package
for Python takes a block without data (`event: ping`, `retry: 3000`) for an event, and fails on its empty data. After an
`id`, it takes every single blank line for an event, too.

## What to do
* As a server's author: Send `data` lines only; `event`, `id` and `retry` mean nothing to clients of Chat Completions.
  Never send them without a `data` line.
* As a client's user: Read streams with a parser of server-sent events, and take the data of every event whatever its
  type is. Skip events without data.

## Bad
```
event: message
id: 1
data: {"id":"chatcmpl-1"}
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
from isogloss.validator.quoting import count_of
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.wire._response import EVENT_STREAM, framing_of

RULE = Rule(
    severity=Severity.NOTE,
    sources=(
        EVENT_STREAM,
        Citation("recorded OpenAI streams: data alone in all of them", "2026-08"),
        Citation("openai (PyPI) 3.52.0, _streaming.py: when a blank line ends an event", "2026-11"),
    ),
    needs=("unusual framing",),
)


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit for each of these fields, at its first line."""
    framing = framing_of(exchange)
    lines: dict[str, list[int]] = {}
    for field, offset in framing.fields if framing is not None else ():
        lines.setdefault(field, []).append(offset)
    for field, offsets in lines.items():
        yield Hit(f"{count_of(len(offsets), f'{field} line')}; OpenAI sends only data lines", offset=offsets[0])
