"""A choice goes on after it is finished.

Content is text, a piece of a tool call or audio. An empty string is not content, and neither are usage, moderation and
filter results. If the chunk with the content finishes the choice once more, `finish-reason-repeated` reports it. If a
choice that brought something begins again, with its only other role, all that follows is another answer: other rules do
not compare it with the first one.

## Why it matters
Clients stop reading a choice at its finish reason, or act on it. They lose what comes later, or take it for another
answer.

## What to do
* As a server's author: Hold `finish_reason` back until everything of the choice is sent, tool calls included. Text that
  a parser or a filter still holds must be flushed before it.
* As a client's user: Read a stream to `data: [DONE]`, and decide what the answer means only then. If you have to act
  earlier, compare with the whole text at the end.

## Bad
```
data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}
data: {"choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}
```

## Good
```
data: {"choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}
data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.quoting import quote_name
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.gaps import Gap, carried
from isogloss.validator.streams.trace import Trace

RULE = Rule(
    severity=Severity.ERROR,
    repeats=True,
    replaces=("delta-after-finish", "usage-before-content"),
    reach="answer",
    includes=("usage-on-choice-chunk",),
    sources=(
        Citation("API reference, the chat completion chunk object", "2026-04"),
        Citation("recorded OpenAI streams: the finish_reason stands on the last delta of a choice", "2026-08"),
    ),
    needs=("chunks after the finish",),
    at_end=True,
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for every delta after the finish that carries a part of the answer, and does not finish it again.

    If the only usage stands on the same chunk, its choice is a copy.
    """
    event_of_usage = trace.usages[0].event if len(trace.usages) == 1 else None
    for choice in trace.choices.values():
        for delta in choice.after:
            carried = delta.answer_property
            if carried is not None and not delta.choice.get("finish_reason"):
                at = (*delta.at, "delta", carried)
                yield Hit(
                    f"{quote_name(carried)} after choice {choice.index} is finished; clients have stopped reading it",
                    at,
                    delta.delta[carried],
                    delta.event,
                    other_pointers=(("usage",),) * (delta.event == event_of_usage),
                )


def gaps(trace: Trace) -> Iterator[Gap]:
    """Yield gaps for what comes after the finish of its choice. It may belong anywhere before that."""
    for choice in trace.choices.values():
        for delta in choice.late:
            yield from (Gap(event, carried(delta)) for event in (-0.5, choice.finishes[0].event))
