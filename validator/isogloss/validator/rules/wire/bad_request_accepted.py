"""A request that has to be refused is answered.

Only a capture that has an expected status (`expected_status`) can break this rule. The recordings of `isogloss probe`
have one.

## Why it matters
Nobody notices the caller's mistake: a misspelt model, a temperature that was meant for another API, a message list that
never arrived. The answer is not the one that the caller wanted, and it still costs money.

## What to do
* As a server's author: Validate requests before they reach the model, and answer 400 (404 for an unknown model) with an
  error object that names the parameter.
* As a client's user: Validate your requests yourself, for example with `isogloss check` on a recording, because this
  server does not report mistakes. Compare `model` in the answer with the model that you requested.

## Bad
```
POST /v1/chat/completions {"model":"no-such-model","messages":[…]}

HTTP/1.1 200 OK
```

## Good
```
POST /v1/chat/completions {"model":"no-such-model","messages":[…]}

HTTP/1.1 404 Not Found
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.exchange import Exchange, Stream
from isogloss.validator.findings import Severity
from isogloss.validator.kinds.events import is_error
from isogloss.validator.quoting import join_list
from isogloss.validator.rules import Citation, Hit, Rule

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("recorded OpenAI errors: 400 for a bad body, 401 for a bad key, 404 for an unknown model", "2026-08"),
        Citation(
            "OpenAPI document openai/openai-openapi@f85dbe2: ranges and required properties of the request", "2026-08"
        ),
    ),
    needs=("expected status", "status"),
)


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit if only error statuses are expected and the status of the response is a success."""
    status = exchange.http.status
    expected = exchange.probe.expected_status
    if not expected or min(expected) < 400 or status is None or not 200 <= status < 300:
        return
    body = exchange.response
    expected_text = join_list([str(one) for one in expected])
    if isinstance(body, Stream) and any(map(is_error, body.values)):
        yield Hit(f"refused only inside a stream that had begun with {status}, where {expected_text} is expected")
    else:
        yield Hit(f"answered with {status}, where {expected_text} is expected")
