"""A chunk without choices brings the usage of a stream before the answer has ended.

## Why it matters
OpenAI sends it last. Clients that take it for the end stop reading and lose the rest. Others count too few tokens.

## What to do
* As a server's author: Send the chunk with the usage after the last choice is finished, directly before `[DONE]`. If
  you report usage while the answer grows, do it only if an option of your own requests it.
* As a client's user: Read to `[DONE]` and do not end at the first usage; keep the last one.

## Bad
```
data: {"choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}
data: {"choices":[],"usage":{"prompt_tokens":8,"completion_tokens":2,"total_tokens":10}}
data: {"choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":"stop"}]}
```

## Good
```
data: {"choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":null}]}
data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}
data: {"choices":[],"usage":{"prompt_tokens":8,"completion_tokens":2,"total_tokens":10}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.streams.trace import Delta, Trace

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation(
            "API reference, create chat completion: include_usage, an additional chunk before data: [DONE]",
            "2026-04",
        ),
        Citation("recorded OpenAI streams: behind every chunk with choices", "2026-08"),
    ),
    needs=("empty choices",),
    at_end=True,
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for the usage of a stream if a choice goes on or ends after it.

    The stream must have only one usage, and its chunk must have empty `choices`.
    """
    if len(trace.usages) != 1 or trace.usages[0].event not in trace.empty:
        return
    mark = trace.usages[0]
    later = [choice.deltas for choice in trace.choices.values() if mark.event < choice.deltas[-1].event]
    if any(mark.event < delta.event and _goes_on(delta) for deltas in later for delta in deltas):
        yield Hit("the usage comes before the answer ends; OpenAI sends it last", mark.at, mark.value, mark.event)


def _goes_on(delta: Delta) -> bool:
    """Return whether the delta carries a part of the answer or ends its choice.

    The update that ends a spoken answer does neither.
    """
    return delta.answer_property is not None or delta.choice.get("finish_reason") is not None
