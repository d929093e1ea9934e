"""A chunk says that a choice goes on after it is finished, and brings nothing.

Its `finish_reason` is null again. If the chunk brings a part of the answer, `content-after-finish` reports it. If it
brings the usage, `usage-on-choice-chunk` reports it.

## Why it matters
Clients that use the `finish_reason` of the last chunk find null there, and think that the answer was cut.

## What to do
* As a server's author: Send nothing for a choice after its finish reason. For usage or statistics, use a chunk with
  empty `choices`.
* As a client's user: Keep the first `finish_reason` that is not null for each choice, and never overwrite it with null.

## Bad
```
data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}
data: {"choices":[{"index":0,"delta":{},"finish_reason":null}]}
```

## Good
```
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
    repeats=True,
    sources=(
        Citation("API reference, the chat completion chunk object", "2026-04"),
        Citation("recorded OpenAI streams: the finish_reason stands on the last delta of a choice", "2026-08"),
    ),
    needs=("chunks after the finish",),
    at_end=True,
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for every delta after the finish without a finish reason, a part of the answer, or usage."""
    usage_events = {mark.event for mark in trace.usages}
    for choice in trace.choices.values():
        for delta in choice.after:
            finish = delta.choice.get("finish_reason")
            if (
                finish is None
                and delta.answer_property is None
                and delta.event not in usage_events
                and not _ends_spoken_answer(delta)
            ):
                message = f"choice {choice.index} is finished already; OpenAI sends no more of it"
                yield Hit(message, (*delta.at, "finish_reason"), finish, delta.event)


def _ends_spoken_answer(delta: Delta) -> bool:
    """Return whether the delta is one of the updates with which OpenAI ends a spoken answer."""
    return bool(delta.delta.get("audio"))
