"""The indexes of a choice's tool calls are not 0, 1, 2, … in the order in which the calls begin.

The fragments of calls that have begun may come in any order.

## Why it matters
Clients use the index as a position in a list. If the first call has index 1, there is a hole at 0. If a call skips a
position, openai-python's stream helper puts it where the next fragment does not find it.

## Who breaks
The AI SDK, and Cline with it, crashed on a first index above 0
([vercel/ai#18333](https://github.com/vercel/ai/issues/18333)), as LiteLLM sends it if a text precedes the calls of an
Anthropic model ([cline/cline#13123](https://github.com/cline/cline/pull/13123)). The AI SDK 6.0.326 and 7.0.173 do not.

## What to do
* As a server's author: Count the calls of each choice from 0, in the order in which they begin. Reset the counter for
  every answer, and do not count text or reasoning.
* As a client's user: Collect the calls in a dictionary by index, and sort it at the end. Do not use the index as a
  position in a list.

## Bad
```json
{"tool_calls":[{"index":1,"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}}]}
```

## Good
```json
{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.streams.trace import Trace

RULE = Rule(
    severity=Severity.ERROR,
    lacks="beginning",
    catalogue=(30,),
    sources=(
        Citation("recorded OpenAI streams: calls begin in the order 0, 1, 2", "2026-08"),
        Citation("openai (PyPI) 3.52.0, lib/streaming/_deltas.py", "2026-11"),
    ),
    hides=("beginning",),
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for every call that begins, but not at the next index, on its first fragment.

    Behind a call that has the index of another one, the next index may be counted with that call or without it.
    """
    for choice in trace.choices.values():
        expected, begun = 0, 0
        for call in choice.calls:
            if call.index is None or not call.begins:
                continue
            begun += 1
            if call.reuses:
                continue
            if not expected <= call.index < max(expected + 1, begun):
                first = call.fragments[0]
                message = f"index {call.index} where {expected} comes next"
                yield Hit(message, (*first.at, "index"), call.index, first.event)
            expected = max(expected, call.index + 1)
