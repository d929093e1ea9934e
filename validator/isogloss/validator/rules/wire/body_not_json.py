"""The body of the response is neither JSON nor an event stream.

## Why it matters
Such a body is the error page of a proxy, a login form or a plain message. Some clients parse it, and raise a JSON error
that does not say what went wrong. Others do not parse it, and show a web page to the user as the answer of the model.

## What to do
* As a server's author: Make every layer answer in JSON, also for errors of the proxy, for unknown paths and for missing
  keys. The body in the finding's capture shows which layer wrote it.
* As a client's user: Check the base URL first: a missing `/v1` or a login page is the usual cause. Look at status and
  content type before you parse, and show the beginning of the body in your error.

## Bad
```
<html><head><title>502 Bad Gateway</title></head></html>
```

## Good
```json
{"error": {"message": "Bad gateway", "type": "server_error", "param": null, "code": null}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.exchange import Body, Exchange
from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule

__all__ = ["RULE", "check"]

RULE = Rule(
    name="body-not-json",
    severity=Severity.ERROR,
    summary="The body of the response is neither JSON nor an event stream.",
    since="0.1.0",
    sources=(
        Citation(
            "OpenAPI document openai/openai-openapi@f85dbe2: JSON or an event stream, and nothing else", "2026-08"
        ),
        Citation("recorded OpenAI answers, errors among them: JSON or an event stream", "2026-08"),
    ),
    needs=("text",),
)


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit for the first character of a body of text that is neither JSON nor an event stream."""
    body = exchange.response
    if isinstance(body, Body):
        data = body.text.data
        text = data.lstrip()
        if text:
            content = "a page of markup" if text.startswith(b"<") else "text"
            yield Hit(f"the body is {content}, neither JSON nor events", offset=len(data) - len(text))
