"""A comma stands before a closing bracket.

## Why it matters
JavaScript and Python literals allow it, but JSON does not, and parsers reject the whole payload. It occurs in payloads
that were copied from documentation or written by hand, where only a parser notices it.

## What to do
* As a server's author: Write the payload with a JSON serialiser, or remove the comma from the template that produces
  it. A list that is written item by item needs the comma before each item but the first.
* As a client's user: If you wrote the file by hand, delete the comma. For answers, a JSON5 parser reads it as a
  stopgap; report it to the server's authors.

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

RULE = Rule(
    severity=Severity.ERROR,
    sources=(Citation("RFC 8259, 4 and 5: a comma stands between members", "2017-12"),),
)
