"""Values are nested deeper than isogloss reads.

The limit is 1024 arrays and objects inside one another.

## Why it matters
No Chat Completions payload comes near this limit; the deepest are the schemas of tools. A thousand levels are a fault
of the server or an attack on the parser. Parsers with a limit of their own (128 levels in serde_json, 10,000 in Go)
refuse such a payload. Parsers without a limit run out of stack.

## What to do
* As a server's author: Look for a structure that contains itself, or text that is encoded again at each turn. Limit the
  depth of requests that you accept, and answer 400 above it.
* As a client's user: In your own request, look for a schema or a message that is wrapped once more at every turn of the
  conversation. Never raise the limit of your parser for data from strangers.

## Bad
```text
[[[[ … ]]]]
```

## Good
```text
[[]]
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import ANYTHING, Citation, Rule

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("RFC 8259, 9: an implementation may set limits on the maximum depth of nesting", "2017-12"),
        Citation("orjson (PyPI) 3: 1024 levels", "2026-11"),
    ),
    hides=ANYTHING,
)
