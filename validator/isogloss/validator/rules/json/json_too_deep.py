"""Values are nested deeper than is read.

## Why it matters
No Chat Completions payload nests deeper than its tools' schemas; parsers with a recursion limit fail here.

## Bad
```text
[[[[…]]]]
```

## Good
```text
[[]]
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Rule, Source

__all__ = ["RULE"]

RULE = Rule(
    name="json-too-deep",
    severity=Severity.ERROR,
    summary="Values are nested deeper than is read.",
    since="0.1.0",
    sources=(Source("RFC 8259", "2017-12"),),
)
