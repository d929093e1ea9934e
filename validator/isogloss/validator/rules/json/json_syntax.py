"""The text is not JSON.

What is wrong more precisely, such as a comma too many, has a rule of its own; this one is for the rest: a missing
comma or colon, a key without quotes, single quotes, `True`, `None`, a number such as `01` or `.5`.

## Why it matters
The parser gives up at this place, and the client with it: nothing of the payload reaches the application. Servers
that put JSON together by hand, or print a language's own literals, send this.

## What to do
* As a server's author: Write the payload with a JSON serialiser; printing a language's own literals gives `None`,
  `True` and single quotes. Go to the line and column of the finding: what stands just before it is usually the cause.
* As a client's user: Check that the capture is the body as it was sent, and no printed object of your client's library.
  If it is, nothing can be read from it reliably: treat the call as failed and report it.

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
from isogloss.validator.rules import Citation, Rule

__all__ = ["RULE"]

RULE = Rule(
    name="json-syntax",
    severity=Severity.ERROR,
    summary="The text is not JSON.",
    since="0.1.0",
    sources=(Citation("RFC 8259, 2 to 7: the grammar", "2017-12"),),
)
