"""A response has another status than the capture says it has to have.

Only a capture that has an expected status (`expected_status`) can break this rule. The recordings of `isogloss probe`
have one. If a refusal is expected, another refusal is a warning. A failure of the server is then an error, because
clients repeat the request. If a success is expected, a refusal is a note: the server does not support what was
requested. A failure of the server is then a note, too: it does not show whether the server supports it. Statuses about
keys, quotas, load or a gateway say nothing about the request, and are not reported if a success is expected.

A failure such as 500 is always an error if the capture says that the same request does not fail when it is sent alone
(`status_alone`). It is also an error if the capture says that the request failed before, too (`status_before`), while
the server answers other requests.

## Why it matters
The official clients raise by status, and they repeat a request by status. A request that is refused with 500 instead of
400 is sent three times, and an `except BadRequestError` does not catch a 422.

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
from isogloss.validator.quoting import join_list
from isogloss.validator.rules import Citation, Hit, Rule

__all__ = ["RULE", "check", "failure", "is_conclusive"]

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("recorded OpenAI errors: 400 for a bad body, 401 for a bad key, 404 for an unknown model", "2026-08"),
        Citation("openai (PyPI) 3.52.0, _base_client.py: repeats 408, 409, 429 and every 5xx", "2026-11"),
    ),
    needs=("expected status", "status"),
    replaces=("error-status-contradicted",),
    reach="answer",
)

_BUSY = frozenset({408, 425, 429})
"""Statuses of a server that accepts no request at the moment, neither a good nor a bad one."""

_TEMPORARY = _BUSY | {401, 402, 403, 409, 502, 503, 504, 529}
"""Statuses about keys, quotas, load or a gateway: the same request may well succeed elsewhere or later."""


def failure(status: int) -> bool:
    """Return whether a status is a failure of the server.

    501 is not: with it, a server says that it does not support something.
    """
    return status >= 500 and status != 501


def is_conclusive(exchange: Exchange) -> bool:
    """Return whether an answer settles its case, if the capture says which status it should have.

    An inconclusive answer never does. Any other answer does if its status is expected, unknown or below 400, or if the
    capture expects no certain status. In all other cases, it depends on what is expected:

    * If a refusal is expected, every status settles the case except the statuses of a busy server.
    * If a success is expected, a refusal because of keys, quotas or load does not, nor does an error of a gateway: if a
      server answers only this, nothing was checked. A failure of the server settles the case only if its cause is
      clear. If the request fails only beside other requests, these are the cause. If it fails each time, it is the
      cause itself.
    """
    expected = exchange.probe.expected_status
    if exchange.probe.inconclusive:
        return False
    if not expected:
        return True
    status = exchange.http.status
    if status is None or status < 400 or status in expected:
        return True
    if max(expected) >= 400:
        return status not in _BUSY
    return status not in _TEMPORARY and (
        not failure(status) or _only_beside_others(exchange) or _failed_before(exchange)
    )


def _only_beside_others(exchange: Exchange) -> bool:
    return exchange.probe.status_alone is not None and not failure(exchange.probe.status_alone)


def _failed_before(exchange: Exchange) -> bool:
    return exchange.probe.status_before is not None and failure(exchange.probe.status_before)


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit if the status is an error and is not one of the expected statuses.

    Statuses of a busy server are ignored. If a success is expected, so are those about keys, quotas, load or a gateway.
    """
    status = exchange.http.status
    expected = exchange.probe.expected_status
    if not expected or status is None or status < 400 or status in expected:
        return
    expected_text = join_list([str(one) for one in expected])
    refusal_expected = max(expected) >= 400
    if status in (_BUSY if refusal_expected else _TEMPORARY):
        return
    if failure(status) and _only_beside_others(exchange):
        outcome_alone = f"answered with {exchange.probe.status_alone} when it is sent alone"
        yield Hit(f"failed with {status} beside other requests, and is {outcome_alone}", severity=Severity.ERROR)
    elif refusal_expected and status >= 500:
        yield Hit(f"failed with {status}, where {expected_text} is expected", severity=Severity.ERROR)
    elif refusal_expected:
        yield Hit(f"refused with {status}, where {expected_text} is expected")
    elif failure(status) and _failed_before(exchange):
        yield Hit(f"failed with {status} each time it was sent", severity=Severity.ERROR)
    elif failure(status):
        yield Hit(f"failed with {status}: whether this is supported is not known", severity=Severity.NOTE)
    else:
        yield Hit(f"refused with {status}: not supported", severity=Severity.NOTE)
