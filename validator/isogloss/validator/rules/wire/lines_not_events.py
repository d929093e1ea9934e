"""The chunks of a stream are sent as lines of JSON, and not as events.

This is JSON Lines (NDJSON): each chunk is on a line of its own, without `data: ` before it and without a blank line
after it.

## Why it matters
No client of OpenAI's API reads that. It waits for lines that begin with `data:`, skips all others, and ends with an
empty answer. A client that expects one document fails at the second line.

## Who breaks
Whoever points a client of OpenAI's API at a server's own API, such as `/api/chat` of Ollama, which sends one JSON
object a line.

## What to do
* As a server's author: Put `data: ` before each chunk and a blank line after it, end with `data: [DONE]`, and send
  `content-type: text/event-stream`.
* As a client's user: Check the path of the base URL. Mostly the server's own API answers; the API that OpenAI's clients
  read is under `/v1`.

## Bad
```
{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Hi"}}]}
{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}
```

## Good
```
data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Hi"}}]}

data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

data: [DONE]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.exchange import Exchange, Payload
from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.wire._response import EVENT_STREAM, lines_of_json

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("API reference, create chat completion: stream, data-only server-sent events", "2026-04"),
        EVENT_STREAM,
        Citation("recorded OpenAI streams: events in all of them", "2026-11"),
        Citation("https://docs.ollama.com/api/streaming, as quoted by w3cschool.cn: lines of JSON", "2026-10"),
    ),
    needs=("unsound",),
    replaces=("json", "schema", "completion", "pair", "json-content-type", "stream-refused", "error-shape"),
    reach="answer",
)


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit for a body of several lines if each of them is a JSON object."""
    body = exchange.response
    if isinstance(body, Payload) and not body.sound and not body.at:
        lines = lines_of_json(body.text.data)
        if lines > 1:
            yield Hit(f"{lines} lines of JSON, where events are expected", offset=0)
