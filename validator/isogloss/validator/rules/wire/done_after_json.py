"""`data: [DONE]` follows a JSON document.

The body is one completion, or one error, followed by the event that ends a stream.

## Why it matters
The body is neither JSON nor a stream. A client that reads JSON fails at the text after the document. A client that
reads events skips the document, finds the end, and returns an empty answer.

## Who breaks
Clients of OmniRoute and 9router, which answer a plain request with JSON and `data: [DONE]` behind it
([diegosouzapw/OmniRoute#10239](https://github.com/diegosouzapw/OmniRoute/issues/10239),
[decolua/9router#3492](https://github.com/decolua/9router/issues/3492)).

## What to do
* As a server's author: Write `data: [DONE]` only where events were written before it. An error that happens before the
  first event is one JSON document with its own status, and nothing after it.
* As a client's user: Read such a body up to `data: [DONE]` as JSON. If it holds a whole completion, the server did not
  stream: send your requests to it without `stream`.

## Bad
```
{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hi"}}]}

data: [DONE]
```

## Good
```
{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hi"}}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.exchange import Exchange, Payload
from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.wire._response import lines_of_json

RULE = Rule(
    severity=Severity.ERROR,
    catalogue=(62,),
    sources=(
        Citation("API reference, create chat completion: a stream is terminated by a data: [DONE] message", "2026-04"),
        Citation("recorded OpenAI answers: data: [DONE] behind events alone", "2026-11"),
    ),
    needs=("unsound",),
    replaces=("json-extra-data", "json-content-type", "stream-refused"),
    reach="answer",
)

_DONE = b"data: [DONE]"


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit for a `data: [DONE]` at the end of a body that is one JSON document."""
    body = exchange.response
    if not isinstance(body, Payload) or body.sound or body.at:
        return
    data = body.text.data
    start = data.rfind(_DONE, -64)
    if start > 0 and not data[start + len(_DONE) :].strip() and lines_of_json(data) < 2:
        yield Hit("the end of a stream behind one JSON document", offset=start)
