"""`metadata` is set, and `store` is not true.

The metadata belong to a stored completion. This is a warning, because some servers accept metadata for their own logs,
and because OpenAI may store completions of some projects by default.

## Why it matters
The request is refused (400, "The 'metadata' parameter is only allowed when 'store' is enabled."). A library that adds
metadata to each request, such as an identifier of the session, then fails with each request.

## What to do
* As a server's author: Answer 400 and name `metadata`, or document what you use it for without `store`.
* As a client's user: Set `"store": true` if the completion may be kept, or send the metadata to your own log.

## Bad
```json
{"model": "gpt-5-nano", "messages": [{"role": "user", "content": "Hi"}], "metadata": {"team": "ai"}}
```

## Good
```json
{"model": "gpt-5-nano", "messages": [{"role": "user", "content": "Hi"}], "metadata": {"team": "ai"}, "store": true}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Request, is_off

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("QwenLM/qwen-code#243: metadata is only allowed when store is enabled", "2025-08"),
        Citation("tmc/langchaingo#1484: the same, of gpt-5-nano", "2026-03"),
        Citation("recorded requests that OpenAI answered: store beside each of 36 metadata", "2026-11"),
    ),
    needs=("metadata",),
    of_options=True,
)


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for `metadata` that are not empty in a request whose `store` is off."""
    metadata = request.value.get("metadata")
    if metadata and is_off(request.value.get("store")):
        yield Hit("metadata need `store` to be true", ("metadata",), metadata)
