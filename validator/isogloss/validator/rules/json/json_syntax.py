"""The text is not JSON.

## Why it matters
A parser gives up at this place, and with it the client: nothing of the payload reaches the application.

## Bad
```text
{"id": "chatcmpl-1" "object": "chat.completion"}
```

## Good
```text
{"id": "chatcmpl-1", "object": "chat.completion"}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Rule, Source

__all__ = ["RULE"]

RULE = Rule(
    name="json-syntax",
    severity=Severity.ERROR,
    summary="The text is not JSON.",
    since="0.1.0",
    sources=(Source("RFC 8259", "2017-12"),),
)
