"""`null` stands where OpenAI never sends it.

## Why it matters
A member that is null is not a member that is missing: clients look into it.

Catalogue: row 4, row 8, row 15, row 16, row 19, row 33, row 34, row 37.

## Bad
```json
{"tool_calls": null}
```

## Good
```json
{}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Rule, Source

__all__ = ["RULE"]

RULE = Rule(
    name="null-value",
    severity=Severity.ERROR,
    summary="`null` stands where OpenAI never sends it.",
    since="0.1.0",
    sources=(Source("isogloss/schemas/openai/DECISIONS.md", "2026-11"),),
    catalogue=(4, 8, 15, 16, 19, 33, 34, 37),
)
