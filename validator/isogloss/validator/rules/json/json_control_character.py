r"""A control character stands unescaped in a string.

Control characters are U+0000 to U+001F, including line feed and tab.

## Why it matters
JSON requires that they are escaped, and strict parsers reject the payload. The fault shows that the server puts strings
into JSON by hand, so a quote in the answer will break it, too.

## What to do
* As a server's author: Write JSON with a JSON serialiser, never with string templates; it escapes line feeds and tabs
  by itself. Until then, quotes and backslashes in the model's text break the answer too.
* As a client's user: Parse leniently only as a stopgap (`json.loads(text, strict=False)` in Python accepts such
  strings) and report the fault. Do not remove the characters: they are part of the text.

## Bad
```text
{"content": "a
b"}
```

## Good
```text
{"content": "a\nb"}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Rule

RULE = Rule(
    replaces=("arguments-not-json",),
    reach="answer",
    severity=Severity.ERROR,
    sources=(Citation("RFC 8259, 7: control characters must be escaped", "2017-12"),),
)
