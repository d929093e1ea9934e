"""A number lies outside the range that the reference allows.

## Why it matters
In a request, OpenAI answers with status 400; in an answer, unsigned integers overflow.

## Bad
```json
{"temperature": 3}
```

## Good
```json
{"temperature": 1}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Rule, Source

__all__ = ["RULE"]

RULE = Rule(
    name="out-of-range",
    severity=Severity.ERROR,
    summary="A number lies outside the range that the reference allows.",
    since="0.1.0",
    sources=(Source("isogloss/schemas/openai/DECISIONS.md", "2026-11"),),
)
