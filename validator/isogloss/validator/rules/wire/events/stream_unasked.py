"""A request without `"stream": true` is answered with a stream.

## Why it matters
The client waits for one JSON document and gets events. The JSON parser stops at `data:`, and the answer, which is paid
for, is lost. This happens in gateways that always request a stream from the server behind them, and forget to fold the
answer.

## Who breaks
Clients of 9router, Unsloth, mini-sglang and OmniRoute fail in their JSON parser, such as the AI SDK
([decolua/9router#3492](https://github.com/decolua/9router/issues/3492),
[unslothai/unsloth#6570](https://github.com/unslothai/unsloth/issues/6570),
[sgl-project/mini-sglang#51](https://github.com/sgl-project/mini-sglang/issues/51),
[diegosouzapw/OmniRoute#89](https://github.com/diegosouzapw/OmniRoute/issues/89),
[diegosouzapw/OmniRoute#5305](https://github.com/diegosouzapw/OmniRoute/issues/5305)).

## What to do
* As a server's author: Fold the chunks into one completion when `stream` is absent or false. The default is false.
* As a client's user: Send `"stream": false` explicitly. Otherwise read the answer as a stream, and fold it with your
  client's stream helper.

## Bad
```
POST /v1/chat/completions {"model":"gpt-4.1-mini","messages":[…]}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk",…}
```

## Good
```
POST /v1/chat/completions {"model":"gpt-4.1-mini","messages":[…]}

{"id":"chatcmpl-1","object":"chat.completion",…}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.exchange import Exchange, Stream
from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule

RULE = Rule(
    severity=Severity.ERROR,
    catalogue=(62,),
    sources=(
        Citation("API reference, create chat completion: stream is false by default", "2026-04"),
        Citation("recorded OpenAI answers: a stream only where one was asked for", "2026-08"),
    ),
    needs=("request", "request without a stream"),
)


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit for a stream if `stream` is false or missing in the request. A wrong type is found by the schema."""
    request = exchange.request.value if exchange.request is not None else None
    if not isinstance(request, dict) or not isinstance(exchange.response, Stream):
        return
    asked = request.get("stream")
    if asked is None or asked is False:
        yield Hit('a stream in answer to a request without "stream": true')
