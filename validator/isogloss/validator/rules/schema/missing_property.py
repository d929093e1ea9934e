"""A member that every OpenAI answer has, or that a request needs, is missing.

## Why it matters
Typed clients fail to build their model of the answer, and others fail when they first read the member.

Catalogue: row 1, row 2, row 3, row 7, row 9, row 18, row 20, row 31, row 36, row 42.

## Bad
```json
{"object": "chat.completion", "created": 1, "model": "m", "choices": []}
```

## Good
```json
{"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m", "choices": []}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Rule, Source

__all__ = ["RULE"]

RULE = Rule(
    name="missing-property",
    severity=Severity.ERROR,
    summary="A member that every OpenAI answer has, or that a request needs, is missing.",
    since="0.1.0",
    sources=(Source("isogloss/schemas/openai/DECISIONS.md", "2026-11"),),
    catalogue=(1, 2, 3, 7, 9, 18, 20, 31, 36, 42),
)
