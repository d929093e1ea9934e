"""An error is answered with the status of a success.

## Why it matters
Clients tell success from failure by the status. On 200 they read `choices`, fail there with an error of their own, do
not retry, and count the call as a success.

## Who breaks
The .NET client of Azure on TGI's refusals, which waited for the end of a stream
([huggingface/text-generation-inference#1896](https://github.com/huggingface/text-generation-inference/issues/1896)).
xAI sends them when its service is not available: the AI SDK's provider looks for `error` in its answers with status
200.

## What to do
* As a server's author: Send the status that fits the error: 400 for a wrong request, 401 for a key, 429 for a limit,
  500 for your own failure.
* As a client's user: Look for `error` in the body before you read `choices`, also on 200, and raise. Clients that retry
  by status do not retry here, so repeat the request yourself where it makes sense.

## Bad
```
HTTP/1.1 200 OK

{"error":{"message":"Rate limit reached","type":"requests","param":null,"code":"rate_limit_exceeded"}}
```

## Good
```
HTTP/1.1 429 Too Many Requests

{"error":{"message":"Rate limit reached","type":"requests","param":null,"code":"rate_limit_exceeded"}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.exchange import Exchange, Payload
from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import OF_ANSWERS

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("OpenAI documentation, error codes: the status of each error", "2026-04"),
        Citation("recorded OpenAI errors: status 400, 401 or 404 on all of them", "2026-08"),
        Citation("@ai-sdk/xai (npm) 3.0.138: looks for an error in answers with status 200", "2026-10"),
    ),
    needs=("error", "status"),
    replaces=("unknown-property", "bad-request-accepted"),
)


_ANSWER_PROPERTIES = OF_ANSWERS | {"id", "model"}
"""The properties of an answer that some servers send beside an error, most of them null."""


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit if the body is an error and the status is known to be below 400."""
    body = exchange.response
    status = exchange.http.status
    if isinstance(body, Payload) and body.kind == "error" and status is not None and status < 400:
        value = body.value if isinstance(body.value, dict) else {}
        extra_pointers = tuple((name,) for name in value if name in _ANSWER_PROPERTIES)
        suffix = " inside the envelope of an answer" if extra_pointers else ""
        yield Hit(
            f"an error with status {status}{suffix}; OpenAI sends errors with 400 or above",
            other_pointers=extra_pointers,
        )
