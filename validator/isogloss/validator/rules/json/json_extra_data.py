"""Text follows the JSON value.

## Why it matters
A parser that reads one value rejects the rest. Servers that append `data: [DONE]` to a JSON body send this.

## Bad
```text
{"id": "chatcmpl-1"}data: [DONE]
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
    name="json-extra-data",
    severity=Severity.ERROR,
    summary="Text follows the JSON value.",
    since="0.1.0",
    sources=(Source("RFC 8259", "2017-12"),),
)
