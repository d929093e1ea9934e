"""A string has not the form that the reference demands.

For `id`, whose prefix `chatcmpl-` OpenAI always sends and nowhere promises, this is a note.

## Why it matters
OpenAI rejects the names of tools and schemas outside of `[A-Za-z0-9_-]` with status 400, though other servers take
them. A few clients look for the prefix of the id.

## Bad
```json
{"type": "function", "function": {"name": "get weather"}}
```

## Good
```json
{"type": "function", "function": {"name": "get_weather"}}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Rule

__all__ = ["RULE"]

RULE = Rule(
    name="wrong-format",
    severity=Severity.ERROR,
    summary="A string has not the form that the reference demands.",
    since="0.1.0",
    sources=(
        Citation("isogloss/schemas/openai/DECISIONS.md, decision 1", "2026-11"),
        Citation("openai (PyPI) 3.52.0, openai/types/chat", "2026-11"),
    ),
)
