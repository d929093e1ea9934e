"""The body of the response is neither JSON nor an event stream.

With a status of 502 to 504, or of Cloudflare (520 to 530), this is a warning: a proxy in front of the server wrote it,
as one does in front of OpenAI. For a body that nobody can decode, there is `body-undecodable`.

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

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation(
            "OpenAPI document openai/openai-openapi@f85dbe2: JSON or an event stream, and nothing else", "2026-08"
        ),
        Citation("recorded OpenAI answers, errors among them: JSON or an event stream", "2026-08"),
        Citation("crewai (PyPI) 1.3.0, a cassette: 503 of OpenAI with the text 'upstream connect error'", "2025-08"),
    ),
    needs=("text",),
)


_STATUSES_OF_PROXIES = frozenset({502, 503, 504, *range(520, 531)})


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit for the first character of a body of text that is neither JSON nor an event stream."""
    body = exchange.response
    if isinstance(body, Body) and (exchange.http.fault is None or exchange.http.broken):
        data = body.text.data
        text = data.lstrip()
        if text:
            content = "a page of markup" if text.startswith(b"<") else "text" if _is_text(text) else "no text"
            severity = Severity.WARNING if exchange.http.status in _STATUSES_OF_PROXIES else None
            message = f"the body is {content}, neither JSON nor events"
            yield Hit(message, offset=len(data) - len(text), severity=severity)


def _is_text(data: bytes) -> bool:
    try:
        return "\0" not in data.decode()
    except UnicodeDecodeError:
        return False
