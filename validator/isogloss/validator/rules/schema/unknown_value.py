"""A value is none of those the reference lists.

## Why it matters
Closed sets (`object`, `role`, `finish_reason`) are parsed into enumerations, and an unknown member fails the answer. Where the set is open, as for `service_tier`, this is a warning.

Catalogue: row 10, row 21, row 23, row 41, row 43, row 46, row 55.

## Bad
```json
{"finish_reason": "end_turn"}
```

## Good
```json
{"finish_reason": "stop"}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Rule, Source

__all__ = ["RULE"]

RULE = Rule(
    name="unknown-value",
    severity=Severity.ERROR,
    summary="A value is none of those the reference lists.",
    since="0.1.0",
    sources=(Source("isogloss/schemas/openai/DECISIONS.md", "2026-11"),),
    catalogue=(10, 21, 23, 41, 43, 46, 55),
)
