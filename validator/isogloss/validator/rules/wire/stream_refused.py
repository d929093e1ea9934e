"""A request with `"stream": true` is answered with one JSON document.

An answer that is an error does not break this rule: errors are JSON even if the request asks for a stream.

## Why it matters
A client that reads events skips every line of the document, because none begins with `data:`, and reports an empty
answer. This happens if a gateway cannot stream a model, or drops the option on the way.

## What to do
* As a server's author: Answer `"stream": true` with an event stream; if a model cannot stream, send its whole answer as
  one chunk, or answer 400. Check that no gateway drops the option.
* As a client's user: Look at the content type: for `application/json`, parse the body as one completion. If the server
  never sends a stream, do not request one.

## Bad
```
POST /v1/chat/completions {"model":"gpt-4.1-mini","messages":[…],"stream":true}

{"id":"chatcmpl-1","object":"chat.completion",…}
```

## Good
```
POST /v1/chat/completions {"model":"gpt-4.1-mini","messages":[…],"stream":true}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk",…}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.exchange import Exchange, Payload
from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.wire._response import failed, media_type

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("API reference, create chat completion: stream", "2026-04"),
        Citation("recorded OpenAI answers: a stream wherever one was asked for", "2026-08"),
    ),
    needs=("request", "request for a stream", "no stream"),
    includes=("json-content-type", "wrong-type"),
)


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit if the request asks for a stream and the answer is a completion. A chunk alone is of a stream.

    If its content type is that of the stream that should have come, the body alone is wrong. An array is one, too.
    """
    body = exchange.response
    if exchange.asks_for_stream and not failed(exchange) and isinstance(body, Payload) and body.kind == "completion":
        is_named_stream = media_type(exchange) == "text/event-stream"
        is_array = isinstance(body.value, list)
        message = f'one JSON {"array" if is_array else "document"} in answer to "stream": true'
        yield Hit(
            message + ", sent as an event stream" * is_named_stream,
            other_pointers=((),) if is_named_stream or is_array else (),
        )
