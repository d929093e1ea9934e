r"""A `\uD800`-`\uDFFF` escape stands without its other half.

## Why it matters
Half of a surrogate pair is no character: strict parsers refuse it, others hand on a string that cannot be encoded again.

## Bad
```text
{"content": "\\ud83d"}
```

## Good
```text
{"content": "\\ud83d\\ude00"}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Rule, Source

__all__ = ["RULE"]

RULE = Rule(
    name="json-lone-surrogate",
    severity=Severity.ERROR,
    summary="A `\\uD800`-`\\uDFFF` escape stands without its other half.",
    since="0.1.0",
    sources=(Source("RFC 8259", "2017-12"),),
)
