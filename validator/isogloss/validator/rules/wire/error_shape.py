"""The body of an error is not `{"error": {…}}`.

## Why it matters
Clients read message, type and code from the object `error`. If the body is `{"detail": …}`, a string, a list or the
bare properties, they find nothing there and show "no body" instead of the reason. Code that retries or backs off by
`code` does neither.

## Who breaks
openai-node reports "(no body)" and hides the message, as with `{"detail": …}` of servers built with FastAPI
([openai/openai-node#1734](https://github.com/openai/openai-node/issues/1734)). Ray Serve answers so if it does not know
the model ([ray-project/ray#64833](https://github.com/ray-project/ray/issues/64833)).

## What to do
* As a server's author: Send `{"error": {"message": …, "type": …, "param": …, "code": …}}` from every handler;
  frameworks have a hook for their own errors (FastAPI's `detail`, for example).
* As a client's user: Read the message from `error.message`, else from `detail`, `message` or the text of the body.
  Decide by the status, and not by `code`, whether to repeat the request.

## Bad
```json
{"detail": "Not authenticated"}
```

## Good
```json
{"error": {"message": "Not authenticated", "type": "invalid_request_error", "param": null, "code": "invalid_api_key"}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.exchange import Exchange, Payload, Stream
from isogloss.validator.findings import Severity
from isogloss.validator.quoting import quote_name, type_with_article
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.wire._response import failed

RULE = Rule(
    severity=Severity.ERROR,
    catalogue=(64,),
    sources=(
        Citation("OpenAPI document openai/openai-openapi@f85dbe2, ErrorResponse", "2026-08"),
        Citation("recorded OpenAI errors: an object error in all of them", "2026-08"),
    ),
    needs=("error", "unusual error"),
)

_MESSAGE_NAMES = ("message", "detail")
"""The properties that hold the message if there is no error object. Which one it is decides what clients show."""


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit for `error` if it is not an object, or for the whole body if it has no `error`.

    Also yield a hit if an error is sent as a stream.
    """
    body = exchange.response
    if isinstance(body, Stream):
        if failed(exchange) and any(isinstance(value, dict) and value.get("error") for value in body.values):
            yield Hit("the body of the error is an event stream")
    elif isinstance(body, Payload) and body.kind == "error":
        value = body.value
        if not isinstance(value, dict):
            yield Hit(f"the body of the error is {type_with_article(value)}", value=value)
        elif "error" not in value:
            name = next((name for name in _MESSAGE_NAMES if name in value), None)
            found = f"{quote_name(name)}, but no error object" if name else "no error object"
            yield Hit(f"the body of the error has {found}", value=value)
        elif not isinstance(value["error"], dict):
            yield Hit(f"error is {type_with_article(value['error'])} instead of an object", ("error",), value["error"])
