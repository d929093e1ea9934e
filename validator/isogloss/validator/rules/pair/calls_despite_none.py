"""A tool is called although `tool_choice` is `none`.

The same applies to the deprecated `function_call`.

## Why it matters
Agents send `none` to get a final answer. They have no use for more calls, and often no turn left to answer them.

## What to do
* As a server's author: Give the model no tools, or forbid the tokens of calls, when `tool_choice` is `none`. Text that
  looks like a call is then content.
* As a client's user: Leave `tools` out of the request instead of sending `none`, if the history allows that. Otherwise
  ignore the calls, and do not send them back unanswered.

## Bad
```
{"tool_choice":"none","tools":[…],…}

{"message":{"role":"assistant","content":null,"tool_calls":[…]},"finish_reason":"tool_calls"}
```

## Good
```
{"tool_choice":"none","tools":[…],…}

{"message":{"role":"assistant","content":"It rains."},"finish_reason":"stop"}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.pairing import Pair, demand

RULE = Rule(
    severity=Severity.ERROR,
    sources=(Citation("API reference, create chat completion: tool_choice, none means no tool is called", "2026-04"),),
    needs=("completion", "tool_choice none"),
)


def check(pair: Pair) -> Iterator[Hit]:
    """Yield a hit for each call in the answer if the request forbids calls."""
    if demand(pair.request).mode != "none":
        return
    for choice in pair.choices:
        for call in choice.called:
            yield Hit("a call, though the request forbids calls", call.at)
