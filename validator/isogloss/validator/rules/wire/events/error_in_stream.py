"""An error is sent inside a stream whose status said success.

Such an event has JSON with an `error`, or it has the type `error`, whatever its data.

## Why it matters
The status line was sent long before, so only this event shows that the answer failed. Clients that read only `choices`
take it for an empty chunk. They return the text so far as the whole answer, or nothing as a success.

## Who breaks
LiteLLM on vLLM ([BerriAI/litellm#40578](https://github.com/BerriAI/litellm/issues/40578)), OmniRoute on OpenRouter
([diegosouzapw/OmniRoute#8210](https://github.com/diegosouzapw/OmniRoute/pull/8210)) and ReqLLM on LM Studio and others
([agentjido/req_llm#661](https://github.com/agentjido/req_llm/pull/661)) returned an empty success; the AI SDK names a
failed validation of types and not xAI's error ([vercel/ai#10533](https://github.com/vercel/ai/issues/10533)); the .NET
client of Azure waits for the next token of TGI
([huggingface/text-generation-inference#1896](https://github.com/huggingface/text-generation-inference/issues/1896)).

## What to do
* As a server's author: Check what can be checked before the status line is sent. If generation fails later, send one
  event with `{"error": {…}}` and close the stream without a finish reason.
* As a client's user: Look for `error` in every event before you read `choices`, and raise. Treat the text so far as
  cut, and repeat the request if `type` or `code` says that it may succeed.

## Bad
```
HTTP/1.1 200 OK
content-type: text/event-stream

data: {"error":{"message":"The model is overloaded","type":"server_error","param":null,"code":null}}
```

## Good
```
HTTP/1.1 503 Service Unavailable
content-type: application/json

{"error":{"message":"The model is overloaded","type":"server_error","param":null,"code":null}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.exchange import Exchange, Stream
from isogloss.validator.findings import Severity
from isogloss.validator.kinds.events import is_error
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.wire._response import failed
from isogloss.validator.streams.trace import error_events

_FIRST = "an error as the first event of a stream; clients may take it for an empty answer"
_INSIDE = "an error inside a stream that began with success; clients may take what came before for the answer"

RULE = Rule(
    severity=Severity.ERROR,
    catalogue=(61,),
    sources=(
        Citation("openai (PyPI) 3.52.0, _streaming.py: raises on an event with an error", "2026-11"),
        Citation("recorded OpenAI streams: no error in any; recorded OpenAI errors: status 400, 401 or 404", "2026-08"),
    ),
    needs=("error events",),
    replaces=("bad-request-accepted",),
    reach="answer",
    about_wire=False,
)


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit for each event that is an error, unless the status is an error, too."""
    body = exchange.response
    if not isinstance(body, Stream) or failed(exchange):
        return
    error_numbers = error_events(body)
    for number, value in enumerate(body.values):
        if number in error_numbers or is_error(value):
            yield Hit(_INSIDE if number else _FIRST, event=number)
