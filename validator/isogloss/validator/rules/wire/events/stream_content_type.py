"""An event stream is sent with a content type other than `text/event-stream`, or without one.

Parameters (`; charset=utf-8`) and the case of letters make no difference. Recorders may leave the content type out, so
only a live answer can break this rule without one.

## Why it matters
Clients choose by the content type whether they read events or one document. If the type is `application/json`, a JSON
parser gets the stream and stops at `data:`. If it is `text/plain`, the stream is shown as text, or a proxy holds it
back until it is complete.

## Who breaks
Open WebUI on RamaLama's proxy for documents, whose streams were `text/plain` until August 2026
([containers/ramalama#2902](https://github.com/containers/ramalama/pull/2902)); EvalScope behind a proxy of vllm-ascend,
which said `application/json` ([vllm-project/vllm-ascend#6985](https://github.com/vllm-project/vllm-ascend/pull/6985));
tools that reach Chat Completions through the proxy of Foundry, which says so, too
([microsoft/foundry-dev-tools#195](https://github.com/microsoft/foundry-dev-tools/issues/195)).

## What to do
* As a server's author: Send `content-type: text/event-stream` with every stream, and turn off buffering in the proxy.
* As a client's user: If your client lets you choose, read the body as events because you requested a stream, and not
  because of its content type.

## Bad
```
HTTP/1.1 200 OK
content-type: application/json

data: {"id":"chatcmpl-1","object":"chat.completion.chunk",…}
```

## Good
```
HTTP/1.1 200 OK
content-type: text/event-stream; charset=utf-8

data: {"id":"chatcmpl-1","object":"chat.completion.chunk",…}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.exchange import Exchange
from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.wire._response import framing_of, media_type, of_type

RULE = Rule(
    severity=Severity.ERROR,
    catalogue=(63,),
    sources=(
        Citation("WHATWG HTML Living Standard, 9.2.3 Processing model: another type fails the connection", "2025-06"),
        Citation("recorded OpenAI streams: text/event-stream on all of them", "2026-08"),
    ),
    needs=("content type", "unusual content type"),
)


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit if the body is framed as events and its media type is known to be a different one."""
    content_type = media_type(exchange)
    if framing_of(exchange) is not None and content_type is not None and content_type != "text/event-stream":
        yield Hit(f"an event stream sent {of_type(content_type)}")
