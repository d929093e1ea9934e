"""An object has two members of one name.

## Why it matters
Parsers keep the first, the last, or refuse; two readers of one payload see two answers.

## Bad
```text
{"content": "Hi", "content": "Ho"}
```

## Good
```text
{"content": "Hi"}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Rule, Source

__all__ = ["RULE"]

RULE = Rule(
    name="json-duplicate-key",
    severity=Severity.ERROR,
    summary="An object has two members of one name.",
    since="0.1.0",
    sources=(Source("RFC 8259", "2017-12"),),
)
