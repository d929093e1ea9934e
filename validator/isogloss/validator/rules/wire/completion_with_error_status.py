"""A completion is answered with the status of an error or a redirect, or with another success than 200.

Another success, such as 201, is a warning.

## Why it matters
If the status is 300 or above, clients raise before they look at the body. The answer is lost. On 429 and 500 the
`openai` packages repeat the request, and the new answer costs money again.

Some clients take only 200 for a success, and raise on 201, which some frameworks send in answer to every POST.

## Who breaks
codicil on Polza.ai, which answers 201 ([E-xyza/codicil#4](https://github.com/E-xyza/codicil/pull/4)).

## What to do
* As a server's author: Send 200 with a completion. If something failed on the way, send an error object and not the
  answer.
* As a client's user: The answer is in the body of the error that your client raises (`error.response`), so read it
  there before you repeat the request.

## Bad
```
HTTP/1.1 500 Internal Server Error

{"id":"chatcmpl-1","object":"chat.completion",…}
```

## Good
```
HTTP/1.1 200 OK

{"id":"chatcmpl-1","object":"chat.completion",…}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.exchange import Exchange, Payload, Stream
from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation(
            "OpenAPI document openai/openai-openapi@f85dbe2: the completion is the content of status 200", "2026-08"
        ),
        Citation("recorded OpenAI answers: status 200 on every completion", "2026-08"),
        Citation("tmc/langchaingo@00ccb89, openaiclient/chat.go: an error unless the status is 200", "2026-11"),
        Citation(
            "httpx (PyPI) 0.28, Response.raise_for_status: raises for a redirect that was not followed, too", "2026-11"
        ),
    ),
    needs=("status", "unusual status"),
)


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit if the status is not 200 and the body is a completion or a stream with choices."""
    body, status = exchange.response, exchange.http.status
    if status is None or status == 200:
        return
    answered = (
        any(isinstance(value, dict) and value.get("choices") for value in body.values)
        if isinstance(body, Stream)
        else isinstance(body, Payload) and body.kind in ("completion", "chunk")
    )
    if answered:
        severity = Severity.WARNING if 200 <= status < 300 else None
        yield Hit(f"a completion with status {status}", severity=severity)
