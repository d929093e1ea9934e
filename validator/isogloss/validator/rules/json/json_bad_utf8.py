r"""The text is not UTF-8.

If a character was split over two events of a stream, `sse-bad-utf8` reports that, too.

## Why it matters
JSON between systems is UTF-8. Servers send this if they cut the text between two bytes of a character, or answer in the
code page of their system. Strict clients raise. Others show replacement characters, from which the text cannot be
restored.

## What to do
* As a server's author: Encode every body as UTF-8, and collect the bytes of a token until its characters are complete
  before you put them into JSON. On Windows, set the encoding of files and standard output explicitly.
* As a client's user: Decode with an incremental UTF-8 decoder over the whole body, not chunk by chunk, in case your own
  code cuts the characters. If the bytes in the capture are wrong already, the text is lost: report it to the server's
  authors.

## Bad
```text
{"content": "caf\xe9"}   where \xe9 is one byte
```

## Good
```text
{"content": "café"}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Rule

RULE = Rule(
    severity=Severity.ERROR,
    sources=(Citation("RFC 8259, 8.1: text exchanged between systems must be encoded using UTF-8", "2017-12"),),
    replaces=("replacement-character",),
    reach="answer",
    hides=("call", "text", "tokens"),
)
