"""The request asks for the usage of the stream, and the stream has none.

With `stream_options.include_usage` OpenAI sends it on a chunk of its own before `[DONE]`. The rule does not check a
stream that broke off, with an error or without a finish reason, because it may have ended before that chunk.

## Why it matters
Without it, nobody knows what the answer cost. Clients that asked for a usage read it without checking whether it is
there.

## Who breaks
An adapter of the Typesafe AI SDK raises AttributeError
([typesafe-ai/system-one-adapter-python#39](https://github.com/typesafe-ai/system-one-adapter-python/issues/39)).

## What to do
* As a server's author: Read `stream_options.include_usage`, and send a chunk with empty `choices` and the usage before
  `[DONE]`. A gateway has to pass on both the option and the last chunk.
* As a client's user: Read the usage with a default, and count the tokens yourself if you are billed by them. Check that
  no library on the way removes `stream_options`.

## Bad
```
{"stream":true,"stream_options":{"include_usage":true},…}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}
data: [DONE]
```

## Good
```
{"stream":true,"stream_options":{"include_usage":true},…}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}
data: {"choices":[],"usage":{"prompt_tokens":8,"completion_tokens":3,"total_tokens":11}}
data: [DONE]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.pairing import Pair, asks_for_usage

RULE = Rule(
    severity=Severity.ERROR,
    lacks="usage",
    catalogue=(51,),
    sources=(
        Citation("API reference, create chat completion: stream_options.include_usage", "2026-04"),
        Citation("recorded OpenAI streams: usage in all that were asked for it", "2026-08"),
    ),
    needs=("stream", "request for usage"),
    replaces=("choices-empty",),
    reach="inside",
)


def check(pair: Pair) -> Iterator[Hit]:
    """Yield a hit for the last event of a stream that is complete, but does not have the requested usage.

    If its last chunk has empty choices, and so no other purpose, the hit is at that chunk.
    """
    trace = pair.trace
    if trace is None or trace.usages or trace.errors or not asks_for_usage(pair.request):
        return
    if trace.ended:
        is_there = trace.empty and trace.empty[-1] == trace.chunks[-1][0]
        event = trace.empty[-1] if is_there else len(trace.stream.values) - 1
        yield Hit("usage was asked for, and the stream has none", event=event)
