"""The connection breaks before the response is complete.

Only a capture that marks the response as broken (`broken`) can break this rule. The recordings of `isogloss probe` do
that, and so does mitmproxy if the server closes an HTTP/1 connection. The part that arrived is checked like any other
answer, but nothing is reported as missing in it. If the client closed the connection, the same part is checked, and
this rule is not broken. A body whose framing cannot be read to its end breaks the rule, too. That is one with a chunk
of another size than it says. It is also one that a live server sends with `Content-Length` beside `Transfer-Encoding`,
because Node.js refuses that.

## Why it matters
A client that does not check how a stream ends keeps half of an answer as the whole. A client that does check raises a
connection error and repeats the request: the answer is paid for twice.

## What to do
* As a server's author: Send the last chunk of the transfer encoding, or as many bytes as `Content-Length` says, before
  you close, and say `Connection: close` with an answer after which you close. Look for workers that are killed, and
  for proxies with a shorter timeout than an answer takes. If you pass a body on in chunks, remove its `Content-Length`.
* As a client's user: Treat what arrived as a part of an answer only. Repeat the request. If it breaks after the same
  number of seconds each time, ask the operator of the server or of the proxy.

## Bad
```
HTTP/1.1 200 OK
transfer-encoding: chunked

38
data: {"choices":[{"index":0,"delta":{"content":"Hel
```

## Good
```
HTTP/1.1 200 OK
transfer-encoding: chunked

e
data: [DONE]


0

```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.exchange import Body, Exchange, Payload, Stream
from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("RFC 9112, 8: Handling Incomplete Messages", "2022-06"),
        Citation("RFC 9112, 7.1: a chunked body ends with a chunk of size zero", "2022-06"),
        Citation("RFC 9112, 6.2: no Content-Length beside Transfer-Encoding", "2022-06"),
        Citation("timoklimmer/powerproxy-aoai#53", "2024-02"),
    ),
    needs=("broken connection",),
    replaces=(
        "json-truncated", "event-truncated", "event-not-json", "done-missing", "stream-empty", "body-empty",
        "body-not-json", "body-not-completion", "completion-wrapped", "missing-property", "documented-property-absent",
        "finish-reason-missing", "asked-usage-missing", "choice-count-mismatch", "choice-index-gap",
        "forced-call-missing", "logprobs-missing", "arguments-empty", "arguments-not-json", "arguments-off-schema",
        "content-not-json", "content-off-schema", "answer-missing", "stream-property-partial", "usage-absent",
        "usage-null-missing", "completion-with-error-status",
    ),
    reach="answer",
)  # fmt: skip


_LONGEST_FAULT = 200


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit for a response that is incomplete according to the capture."""
    if not exchange.http.broken:
        return
    body, fault = exchange.response, exchange.http.fault
    if fault is not None:
        event = len(body.values) - 1 if isinstance(body, Stream) and body.values else None
        what = (
            "no answer follows on the connection"
            if exchange.http.status is None
            else "the body cannot be read to its end"
        )
        yield Hit(
            f"{what}: {fault[:_LONGEST_FAULT]}",
            event=event,
            offset=0 if event is None and not isinstance(body, Payload) else None,
        )
    elif isinstance(body, Stream) and body.values:
        yield Hit("the connection breaks in the stream, behind this event", event=len(body.values) - 1)
    elif isinstance(body, Payload):
        yield Hit("the connection breaks inside the body")
    elif isinstance(body, Body) and not body.text.data and exchange.http.status is None:
        yield Hit("the connection breaks before an answer begins", offset=0)
    else:
        yield Hit("the connection breaks inside the body", offset=0)
