"""The text ends inside a value.

## Why it matters
The connection was cut, the text exceeded a limit, or the recording was cut. The client has no complete answer, and most
parsers return no part of it.

## What to do
* As a server's author: Check whether `Content-Length` counts bytes, and look for a limit on the size of a body, a
  timeout of a proxy, or a worker that ended before it had flushed its output.
* As a client's user: Treat the answer as failed and repeat the request; do not repair the text. If only the recording
  is cut, record again without a limit on body size.

## Bad
```text
{"id": "chatcmpl-1", "choices": [
```

## Good
```text
{"id": "chatcmpl-1", "choices": []}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import ANYTHING, Citation, Rule

RULE = Rule(
    severity=Severity.ERROR,
    sources=(Citation("RFC 8259, 2: a JSON text is one whole value", "2017-12"),),
    hides=ANYTHING,
)
