r"""A control character stands unescaped in a string.

## Why it matters
JSON wants line feeds and their like escaped; strict parsers reject the payload.

## Bad
```text
{"content": "a\n b"}   (a raw line feed)
```

## Good
```text
{"content": "a\\nb"}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Rule, Source

__all__ = ["RULE"]

RULE = Rule(
    name="json-control-character",
    severity=Severity.ERROR,
    summary="A control character stands unescaped in a string.",
    since="0.1.0",
    sources=(Source("RFC 8259", "2017-12"),),
)
