r"""The body of the response cannot be decompressed, or is compressed and does not say so.

Only a capture that says so (`body_fault`) can break this rule. The recordings of `isogloss probe` do that; the event
hook and the addon of mitmproxy see it, too.

## Why it matters
Clients decode a body by its `Content-Encoding`. If that is wrong, they raise an error about compressed data; if it is
missing, they parse compressed bytes as text, and report that the answer is no JSON. None of them finds the answer.

## What to do
* As a server's author: Name in `Content-Encoding` what compresses the body, compress it only if `Accept-Encoding` asks
  for that, and end the compressed data. Look for a proxy that removes the header, or passes on one of another server.
* As a client's user: Request the answer without compression (`Accept-Encoding: identity`) until the server is repaired.

## Bad
```
HTTP/1.1 200 OK
content-type: application/json

\x1f\x8b\x08\x00…
```

## Good
```
HTTP/1.1 200 OK
content-type: application/json
content-encoding: gzip

\x1f\x8b\x08\x00…
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.exchange import Body, Exchange
from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("RFC 9110, 8.4: Content-Encoding", "2022-06"),
        Citation("RFC 9110, 12.5.3: Accept-Encoding", "2022-06"),
    ),
    needs=("text",),
)

_LONGEST_FAULT = 200


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit if the body is whole, and nobody can decode it."""
    fault = exchange.http.fault
    if isinstance(exchange.response, Body) and fault is not None and not exchange.http.broken:
        yield Hit(f"the body cannot be decoded: {fault[:_LONGEST_FAULT]}", offset=0)
