"""An event stream holds comments.

A line that begins with a colon is a comment; readers skip it.

## Why it matters
Comments are legal, and the proper way to keep a connection open (`: ping`, `: OPENROUTER PROCESSING`). But they come
only when the model is slow. Clients that take every line for data, or every blank line for the end of an event,
therefore pass their tests and break on long answers.

## Who breaks
OpenClaw received nothing of oMLX, which began each stream with one
([jundot/omlx#839](https://github.com/jundot/omlx/issues/839)); openai-go on Anthropic's compatible endpoint and on
llama.cpp, whose comments keep long answers alive
([mckinsey/agents-at-scale-ark#2567](https://github.com/mckinsey/agents-at-scale-ark/pull/2567),
[coder/coder#28185](https://github.com/coder/coder/issues/28185)); openai-python until 2.37, if an event before the
comment had an `id` ([theopenco/llmgateway#2334](https://github.com/theopenco/llmgateway/pull/2334),
[openai/openai-python#2722](https://github.com/openai/openai-python/issues/2722)).

## What to do
* As a server's author: Nothing has to change. Send comments as whole lines followed by a blank line, between events and
  not inside one.
* As a client's user: Skip lines that begin with a colon, and events without data. Test your reader with a stream that
  has comments before the first chunk.

## Bad
```
: ping

data: {"id":"chatcmpl-1"}
```

## Good
```
data: {"id":"chatcmpl-1"}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.exchange import Exchange
from isogloss.validator.findings import Severity
from isogloss.validator.quoting import count_of
from isogloss.validator.rules import Hit, Rule
from isogloss.validator.rules.wire._response import EVENT_STREAM, framing_of

RULE = Rule(
    severity=Severity.NOTE,
    catalogue=(60,),
    sources=(EVENT_STREAM,),
    needs=("unusual framing",),
)


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield one hit, at the first comment."""
    framing = framing_of(exchange)
    if framing is not None and framing.comments:
        yield Hit(count_of(len(framing.comments), "comment"), offset=framing.comments[0])
