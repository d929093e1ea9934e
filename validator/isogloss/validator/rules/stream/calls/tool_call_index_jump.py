"""The indexes of a choice's tool calls are not 0, 1, 2, … in the order in which the calls begin.

The fragments of calls that have begun may come in any order. If each fragment has another index, the index counts
fragments and not calls.

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
from isogloss.validator.streams.trace import CallTrace, Trace
from isogloss.validator.views import parsed

RULE = Rule(
    severity=Severity.ERROR,
    lacks="beginning",
    catalogue=(30,),
    sources=(
        Citation("recorded OpenAI streams: calls begin in the order 0, 1, 2", "2026-08"),
        Citation("openai (PyPI) 3.52.0, lib/streaming/_deltas.py", "2026-11"),
    ),
    replaces=("tool-call-name-missing",),
    hides=("beginning",),
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for every call that begins, but not at the next index, on its first fragment.

    Yield one hit for a choice whose index counts fragments, on those that begin no call.

    Behind a call that has the index of another one, the next index may be counted with that call or without it.
    """
    for choice in trace.choices.values():
        if _counts_fragments(choice.calls):
            call = choice.calls[1]
            first = call.fragments[0]
            yield Hit(
                "another index for each fragment; OpenAI gives all fragments of a call the same one",
                (*first.at, "index"),
                call.index,
                first.event,
                other_pointers=((*first.at, first.part, "name"),),
                events=[one.fragments[0].event for one in choice.calls if not one.begins],
            )
            continue
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


def _counts_fragments(calls: list[CallTrace]) -> bool:
    """Return whether the index of each fragment is one more than that of the fragment before, although calls go on.

    A call goes on in the fragment behind it if this begins none, and if its arguments are no JSON without it.
    """
    indexes = [call.index for call in calls]
    if len(calls) < 2 or indexes[0] is None or not calls[0].begins or calls[1].begins:
        return False
    are_single = all(len(call.fragments) == 1 for call in calls)
    is_counted = are_single and indexes == [*range(indexes[0], indexes[0] + len(calls))]
    return is_counted and parsed("".join(calls[0].strings("arguments"))) is None
