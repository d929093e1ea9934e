"""A response has another status than the capture says it has to have.

Only a capture that says which status is expected (`expected_status`) can break this rule, as the recordings of
`isogloss probe` do. Where a refusal is expected, another refusal is a warning, and the failure of a server an error:
clients repeat what failed so. Where a success is expected, the failure of a server is an error, and a refusal a note:
the server does not support what was asked for. Statuses that speak of keys, quotas, load or a gateway say nothing
about the request and are no finding then.

## Why it matters
The official clients raise by status, and repeat a request by status: what is refused with 500 instead of 400 is sent
three times, and an `except BadRequestError` does not catch a 422.

## What to do
* As a server's author: Answer 400, or 404 for an unknown model, for what the request did wrong, and keep 500 and above
  for your own failures, which clients repeat.
* As a client's user: Do not repeat a request by its status alone with this server: limit the attempts, and look at the
  message. Catch the general status error of your client, not only `BadRequestError`.

## Bad
```
POST /v1/chat/completions {"model":"tiny"}

HTTP/1.1 500 Internal Server Error
```

## Good
```
POST /v1/chat/completions {"model":"tiny"}

HTTP/1.1 400 Bad Request
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.exchange import Exchange
from isogloss.validator.findings import Severity
from isogloss.validator.quoting import listed
from isogloss.validator.rules import Citation, Hit, Rule

__all__ = ["PASSING", "RULE", "check"]

RULE = Rule(
    name="unexpected-status",
    severity=Severity.WARNING,
    summary="A response has another status than the capture says it has to have.",
    since="0.1.0",
    sources=(
        Citation("recorded OpenAI errors: 400 for a bad body, 401 for a bad key, 404 for an unknown model", "2026-08"),
        Citation("openai (PyPI) 3.52.0, _base_client.py: repeats 408, 409, 429 and every 5xx", "2026-11"),
    ),
    needs=("expected", "status"),
)

PASSING = frozenset({401, 402, 403, 408, 409, 425, 429, 502, 503, 504, 529})
"""Statuses that speak of keys, quotas, load or a gateway: the same request may well succeed elsewhere or later."""


def check(exchange: Exchange) -> Iterator[Hit]:
    """A hit when the status is that of an error, and not among the expected ones."""
    status = exchange.response.status if exchange.response is not None else None
    expected = exchange.expected_status
    if not expected or status is None or status < 400 or status in expected:
        return
    wanted = listed([str(one) for one in expected])
    refusal = max(expected) >= 400
    if not refusal and status in PASSING:
        return
    if status >= 500:
        yield Hit(f"failed with {status}, where {wanted} is expected", severity=Severity.ERROR)
    elif refusal:
        yield Hit(f"refused with {status}, where {wanted} is expected")
    else:
        yield Hit(f"refused with {status}: not supported", severity=Severity.NOTE)
