r"""The text begins with a byte order mark.

## Why it matters
Implementations must not add one to JSON that is sent (RFC 8259, 8.1); many parsers reject it.

## Bad
```text
\ufeff{"id": "chatcmpl-1"}
```

## Good
```text
{"id": "chatcmpl-1"}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Rule, Source

__all__ = ["RULE"]

RULE = Rule(
    name="json-byte-order-mark",
    severity=Severity.WARNING,
    summary="The text begins with a byte order mark.",
    since="0.1.0",
    sources=(Source("RFC 8259", "2017-12"),),
)
