"""A number is too large for a double.

## Why it matters
Clients read numbers into doubles or 64-bit integers. Beyond about 1.8e308 a reader gets infinity, which it cannot
write back, or refuses the payload.

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
from isogloss.validator.rules import Citation, Rule

__all__ = ["RULE"]

RULE = Rule(
    name="json-number-too-large",
    severity=Severity.ERROR,
    summary="A number is too large for a double.",
    since="0.1.0",
    sources=(Citation("RFC 8259, 6: 1E400 suggests an interoperability problem", "2017-12"),),
)
