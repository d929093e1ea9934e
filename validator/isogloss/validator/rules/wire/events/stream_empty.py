"""An event stream carries no chunk.

It has no event at all, or only `[DONE]`.

## Why it matters
Nothing tells the client that something went wrong. The loop over the chunks simply does not run, and the application
shows an empty answer. Servers send this if they fail between the status line and the first chunk.

## What to do
* As a server's author: If generation fails before the first chunk, send an error with its status, since nothing has
  been sent yet. Otherwise send at least a chunk with the role and one with a finish reason.
* As a client's user: Treat a stream without any chunk as a failed call, raise an error of your own, and repeat the
  request a limited number of times.

## Bad
```
HTTP/1.1 200 OK
content-type: text/event-stream

data: [DONE]
```

## Good
```
HTTP/1.1 200 OK
content-type: text/event-stream

data: {"id":"chatcmpl-1","object":"chat.completion.chunk",…}

data: [DONE]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.exchange import Exchange, NotJson, Stream
from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("API reference, create chat completion: a streamed answer is a sequence of chunks", "2026-04"),
        Citation("recorded llama-cpp-python: an empty stream in answer to a bad request", "2026-11"),
    ),
    lacks="choice",
    replaces=("asked-usage-missing",),
    reach="answer",
    needs=("no chunks",),
)


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit for a stream in which no event has any data except `[DONE]`."""
    body = exchange.response
    if isinstance(body, Stream) and all(value is NotJson.DONE or value is NotJson.EMPTY for value in body.values):
        yield Hit("the stream ends before its first chunk", offset=0)
