"""The text is not JSON.

Faults with a more precise name, such as an extra comma, have rules of their own. This rule is for the rest: a missing
comma or colon, a key without quotes, single quotes, `True`, `None`, a number such as `01` or `.5`. If a text is cut and
another one follows in it, this finding says so: a line break in the cut string, or a bracket that stays open at the
end, is no finding of its own.

## Why it matters
The parser stops at this place, and so does the client: nothing of the payload reaches the application. Servers send
this if they put JSON together by hand, or print the literals of a programming language.

## What to do
* As a server's author: Write the payload with a JSON serialiser; printing a language's own literals gives `None`,
  `True` and single quotes. Go to the line and column of the finding: what stands just before it is usually the cause.
* As a client's user: Check that the capture is the body as it was sent, and not a printed object of your client's
  library. If it is the body, nothing can be read from it reliably: treat the call as failed and report it.

## Bad
```text
{'id': 'chatcmpl-1', 'usage': None}
```

## Good
```text
{"id": "chatcmpl-1", "usage": null}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import ANYTHING, Citation, Rule

RULE = Rule(
    severity=Severity.ERROR,
    replaces=("json-truncated", "json-control-character"),
    sources=(Citation("RFC 8259, 2 to 7: the grammar", "2017-12"),),
    hides=ANYTHING,
)
