"""The body of the response is empty.

The rule `stream-empty` reports an event stream without events. If the status is an error, an empty body is a warning,
because the status at least says that the request failed.

## Why it matters
A success without a body has no answer. JSON parsers raise "unexpected end of input". That looks like a broken
connection, and the client repeats the call.

## What to do
* As a server's author: Send a JSON body with every answer; if a handler fails, let the framework answer 500 with an
  error object. Check timeouts of proxies that close the connection early.
* As a client's user: Test for an empty body before you parse, and treat it as a failed call. Repeat it a limited number
  of times, with a growing pause.

## Bad
```
HTTP/1.1 200 OK
content-length: 0
```

## Good
```
HTTP/1.1 200 OK

{"id":"chatcmpl-1","object":"chat.completion",…}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.exchange import Body, Exchange
from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.wire._response import failed

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("OpenAPI document openai/openai-openapi@f85dbe2: every response has content", "2026-08"),
        Citation("recorded llama-cpp-python: status 200 and no body on a bad streaming request", "2026-11"),
    ),
    needs=("text",),
)


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit if the body is empty or only white space, and that is all that is wrong with it."""
    body = exchange.response
    if isinstance(body, Body) and exchange.http.fault is None and not body.text.data.strip():
        yield Hit("the body is empty", offset=0, severity=Severity.WARNING if failed(exchange) else None)
