"""An event of a stream is a JSON object, but not a chunk.

It has none of the properties that tell a chunk from the events of other protocols: `object`, `created`, `choices`,
`usage`; an `id` alone is not enough. Or it is a whole completion, with a `message` in each choice.

## Why it matters
Clients that validate fail on it; others pass it on as an empty update. The end marker of another protocol, such as
`{"done": true}`, does not end the stream. Only `data: [DONE]` does. Of a completion in a stream, clients read no text:
they look for a delta.

## What to do
* As a server's author: Send only chunks, errors and `[DONE]` as data of events. Progress and keep-alives belong into
  comments (`: ping`), which readers skip.
* As a client's user: Skip events that have no `choices`, and log them. Do not take such an event for the end of the
  stream: wait for `[DONE]` or for the end of the body.

## Bad
```
data: {"done": true}
```

## Good
```
data: [DONE]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.kinds.events import is_whole_completion
from isogloss.validator.pointer import generic
from isogloss.validator.rules import ANYTHING, Citation, Hit, Rule
from isogloss.validator.rules.completion._wrapped import pointer_of_wrapped
from isogloss.validator.rules.gaps import Gap
from isogloss.validator.streams.trace import Trace

RULE = Rule(
    severity=Severity.ERROR,
    replaces=("schema",),
    reach="inside",
    sources=(
        Citation("API reference, the chat completion chunk object: what each event holds", "2026-04"),
        Citation("recorded OpenAI streams: chunks alone", "2026-08"),
    ),
    needs=("unusual chunks",),
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for every event without a property of a chunk. The hit is about the whole event."""
    for event, value in trace.no_chunks:
        if is_whole_completion(value):
            message = "the event is a whole completion, with a message where a chunk has a delta"
        elif pointer := pointer_of_wrapped(value):
            message = f"the chunk is not the event itself, but stands in `{generic(pointer)}`"
        else:
            message = "the event has no property of a chunk; OpenAI sends chunks, and [DONE] at the end"
        yield Hit(message, (), value, event)


def gaps(trace: Trace) -> Iterator[Gap]:
    """Yield the events behind the last chunk that are no chunks, and those that are whole completions."""
    last = trace.chunks[-1][0] if trace.chunks else -1
    anything = frozenset(ANYTHING)
    return (Gap(event, anything) for event, value in trace.no_chunks if event > last or is_whole_completion(value))
