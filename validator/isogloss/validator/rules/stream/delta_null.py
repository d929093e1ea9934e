"""The `delta` of a choice is null.

A choice that has nothing to add has an empty object.

## Why it matters
Clients look into the delta of every choice, and fail if it is not an object.

## Who breaks
weave on Azure's asynchronous content filter ([wandb/weave#3922](https://github.com/wandb/weave/pull/3922)),
agent-framework on Azure's last chunk
([microsoft/agent-framework#5734](https://github.com/microsoft/agent-framework/pull/5734)), agentscope
([agentscope-ai/agentscope#1003](https://github.com/agentscope-ai/agentscope/issues/1003)).

## What to do
* As a server's author: Send `"delta": {}` where a choice has nothing to add, as on the chunk that finishes it. Exclude
  this property if your serialiser writes null for empty objects.
* As a client's user: Read the delta as `choice.get("delta") or {}`. Generated clients may reject the chunk before your
  code sees it. For this server, they need a step that repairs chunks first.

## Bad
```
data: {"choices":[{"index":0,"delta":null,"finish_reason":null}]}
```

## Good
```
data: {"choices":[{"index":0,"delta":{},"finish_reason":null}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.gaps import OF_DELTA, Gap
from isogloss.validator.streams.trace import Trace

RULE = Rule(
    severity=Severity.ERROR,
    catalogue=(19,),
    replaces=("null-value",),
    sources=(
        Citation("API reference, the chat completion chunk object", "2026-04"),
        Citation("recorded OpenAI streams: delta is always an object", "2026-08"),
    ),
    about_wire=True,
    needs=("unusual chunks",),
    hides_value=True,
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for every delta that is null."""
    for mark in trace.null_deltas:
        yield Hit("delta is null; OpenAI sends an object, which may be empty", mark.at, None, mark.event)


def gaps(trace: Trace) -> Iterator[Gap]:
    """Yield the first deltas of choices that are null, also where the choice ends with them."""
    for first in (choice.deltas[0] for choice in trace.choices.values()):
        if first.choice.get("delta") is None:
            yield Gap(first.event, OF_DELTA)
