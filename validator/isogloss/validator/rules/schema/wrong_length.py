"""A string, array or object is shorter or longer than the reference allows.

## Why it matters
In a request, OpenAI answers with status 400.

## Bad
```json
{"stop": ["a", "b", "c", "d", "e"]}
```

## Good
```json
{"stop": ["a", "b"]}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Rule, Source

__all__ = ["RULE"]

RULE = Rule(
    name="wrong-length",
    severity=Severity.ERROR,
    summary="A string, array or object is shorter or longer than the reference allows.",
    since="0.1.0",
    sources=(Source("isogloss/schemas/openai/DECISIONS.md", "2026-11"),),
)
