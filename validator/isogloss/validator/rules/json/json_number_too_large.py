"""A number is too large for any type that clients read numbers into.

## Why it matters
Readers turn it into infinity, lose digits, or refuse.

## Bad
```text
{"created": 1e999}
```

## Good
```text
{"created": 1760000000}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Rule, Source

__all__ = ["RULE"]

RULE = Rule(
    name="json-number-too-large",
    severity=Severity.ERROR,
    summary="A number is too large for any type that clients read numbers into.",
    since="0.1.0",
    sources=(Source("RFC 8259", "2017-12"),),
)
