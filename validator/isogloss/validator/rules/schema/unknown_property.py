"""A member is not part of the reference.

## Why it matters
Additive, and most readers ignore it; it is what tells one dialect from another, and a client of another vendor will not find it.

Catalogue: row 25, row 26, row 28.

## Bad
```json
{"role": "assistant", "content": "Hi", "reasoning_content": "…"}
```

## Good
```json
{"role": "assistant", "content": "Hi"}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Rule, Source

__all__ = ["RULE"]

RULE = Rule(
    name="unknown-property",
    severity=Severity.NOTE,
    summary="A member is not part of the reference.",
    since="0.1.0",
    sources=(Source("isogloss/schemas/openai/DECISIONS.md", "2026-11"),),
    catalogue=(25, 26, 28),
)
