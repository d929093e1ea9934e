"""The usage of a stream stands on a chunk that has choices.

OpenAI sends it on a chunk of its own, after the last choice is finished. This rule checks only the last usage of a
stream: `usage-repeated` reports more than one.

## Why it matters
Clients that look for usage on a chunk without choices find none. Clients that stop at the finish reason, and then wait
for a chunk with the usage, wait for nothing. Clients that read nothing but the usage from such a chunk lose its text.

## Who breaks
dart_agent_core dropped all the content of SiliconFlow, whose every chunk has the usage
([memex-lab/dart_agent_core#23](https://github.com/memex-lab/dart_agent_core/issues/23)); a provider for OpenCode took
the usage on each chunk of GLM-5.3 for the end: it cut the reasoning into five blocks and ran a call with empty
arguments ([rashidrazak/opencode-cmd-provider#213](https://github.com/rashidrazak/opencode-cmd-provider/pull/213)); a
client of mlx-serve shows its banner twice ([ddalcu/mlx-serve#147](https://github.com/ddalcu/mlx-serve/pull/147)).

## What to do
* As a server's author: Send the usage on a chunk of its own, with empty `choices`, after the one with the finish
  reason.
* As a client's user: Look for usage on every chunk, before you look at its choices. Do not wait for another chunk after
  the finish if you already have it.

## Bad
```
data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"total_tokens":11}}
```

## Good
```
data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}
data: {"choices":[],"usage":{"total_tokens":11}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.streams.trace import Trace

RULE = Rule(
    severity=Severity.WARNING,
    catalogue=(53,),
    sources=(
        Citation(
            "API reference, create chat completion: include_usage, the usage chunk has an empty choices array",
            "2026-04",
        ),
        Citation("recorded OpenAI streams: usage on a chunk without choices alone", "2026-08"),
    ),
    at_end=True,
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for the last usage of a stream if its chunk has choices."""
    for mark in trace.usages[-1:]:
        chunk = trace.stream.values[mark.event]
        choices = chunk.get("choices") if isinstance(chunk, dict) else None
        if isinstance(choices, list) and (objects := [choice for choice in choices if isinstance(choice, dict)]):
            where = (
                "" if any(choice.get("finish_reason") for choice in objects) else ", of which none is finished there"
            )
            yield Hit(
                f"usage on a chunk with choices{where}; OpenAI sends it on a chunk of its own",
                mark.at,
                mark.value,
                mark.event,
            )
