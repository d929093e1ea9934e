"""A chunk of a stream has an `error` beside its `choices`.

Routers send such a chunk if the provider behind them breaks off: it ends a choice and says why.

## Why it matters
OpenAI's own clients raise on every event with an `error`, so nobody sees the choices in it, nor the finish reason.
Clients that read only `choices` see an answer that ends, and take the text so far for the whole answer.

## Who breaks
Pydantic AI 1.0.2 and LiteLLM, which refuse the finish reason `error` of OpenRouter
([pydantic/pydantic-ai#2844](https://github.com/pydantic/pydantic-ai/issues/2844),
[BerriAI/litellm#23273](https://github.com/BerriAI/litellm/issues/23273)).

## What to do
* As a server's author: Send an event with `{"error": {…}}` alone and end the stream. A finish reason that is not in the
  reference gives clients no more information.
* As a client's user: Look for `error` before you read `choices`, at the top of each chunk and in each choice, and treat
  the text so far as cut.

## Bad
```
data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"error"}],"error":{"code":502}}
```

## Good
```
data: {"error":{"message":"Provider disconnected","type":"server_error","param":null,"code":null}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.streams.trace import Trace

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("openai (PyPI) 3.52.0, _streaming.py: raises on an event with an error", "2026-11"),
        Citation("a recorded OpenRouter stream: an error beside choices, behind the finish reason", "2026-11"),
        Citation("recorded OpenAI streams: no error in any", "2026-11"),
    ),
    replaces=("unknown-property", "error-in-stream"),
    reach="inside",
    needs=("unusual chunks",),
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for each event that has an `error` which is not empty, and an array of `choices`."""
    for event, value in trace.errors:
        if value.get("error") and isinstance(value.get("choices"), list):
            yield Hit("an error beside the choices of a chunk", event=event)
