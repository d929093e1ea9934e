"""Text follows the JSON value.

In an event this also happens when no blank line stands between two `data` lines: they are one event then.

## Why it matters
A parser that reads one value rejects the text, and one that reads from a stream of values gets two. Gateways that
append `data: [DONE]` to a JSON body send this.

## Who breaks
Clients of OmniRoute and 9router, which answer a plain request with JSON and `data: [DONE]` behind it
([diegosouzapw/OmniRoute#10239](https://github.com/diegosouzapw/OmniRoute/issues/10239),
[decolua/9router#3492](https://github.com/decolua/9router/issues/3492)). Catalogue: row 62.

## What to do
* As a server's author: End the body after the JSON value, and send `data: [DONE]` only in answers to `"stream": true`.
  In a stream, end every event with a blank line, so that two of them do not become one.
* As a client's user: In Python, `json.JSONDecoder().raw_decode` reads the first value and tells where it ends, as a
  stopgap. Check first whether your request or a gateway asked for a stream although your code reads one document.

## Bad
```text
{"id": "chatcmpl-1"}data: [DONE]
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
    catalogue=(62,),
    sources=(Citation("RFC 8259, 2: a JSON text is one value with white space around it", "2017-12"),),
)
