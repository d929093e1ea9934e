"""The request asks for the usage of the stream, and its other chunks do not have the property `usage`.

With `stream_options.include_usage`, every chunk of OpenAI has the property. It is null on all chunks but the last.

## Why it matters
Before the end of the stream, this is the only sign that the server understood the option. Clients that read the
property without a default fail on the first chunk.

## What to do
* As a server's author: Add `"usage": null` to every chunk but the last when `include_usage` is set.
* As a client's user: Read `usage` with a default on every chunk. Do not conclude from its absence that the last chunk
  will have none.

## Bad
```
{"stream":true,"stream_options":{"include_usage":true},…}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}
data: {"choices":[],"usage":{"prompt_tokens":8,"completion_tokens":3,"total_tokens":11}}
```

## Good
```
{"stream":true,"stream_options":{"include_usage":true},…}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}
data: {"choices":[],"usage":{"prompt_tokens":8,"completion_tokens":3,"total_tokens":11}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.pairing import Pair, asks_for_usage

RULE = Rule(
    severity=Severity.NOTE,
    sources=(
        Citation("API reference, create chat completion: stream_options.include_usage", "2026-04"),
        Citation("recorded OpenAI streams: null on every other chunk", "2026-08"),
    ),
    needs=("stream", "request for usage"),
)


def check(pair: Pair) -> Iterator[Hit]:
    """Yield a hit for the first chunk without `usage`, if the request asks for usage and the stream contains it."""
    trace = pair.trace
    if trace is None or not trace.usages or not asks_for_usage(pair.request):
        return
    for mark in trace.usage_runs:
        if mark.value == "absent":
            yield Hit(
                "the chunk has no usage, not even null, though the request asks for usage", mark.at, event=mark.event
            )
            return
