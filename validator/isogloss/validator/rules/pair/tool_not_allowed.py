"""Another tool is called than those `tool_choice` allows.

It allows one when it names a tool, and those of its list as `allowed_tools`. A tool that the request does not even
declare is the finding of `tool-undeclared`.

## Why it matters
The client set out the tools for this turn and handles no others; one that forces a tool for its structured output
parses the arguments of a different one.

## What to do
* As a server's author: Constrain the name of the call to the tools that `tool_choice` allows, not only its form.
* As a client's user: Compare the name with what you allowed before you run or parse the call. Send only the allowed
  tools in `tools` if the server ignores `tool_choice`.

## Bad
```
{"tool_choice":{"type":"function","function":{"name":"get_weather"}},…}

{"tool_calls":[{"id":"call_1","type":"function","function":{"name":"get_time","arguments":"{}"}}]}
```

## Good
```
{"tool_choice":{"type":"function","function":{"name":"get_weather"}},…}

{"tool_calls":[{"id":"call_1","type":"function","function":{"name":"get_weather","arguments":"{}"}}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.quoting import shown
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.pairing import Pair, demand

__all__ = ["RULE", "check"]

RULE = Rule(
    name="tool-not-allowed",
    severity=Severity.ERROR,
    summary="Another tool is called than those `tool_choice` allows.",
    since="0.1.0",
    sources=(
        Citation("API reference, create chat completion: tool_choice", "2026-04"),
        Citation("recorded OpenAI answers: the named tool wherever one was named", "2026-08"),
    ),
    needs=("calls", "tool_choice"),
)


def check(pair: Pair) -> Iterator[Hit]:
    """Yield a hit for the name of each call to a tool that the request declares but does not allow this time."""
    allowed = demand(pair.request).names
    if pair.completion is None or allowed is None:
        return
    known = pair.request.declared
    for choice in pair.completion.choices:
        for call in choice.called:
            if call.name in known and call.name not in allowed:
                yield Hit(f"{shown(call.name)} is not allowed by tool_choice", call.name_at, call.name)
