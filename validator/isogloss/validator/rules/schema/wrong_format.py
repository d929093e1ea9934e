"""A string has not the form that the reference demands. A note for `id`, whose prefix `chatcmpl-` OpenAI always sends and nobody documents as a promise.

## Why it matters
Names of tools and formats outside `[A-Za-z0-9_-]` are rejected by OpenAI with status 400; a few clients look for the prefix of the id.

## Bad
```json
{"name": "get weather"}
```

## Good
```json
{"name": "get_weather"}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Rule, Source

__all__ = ["RULE"]

RULE = Rule(
    name="wrong-format",
    severity=Severity.ERROR,
    summary="A string has not the form that the reference demands. A note for `id`, whose prefix `chatcmpl-` OpenAI always sends and nobody documents as a promise.",
    since="0.1.0",
    sources=(Source("isogloss/schemas/openai/DECISIONS.md", "2026-11"),),
)
