"""A chunk of a stream has an `error` that is null.

Nothing failed, but the property is there.

## Why it matters
Some clients ask whether a chunk has a property `error`, and not whether it has a value. They raise on the first such
chunk, so that nothing of a good answer arrives.

## Who breaks
The AI SDK's provider for compatible servers, Mastra, Hugging Face's client for JavaScript and liter-llm raise; RubyLLM
loses the text. This was seen when they were run.

## Who sends it
Foundry Local sent it on each chunk in 2025.

## What to do
* As a server's author: Leave `error` out of each chunk unless something failed (`exclude_none`, `omitempty`).
* As a client's user: Remove the property from chunks before the client reads them. If you write the client, test
  whether `error` has a value.

## Bad
```
data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Hi"}}],"error":null}
```

## Good
```
data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Hi"}}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.streams.trace import Trace

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("recorded OpenAI streams: no chunk has an error", "2026-11"),
        Citation("@ai-sdk/openai-compatible (npm) 3.0.92: asks whether a chunk has an error", "2026-11"),
        Citation("microsoft/foundry-local#144 and #273: null on chunks of streams", "2025-10"),
    ),
    replaces=("unknown-property",),
    needs=("unusual chunks",),
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield one hit for all chunks whose `error` is null."""
    events = trace.null_errors
    if events:
        yield Hit("error is null; some clients take the chunk for an error", ("error",), None, events[0], events=events)
