"""A number is too large for a double.

## Why it matters
Clients read numbers into doubles or 64-bit integers. Beyond about 1.8e308 a reader gets infinity, which it cannot
write back, or refuses the payload.

## What to do
* As a server's author: Look for an overflow or a wrong conversion where the number is made; no count, time or
  probability of an answer is that large. Send ids that are large numbers as strings.
* As a client's user: Treat the value as missing rather than as infinity. In your own request, look for the arithmetic
  that produced the number.

## Bad
```text
{"created": 1e999}
```

## Good
```text
{"created": 1760000000}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Rule

RULE = Rule(
    severity=Severity.ERROR,
    sources=(Citation("RFC 8259, 6: 1E400 suggests an interoperability problem", "2017-12"),),
)
