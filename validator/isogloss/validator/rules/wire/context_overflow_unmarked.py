"""An error says that the prompt is too long, but does not have the status and the code for that.

OpenAI answers 400 with the code `context_length_exceeded`.

## Why it matters
An agent that sees the code shortens its history and goes on. Without the code, it repeats the same request, as it would
on a 500, or gives up on a conversation that could be saved.

## Who sends it
Kronk, which answers 500 ([ardanlabs/kronk#861](https://github.com/ardanlabs/kronk/issues/861)); vLLM, whose code is
the number of the status ([vllm-project/vllm#37011](https://github.com/vllm-project/vllm/pull/37011)); DeepSeek, whose
code is its type ([evalstate/fast-agent#621](https://github.com/evalstate/fast-agent/issues/621)).

## What to do
* As a server's author: Compare the prompt with the context before it is queued, and answer 400 with
  `"code": "context_length_exceeded"`.
* As a client's user: Where the code is missing, look for words such as "context length" in the message before you
  repeat a request, and shorten the history.

## Bad
```
HTTP/1.1 500 Internal Server Error

{"error": {"message": "input exceeds the context window", "type": "server_error", "param": null, "code": null}}
```

## Good
```
HTTP/1.1 400 Bad Request

{"error": {"message": "This model's maximum context length is 8192 tokens.", "type": "invalid_request_error",
  "param": "messages", "code": "context_length_exceeded"}}
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from isogloss.validator.exchange import Exchange, Payload
from isogloss.validator.findings import Severity
from isogloss.validator.pointer import ABSENT
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.wire._response import error_in
from isogloss.validator.views import string

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("crewAIInc/crewAI-examples#121: the error as OpenAI sends it", "2024-06"),
        Citation("ardanlabs/kronk#861", "2026-08"),
        Citation("vllm-project/vllm#37011", "2026-03"),
    ),
    needs=("error", "words about length"),
)


@cache
def _overflow_pattern() -> re.Pattern[str]:
    """Return the regular expression that finds messages about a prompt that is too long."""
    return re.compile(
        r"(?:maximum|exceed\w*|larger than|greater than|longer than)[^.]{0,80}context"
        r"|context(?: (?:length|window|size|limit))[^.]{0,60}(?:exceed|too (?:long|large|small))"
        r"|prompt is too long|too many (?:input )?tokens",
        re.IGNORECASE,
    )


_CODE = "context_length_exceeded"


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit for an error whose message says that the context is full, if its code or its status is wrong.

    The status is wrong if it is 500 or above, which means that the server is at fault.
    """
    body = exchange.response
    if not isinstance(body, Payload) or body.kind != "error":
        return
    error = error_in(body.value)
    message = (string(error.get("message")) or "")[:2000]
    if not _overflow_pattern().search(message):
        return
    status = exchange.http.status
    if error.get("code") != _CODE:
        yield Hit(f"the prompt is too long, and the code is not {_CODE}", ("error", "code"), error.get("code", ABSENT))
    elif status is not None and status >= 500:
        message = f"the prompt is too long, and the status {status} says that the server failed"
        yield Hit(message, ("error", "code"), _CODE)
