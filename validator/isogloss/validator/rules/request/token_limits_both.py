"""Both `max_tokens` and `max_completion_tokens` are set.

OpenAI answers 400: setting both at the same time is not supported.

## Why it matters
The request is refused. Some clients send both, to work with old and new servers at once. But fewer servers accept both
than either one alone.

## What to do
* As a server's author: Answer 400, or apply the smaller limit; never add them up or let the order decide.
* As a client's user: Send `max_completion_tokens` alone. Choose the name by the server's documentation if it knows only
  `max_tokens`.

## Bad
```json
{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 9, "max_completion_tokens": 9}
```

## Good
```json
{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hi"}], "max_completion_tokens": 9}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Request

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("langchain-ai/langgraph#5943", "2025-08"),
        Citation("smallmain/vscode-unify-chat-provider#279", "2026-07"),
    ),
    replaces=("deprecated-property",),
    needs=("token limit", "two token limits"),
    of_options=True,
)


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for `max_tokens` if `max_completion_tokens` is also set. Null counts as not set."""
    limit = request.value.get("max_tokens")
    if limit is not None and request.value.get("max_completion_tokens") is not None:
        yield Hit("OpenAI takes `max_tokens` or `max_completion_tokens`, not both", ("max_tokens",), limit)
