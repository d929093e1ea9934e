"""A comma stands before a closing bracket.

## Why it matters
JavaScript and Python literals allow it, JSON does not, and parsers reject the whole payload. It is in payloads that
were copied from documentation or written by hand, where nothing but a parser notices it.

## Bad
```text
{"role": "assistant", "content": "Hello",}
```

## Good
```text
{"role": "assistant", "content": "Hello"}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Rule

__all__ = ["RULE"]

RULE = Rule(
    name="json-trailing-comma",
    severity=Severity.ERROR,
    summary="A comma stands before a closing bracket.",
    since="0.1.0",
    sources=(Citation("RFC 8259, 4 and 5: a comma stands between members", "2017-12"),),
)
