"""`top_logprobs` is set, and `logprobs` is not true.

The reference requires `logprobs` for it.

## Why it matters
The request is refused, or answered without any log probability.

## What to do
* As a server's author: Answer 400, as OpenAI does; an answer without log probabilities looks as if the model did not
  support them.
* As a client's user: Set `"logprobs": true` beside `top_logprobs`, or remove both.

## Bad
```json
{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hi"}], "top_logprobs": 3}
```

## Good
```json
{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hi"}], "logprobs": true, "top_logprobs": 3}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Request, is_off

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("API reference, create chat completion: top_logprobs", "2026-04"),
        Citation("recorded requests that OpenAI answered: logprobs beside every top_logprobs", "2026-08"),
    ),
    needs=("top_logprobs",),
    of_options=True,
)


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for `top_logprobs` in a request whose `logprobs` is off."""
    count = request.value.get("top_logprobs")
    if count is not None and is_off(request.value.get("logprobs")):
        yield Hit("top_logprobs needs `logprobs` to be true", ("top_logprobs",), count)
