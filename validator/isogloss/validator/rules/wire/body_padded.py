"""White space stands before the JSON of the body.

JSON allows this. White space at the end, such as one last newline, is ordinary, and this rule does not report it.

## Why it matters
Servers and gateways send spaces or line feeds to keep the connection open while the model works. Parsers skip them.
Code that looks at the first byte, to tell JSON from an event stream or a page, does not skip them. Nor does code that
reads line by line.

## What to do
* As a server's author: Stream the answer, or raise the proxy's timeout, instead of padding; if you must pad, send
  nothing but spaces.
* As a client's user: Parse the whole body with a JSON parser and do not test its first byte; use the content type to
  tell JSON from a stream.

## Bad
```
␊␊␊{"id":"chatcmpl-1","object":"chat.completion",…}
```

## Good
```
{"id":"chatcmpl-1","object":"chat.completion",…}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.exchange import Exchange, Payload
from isogloss.validator.findings import Severity
from isogloss.validator.quoting import count_of
from isogloss.validator.rules import Citation, Hit, Rule

RULE = Rule(
    severity=Severity.NOTE,
    sources=(
        Citation("RFC 8259, 2: white space is allowed around the value", "2017-12"),
        Citation("recordings of OpenRouter in pydantic/pydantic-ai@4fda389: 11 to 33 leading bytes", "2026-08"),
    ),
    needs=("padded",),
)


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit for the start of a body that has white space before its JSON.

    The text of the body must have been captured.
    """
    body = exchange.response
    if isinstance(body, Payload) and not body.at:
        data = body.text.data
        padding = len(data) - len(data.lstrip(b" \t\r\n"))
        if padding:
            yield Hit(f"{count_of(padding, 'byte')} of white space before the JSON", offset=0)
