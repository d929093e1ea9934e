"""A comma stands before a closing bracket.

## Why it matters
JavaScript and Python literals allow it, JSON does not; payloads pasted from documentation or written by hand have it.

## Bad
```text
{"role": "assistant", "content": "Hi",}
```

## Good
```text
{"role": "assistant", "content": "Hi"}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Rule, Source

__all__ = ["RULE"]

RULE = Rule(
    name="json-trailing-comma",
    severity=Severity.ERROR,
    summary="A comma stands before a closing bracket.",
    since="0.1.0",
    sources=(Source("RFC 8259", "2017-12"),),
)
