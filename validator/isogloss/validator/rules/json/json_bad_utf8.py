r"""The text is not UTF-8.

## Why it matters
JSON that is exchanged has to be UTF-8 (RFC 8259, 8.1). Servers that cut a token's bytes in two send this; clients raise or show replacement characters.

## Bad
```text
{"content": "caf\xe9"}   (one byte E9)
```

## Good
```text
{"content": "café"}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Rule, Source

__all__ = ["RULE"]

RULE = Rule(
    name="json-bad-utf8",
    severity=Severity.ERROR,
    summary="The text is not UTF-8.",
    since="0.1.0",
    sources=(Source("RFC 8259", "2017-12"),),
)
