"""The status of an error says something else than its code or its type.

OpenAI answers 401 with the code `invalid_api_key`, and 429 with `rate_limit_exceeded` or `insufficient_quota`. What it
calls an `invalid_request_error` has a status below 500.

## Why it matters
Clients decide by the status whether they send a request again. With 500 or above, they repeat one that can never
succeed; with 400, they give up on one that would succeed a moment later.

## Who breaks
Clients of gateways: Codex repeated requests that sub2api answered with 502 in place of 400, about 2,200 times in three
hours ([Wei-Shaw/sub2api#4176](https://github.com/Wei-Shaw/sub2api/pull/4176)), and wrong keys were tried again and
again ([BerriAI/litellm#38318](https://github.com/BerriAI/litellm/pull/38318)).

## What to do
* As a server's author: Choose the status by the error. As a gateway, pass on the status of an answer with 400 to 499,
  and use 502 only for an answer that you cannot read.
* As a client's user: Switch automatic retries off for this server, or decide by the `code` of the error whether to
  send the request again.

## Bad
```
HTTP/1.1 500 Internal Server Error

{"error": {"message": "Invalid 'tools': array too long.", "type": "invalid_request_error", "param": "tools",
  "code": "array_above_max_length"}}
```

## Good
```
HTTP/1.1 400 Bad Request

{"error": {"message": "Invalid 'tools': array too long.", "type": "invalid_request_error", "param": "tools",
  "code": "array_above_max_length"}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.exchange import Exchange, Payload
from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.wire._response import error_in
from isogloss.validator.rules.wire.unexpected_status import failure
from isogloss.validator.views import string

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("openai (PyPI) 3.57.0: the client sends 408, 409, 429, and 500 or above again", "2026-11"),
        Citation("FoundationAgents/OpenManus#993: 500 with invalid_request_error, from a gateway", "2025-03"),
        Citation("recorded OpenAI refusals: none of 43", "2026-11"),
    ),
    needs=("error", "status"),
)

_STATUS_OF_CODE = {"invalid_api_key": 401, "rate_limit_exceeded": 429, "insufficient_quota": 429}
_OF_ANOTHER_RULE = "context_length_exceeded"


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit for an error whose code has another status, or which blames the request with 500 or above."""
    body, status = exchange.response, exchange.http.status
    if not isinstance(body, Payload) or body.kind != "error" or status is None or status < 400:
        return
    error = error_in(body.value)
    code, kind = string(error.get("code")), string(error.get("type"))
    usual = _STATUS_OF_CODE.get(code or "", status)
    if usual != status:
        yield Hit(f"the status is {status}, and OpenAI sends {usual} with this code", ("error", "code"), code)
    elif kind == "invalid_request_error" and failure(status) and code != _OF_ANOTHER_RULE:
        message = f"the status {status} says that the server failed, and the type says that the request is wrong"
        yield Hit(message, ("error", "type"), kind)
