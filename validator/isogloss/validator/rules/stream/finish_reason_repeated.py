"""A choice of a stream is finished more than once.

OpenAI sends `finish_reason` on the last delta of a choice and on no other. It makes no difference whether the values
agree. If more of the answer comes between two finish reasons, the first one was too early: `content-after-finish`
reports that, and the second one is no repetition.

## Why it matters
Clients that act on the end of a choice act twice: they join the reasons (`stopstop`), print the answer again, or run
the tool calls again.

## Who breaks
LangChain on OpenRouter's gpt-oss, whose reasons and model names it joins
([langchain-ai/langchain#38226](https://github.com/langchain-ai/langchain/issues/38226)); OpenClaude on LM Studio, which
shows each answer twice ([Gitlawb/openclaude#21](https://github.com/Gitlawb/openclaude/pull/21)); 9router and OmniRoute,
which send the arguments of each call twice to Claude Code
([decolua/9router#3779](https://github.com/decolua/9router/pull/3779),
[diegosouzapw/OmniRoute#5828](https://github.com/diegosouzapw/OmniRoute/pull/5828)). SGLang sent two until July 2025
([sgl-project/sglang#8417](https://github.com/sgl-project/sglang/pull/8417)).

## What to do
* As a server's author: Send `finish_reason` on one chunk of each choice. If there are two, usually two layers finish
  the choice, such as an engine and a gateway, or the usage chunk copies the choice. Send that chunk with empty
  `choices`.
* As a client's user: Act on the first finish reason of each choice and ignore later ones. Assign it and do not append
  it, and run tools after the end of the stream.

## Bad
```
data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}
data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}
```

## Good
```
data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}
data: [DONE]
```
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from isogloss.validator.findings import Severity
from isogloss.validator.quoting import quote_value
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.streams.trace import Trace

RULE = Rule(
    severity=Severity.ERROR,
    repeats=True,
    catalogue=(48, 53),
    sources=(
        Citation("API reference, the chat completion chunk object", "2026-04"),
        Citation("recorded OpenAI streams: one finish_reason for each choice in all of them", "2026-08"),
    ),
    needs=("unusual finish",),
    includes=("usage-on-choice-chunk",),
    at_end=True,
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for each finish of a choice after the first, unless more of the answer came since the one before.

    If the only usage stands on the same chunk, its choice is a copy.
    """
    event_of_usage = trace.usages[0].event if len(trace.usages) == 1 else None
    for choice in trace.choices.values():
        finishes = {mark.event: (before, mark) for before, mark in pairwise(choice.finishes)}
        went_on = False
        for delta in choice.after if finishes else ():
            if delta.event not in finishes:
                went_on = went_on or delta.answer_property is not None
                continue
            if not went_on:
                before, mark = finishes[delta.event]
                message = f"choice {choice.index} is finished again, with {quote_value(mark.value)}"
                if before.value != mark.value:
                    message += f" after {quote_value(before.value)}"
                if has_usage := mark.event == event_of_usage:
                    message += ", on the chunk with the usage"
                yield Hit(message, mark.at, mark.value, mark.event, other_pointers=(("usage",),) * has_usage)
            went_on = False
