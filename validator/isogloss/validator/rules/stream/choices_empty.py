"""The `choices` of a chunk are empty, and nothing in it explains why.

A chunk with `usage`, `moderation` or the results of a prompt filter has no choices, and this is correct.

## Why it matters
A chunk without choices and without such data is an internal control message of the server that was sent by mistake.
Clients that read the first choice of every chunk fail on it.

## Who breaks
shell_gpt, on a model of its user's own whose first chunk was like that
([TheR1D/shell_gpt#457](https://github.com/TheR1D/shell_gpt/issues/457)), and llmeter
([awslabs/llmeter#34](https://github.com/awslabs/llmeter/pull/34)).

## What to do
* As a server's author: Do not send a chunk that has neither a choice nor usage nor filter results; to keep a connection
  open, send a comment such as `: ping`. If the chunk carries information of your own, put it onto a chunk with a
  choice.
* As a client's user: Skip chunks whose `choices` are empty before you read the first choice. You need that test anyway,
  since the chunk with the usage has no choices either.

## Bad
```
data: {"id":"chatcmpl-1","choices":[]}
data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}
```

## Good
```
data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}
data: {"id":"chatcmpl-1","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.gaps import Gap
from isogloss.validator.streams.trace import Trace

RULE = Rule(
    severity=Severity.WARNING,
    catalogue=(17,),
    sources=(
        Citation(
            "API reference, the chat completion chunk object: choices are empty on the last chunk with usage", "2026-04"
        ),
        Citation("recorded OpenAI streams: empty in usage and moderation chunks alone", "2026-08"),
    ),
    needs=("empty choices",),
    replaces=("missing-property",),
    reach="inside",
    at_end=True,
)

_EXPLANATIONS = ("usage", "moderation", "prompt_filter_results", "prompt_annotations")
"""Properties that explain why their chunk has no choices. The last two are Azure's, the very last of 2023."""


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for every chunk with empty `choices` and nothing that explains them.

    If it has no other property, the hit is about the whole chunk. The schema reports what is wrong with a `usage`.
    """
    for event in trace.empty:
        chunk = trace.stream.values[event]
        if isinstance(chunk, dict) and all(chunk.get(name) is None for name in _EXPLANATIONS):
            at = ("choices",) if len(chunk) > 1 else ()
            yield Hit("a chunk without choices, usage or moderation; OpenAI sends none", at, chunk["choices"], event)


def gaps(trace: Trace) -> Iterator[Gap]:
    """Yield each chunk with empty choices: a choice may have begun there."""
    return (Gap(event, frozenset({"beginning"})) for event in trace.empty)
