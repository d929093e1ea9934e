"""`tool_choice` demands a call, and there is none.

`tool_choice` demands a call if it is `required`, if it names a tool, or if it is `allowed_tools` with the mode
`required`. The deprecated `function_call` demands one if it names a function. The rule does not check a choice that was
cut, filtered or refused.

## Why it matters
Many libraries force a tool in order to get structured output. They read the first call without checking whether there
is one.

## What to do
* As a server's author: Constrain the decoding to a call when `tool_choice` is `required` or names a tool; if you
  cannot, answer 400.
* As a client's user: Test whether there is a call before you read the first one. Repeat the request once, or parse the
  content, which often holds the same data as JSON.

## Bad
```
{"tool_choice":"required","tools":[…],…}

{"message":{"role":"assistant","content":"It rains."},"finish_reason":"stop"}
```

## Good
```
{"tool_choice":"required","tools":[…],…}

{"message":{"role":"assistant","content":null,"tool_calls":[…]},"finish_reason":"tool_calls"}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.pairing import Pair, demand, ended_by_itself

RULE = Rule(
    severity=Severity.ERROR,
    lacks="call",
    sources=(
        Citation("API reference, create chat completion: tool_choice", "2026-04"),
        Citation("recorded OpenAI answers: a call wherever one was demanded, but in 2 that were cut", "2026-08"),
    ),
    needs=("completion", "demanded call"),
)


def check(pair: Pair) -> Iterator[Hit]:
    """Yield a hit for each choice that ended by itself with a message but no call, if the request demands a call."""
    demanded = demand(pair.request)
    if demanded.mode not in ("required", "named"):
        return
    for choice in pair.choices:
        if choice.message and ended_by_itself(choice) and not choice.called:
            yield Hit(f"no call, though {demanded.option} demands one", (*choice.at, "message", "tool_calls"))
