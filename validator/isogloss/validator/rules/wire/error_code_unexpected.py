"""An error has another `code` than the capture says it has to have.

Only a capture that has an expected code (`expected_code`) can break this rule. The recordings of `isogloss probe` have
one.

## Why it matters
Agents that reach the end of the context look for `context_length_exceeded`, shorten their history and go on. On any
other code they show the error and stop.

## Who breaks
opencode compacts a conversation by this code
([anomalyco/opencode#17748](https://github.com/anomalyco/opencode/pull/17748)), and vLLM answered the number 400 in its
place ([vllm-project/vllm#37011](https://github.com/vllm-project/vllm/pull/37011)).

## What to do
* As a server's author: Answer a prompt that is too long with 400 and the code `context_length_exceeded`.
* As a client's user: Also look for words in the message, such as "context length".

## Bad
```json
{"error": {"message": "The prompt is too long.", "type": "invalid_request_error", "param": null, "code": 400}}
```

## Good
```json
{"error": {"message": "The prompt is too long.", "type": "invalid_request_error", "param": "messages",
 "code": "context_length_exceeded"}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.exchange import Exchange, Payload
from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.wire._response import failed

RULE = Rule(
    severity=Severity.WARNING,
    sources=(Citation("anomalyco/opencode#17748: context_length_exceeded triggers compaction", "2026-03"),),
    needs=("expected code", "status"),
    replaces=("context-overflow-unmarked",),
    reach="answer",
)


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit if the status is an expected error, but the code of the error object is not the expected one."""
    body = exchange.response
    status = exchange.http.status
    expected_code = exchange.probe.expected_code
    if expected_code is None or not failed(exchange) or status not in exchange.probe.expected_status:
        return
    value = body.value if isinstance(body, Payload) else None
    error = value.get("error") if isinstance(value, dict) else None
    if isinstance(error, dict) and error.get("code") != expected_code:
        yield Hit(f"the error has another code than {expected_code}")
