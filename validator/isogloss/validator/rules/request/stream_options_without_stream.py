"""`stream_options` is set, and `stream` is not.

OpenAI answers 400: only allowed when `stream` is enabled.

## Why it matters
The request is refused. This happens if a program uses one set of options for requests with and without a stream.

## What to do
* As a server's author: Answer 400, as OpenAI does; a client that expects a usage chunk otherwise waits for a stream
  that does not come.
* As a client's user: Add `stream_options` only where you set `"stream": true`.

## Bad
```json
{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hi"}], "stream_options": {"include_usage": true}}
```

## Good
```json
{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hi"}], "stream": true,
 "stream_options": {"include_usage": true}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Request, is_off

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("API reference, create chat completion: stream_options", "2026-04"),
        Citation("BerriAI/litellm#5803", "2024-09"),
    ),
    needs=("stream_options",),
    of_options=True,
)


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for `stream_options` in a request that does not ask for a stream."""
    options = request.value.get("stream_options")
    if options is not None and is_off(request.value.get("stream")):
        yield Hit("stream_options needs `stream` to be true", ("stream_options",), options)
