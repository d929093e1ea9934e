"""A value is of another JSON type than the reference has.

## Why it matters
Typed clients reject it; untyped ones fail later, further from the cause.

Catalogue: row 12, row 13, row 22, row 23, row 35.

## Bad
```json
{"created": "1760000000"}
```

## Good
```json
{"created": 1760000000}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Rule, Source

__all__ = ["RULE"]

RULE = Rule(
    name="wrong-type",
    severity=Severity.ERROR,
    summary="A value is of another JSON type than the reference has.",
    since="0.1.0",
    sources=(Source("isogloss/schemas/openai/DECISIONS.md", "2026-11"),),
    catalogue=(12, 13, 22, 23, 35),
)
