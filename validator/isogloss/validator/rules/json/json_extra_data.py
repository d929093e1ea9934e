"""Text follows the JSON value.

If `data: [DONE]` follows the body, `done-after-json` reports it. If the body has many lines of JSON, `lines-not-events`
reports it. If there is no blank line between two events, `events-not-separated` reports it.

## Why it matters
A parser that reads one value rejects the text, and a parser that reads a sequence of values gets two.

## What to do
* As a server's author: End the body, or the data of an event, after one JSON value.
* As a client's user: As a stopgap in Python, `json.JSONDecoder().raw_decode` reads the first value and returns where it
  ends. Check first whether a gateway appends something of its own.

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
from isogloss.validator.rules import ANYTHING, Citation, Rule

RULE = Rule(
    severity=Severity.ERROR,
    sources=(Citation("RFC 8259, 2: a JSON text is one value with white space around it", "2017-12"),),
    hides=ANYTHING,
)
