"""The type or the parameter of an error is the word for a null, as a string.

Only strings that are nothing but `None` or `null` are reported, in `error.type` and `error.param`. An error that was
captured without a status, a request and a URL is not looked at.

## Why it matters
`param` is null if no property of the request is to blame. A client that finds a string there tells its user that the
property *None* is wrong. A `type` of this kind belongs to no class of errors: clients that choose by it whether to send
the request again, or what to tell the user, fall through to their last branch.

## Who sends it
Gateways that put the missing value of an exception into a string: LiteLLM's proxy, in one file at 63 places
([BerriAI/litellm#39540](https://github.com/BerriAI/litellm/pull/39540)), and services that are built on it.

## What to do
* As a server's author: Write a missing `param` as a JSON null, and choose the `type` by the status if the error has
  none of its own: `str(None)` and `f"{None}"` are words in Python.
* As a client's user: Read `None` and `null` in these two properties as if nothing stood there, and decide by the
  status and by `code`.

## Bad
```json
{"error": {"message": "Invalid model name", "type": "None", "param": "None", "code": "400"}}
```

## Good
```json
{"error": {"message": "Invalid model name", "type": "invalid_request_error", "param": null, "code": "400"}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.exchange import Exchange, Payload, Stream
from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.wire._response import error_in
from isogloss.validator.views import WORDS_FOR_NULL

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("PyPI litellm 1.80.0: the string None for a missing type or param", "2025-11"),
        Citation("OpenAPI document openai/openai-openapi@f85dbe2, Error: param may be null", "2026-08"),
        Citation("36 recorded errors of OpenAI: none has such a word", "2026-11"),
    ),
    needs=("word for null",),
)


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit for each of the two properties that holds such a word, also in errors that are events."""
    body = exchange.response
    if isinstance(body, Payload):
        yield from _hits(body.value)
    elif isinstance(body, Stream):
        for event, value in enumerate(body.values):
            yield from _hits(value, event)


def _hits(value: object, event: int | None = None) -> Iterator[Hit]:
    error = error_in(value)
    for name in ("type", "param"):
        if (word := error.get(name)) in WORDS_FOR_NULL:
            yield Hit(f'{name} is the string "{word}"', ("error", name), word, event=event)
