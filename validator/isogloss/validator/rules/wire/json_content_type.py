"""A JSON body is sent with a content type that is not JSON, or without one.

`application/json` and every type that ends in `+json` are JSON, with or without parameters. If the response is an
error, this is a warning, because clients read the body of an error as text first. Recorders may leave the content type
out, so only a live answer can break this rule without one.

## Why it matters
A client that follows the content type does not parse the body. The `openai` package for Python then returns the text
instead of a completion, or raises if it validates strictly. A reader of event streams finds no event in it and reports
an empty answer.

## What to do
* As a server's author: Send `content-type: application/json` with every JSON body, errors included.
* As a client's user: If your client allows it, parse the body as JSON whatever its content type is. Also check whether
  you requested a stream: the content type may be that of the stream that should have come.

## Bad
```
HTTP/1.1 200 OK
content-type: text/event-stream

{"id":"chatcmpl-1","object":"chat.completion",…}
```

## Good
```
HTTP/1.1 200 OK
content-type: application/json

{"id":"chatcmpl-1","object":"chat.completion",…}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.exchange import Exchange, Payload
from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.wire._response import failed, media_type, of_type

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation(
            "OpenAPI document openai/openai-openapi@f85dbe2: application/json is the response's content", "2026-08"
        ),
        Citation("openai (PyPI) 3.52.0, _response.py: what becomes of another type", "2026-11"),
        Citation("recorded OpenAI answers: application/json on all of them", "2026-08"),
    ),
    needs=("content type", "unusual content type"),
)


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit if the body is JSON and its media type is known and not a JSON type."""
    content_type = media_type(exchange)
    if (
        isinstance(exchange.response, Payload)
        and content_type is not None
        and not content_type.endswith(("/json", "+json"))
    ):
        yield Hit(f"a JSON body sent {of_type(content_type)}", severity=Severity.WARNING if failed(exchange) else None)
