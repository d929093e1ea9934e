r"""An object has two properties with the same name.

Names are compared after their escapes are resolved: `"id"` and `"\u0069d"` are the same name.

## Why it matters
One parser keeps the first of the two, another keeps the last, and a third refuses the payload. So two readers of one
payload see two answers. A filter may have checked the value that the application does not get.

## What to do
* As a server's author: Find the two places that write the property, and remove one; often a gateway appends a value
  that the server behind it already sent. A serialiser that writes from a map or a type cannot produce this.
* As a client's user: Do not rely on either value, since the next parser may take the other one. Where you check content
  before use, check what your parser returns and not the raw text, and report the fault.

## Bad
```text
{"content": "yes", "content": "no"}
```

## Good
```text
{"content": "yes"}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Rule

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("RFC 8259, 4: names should be unique, or the behaviour of software is unpredictable", "2017-12"),
    ),
)
