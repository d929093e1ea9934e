"""`system_fingerprint` or `service_tier` is on some chunks of a stream and not on others.

Both are optional, and null means no value. OpenAI sends them on every chunk of a stream or on none.

## Why it matters
A client that reads the first chunk and a client that reads the last one get different results. openai-python's stream
helper keeps the fingerprint of the last chunk, whatever it is.

## What to do
* As a server's author: Write the property into every chunk, the last one with the usage included, or into none.
* As a client's user: Keep the last value that is not null, and do not let a chunk without the property erase it.

## Bad
```
data: {"system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"content":"Hel"}}]}
data: {"choices":[{"index":0,"delta":{"content":"lo"}}]}
```

## Good
```
data: {"system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"content":"Hel"}}]}
data: {"system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"content":"lo"}}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.pointer import ABSENT
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.streams.trace import Mark, Trace

RULE = Rule(
    severity=Severity.NOTE,
    sources=(
        Citation("recorded OpenAI streams: on all chunks of a stream or on none", "2026-08"),
        Citation("openai (PyPI) 3.52.0, lib/streaming/chat/_completions.py", "2026-11"),
    ),
    needs=("changing envelope",),
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for each of the two properties that only some chunks have, or that is empty on some.

    The hit is at the first chunk that differs from the first chunk of the stream, or at that if it differs from all
    others. The schema reports an empty tier.
    """
    for name in ("system_fingerprint", "service_tier"):
        runs = trace.runs[name]
        in_first = _presence(name, runs[0], trace) if runs else None
        differing = [mark for mark in runs if _presence(name, mark, trace) != in_first]
        if differing:
            is_first_alone = (
                len(trace.chunks) > 2 and differing == runs[1:] and differing[0].event == trace.chunks[1][0]
            )
            mark = runs[0] if is_first_alone else differing[0]
            yield Hit(f"{name} is on some chunks of the stream only", mark.at, mark.value, mark.event)


def _presence(name: str, mark: Mark, trace: Trace) -> str:
    value = mark.value
    if value is ABSENT:
        chunk = trace.stream.values[mark.event]
        is_unread = isinstance(chunk, dict) and name in chunk  # an array or an object, which the schema reports
        return "present" if is_unread else "absent"
    if value is None:
        return "absent"
    return "empty" if value == "" and name == "system_fingerprint" else "present"
