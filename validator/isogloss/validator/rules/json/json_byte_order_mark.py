r"""The text begins with a byte order mark.

## Why it matters
A sender of JSON must not add a byte order mark. A reader may ignore it, but may also refuse it. JavaScript's
`JSON.parse`, orjson, Go and Rust refuse it. Editors and .NET writers add it without showing it.

## What to do
* As a server's author: Write the body without a mark: in .NET `new UTF8Encoding(false)`, in Python `utf-8` and not
  `utf-8-sig`. Check also any file or template that is sent as it is.
* As a client's user: If the file was saved by an editor, save it again as "UTF-8 without BOM". To read such answers
  meanwhile, drop the first character if it is U+FEFF before you parse.

## Bad
```text
\ufeff{"id": "chatcmpl-1"}
```

## Good
```text
{"id": "chatcmpl-1"}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Rule

RULE = Rule(
    severity=Severity.WARNING,
    sources=(Citation("RFC 8259, 8.1: implementations must not add a byte order mark", "2017-12"),),
)
