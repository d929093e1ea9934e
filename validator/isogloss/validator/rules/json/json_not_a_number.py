"""`NaN`, `Infinity` or `-Infinity` stands where JSON has no such number.

## Why it matters
Python's `json.dumps` writes them by default, above all in `logprobs`; strict parsers reject the whole payload.

## Bad
```text
{"token": "a", "logprob": -Infinity}
```

## Good
```text
{"token": "a", "logprob": -9999.0}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Rule, Source

__all__ = ["RULE"]

RULE = Rule(
    name="json-not-a-number",
    severity=Severity.ERROR,
    summary="`NaN`, `Infinity` or `-Infinity` stands where JSON has no such number.",
    since="0.1.0",
    sources=(Source("RFC 8259", "2017-12"),),
)
