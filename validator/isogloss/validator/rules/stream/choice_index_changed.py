"""The index of a choice changes from chunk to chunk.

Some servers count the chunks, or the kinds of chunks, with the index; OpenAI counts the answers. All other rules treat
such a stream as one choice. If there are several choices, the rule reports a chunk with the index of none of them. It
also reports a second role or end of a choice while another choice has none. Other rules do not report as missing what
such a chunk may have brought.

## Why it matters
Clients collect the text by `index`. They get several incomplete answers: one with a role and without an end, others
with text and without a role.

## Who breaks
The .NET and Go SDKs on Foundry Local
([microsoft/foundry-local#144](https://github.com/microsoft/foundry-local/issues/144)).

## What to do
* As a server's author: Set `index` to the number of the answer, which is 0 in every chunk unless `n` asks for more. Do
  not count chunks or kinds of content with it.
* As a client's user: If you never ask for more than one answer, ignore the index and join all deltas in the order in
  which they come. Do not rely on a stream helper that groups choices by index.

## Bad
```
data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}
data: {"choices":[{"index":1,"delta":{"content":"Hello"},"finish_reason":null}]}
data: {"choices":[{"index":2,"delta":{},"finish_reason":"stop"}]}
```

## Good
```
data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}
data: {"choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":null}]}
data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.gaps import Gap, strays
from isogloss.validator.streams.trace import Trace

RULE = Rule(
    severity=Severity.ERROR,
    catalogue=(4,),
    replaces=("choice-index-gap", "choice-count-mismatch"),
    reach="answer",
    sources=(
        Citation("API reference, the chat completion chunk object: choices, index", "2026-04"),
        Citation("recorded OpenAI streams: one index for each choice", "2026-08"),
        Citation("recorded GLM-4.6 streams: the index counts up by kind of chunk", "2026-11"),
    ),
    needs=("unusual chunks",),
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for the first chunk with another index than those before it, or with that of another choice."""
    if (mark := trace.index_change) is not None:
        if len(trace.choices) == 1:
            message = "the index changes; in every chunk of a choice it is the same"
        elif any(choice.index == mark.value for choice in trace.choices.values()):
            message = f"choice {mark.value} has a chunk like this already, and another choice lacks it"
        else:
            message = f"no other chunk has the index {mark.value}; it belongs to one of the other choices"
        yield Hit(message, mark.at, mark.value, mark.event)


def gaps(trace: Trace) -> Iterator[Gap]:
    """Yield the deltas that do not say to which choice they belong."""
    return strays(trace)
