"""Text follows the JSON value.

A body that `data: [DONE]` follows is told by `done-after-json`, one of many lines by `lines-not-events`. In an event
this also happens when no blank line stands between two `data` lines: they are one event then.

## Why it matters
A parser that reads one value rejects the text, and one that reads from a stream of values gets two.

## What to do
* As a server's author: End the body after the JSON value. In a stream, end every event with a blank line, so that two
  of them do not become one.
* As a client's user: In Python, `json.JSONDecoder().raw_decode` reads the first value and tells where it ends, as a
  stopgap. Check first whether a gateway appends something of its own.

## Bad
```text
{"id": "chatcmpl-1"} {"id": "chatcmpl-2"}
```

## Good
```text
{"id": "chatcmpl-1"}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Rule

__all__ = ["RULE"]

RULE = Rule(
    name="json-extra-data",
    severity=Severity.ERROR,
    summary="Text follows the JSON value.",
    since="0.1.0",
    sources=(Citation("RFC 8259, 2: a JSON text is one value with white space around it", "2017-12"),),
)
