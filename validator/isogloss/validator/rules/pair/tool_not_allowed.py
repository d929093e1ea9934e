"""A tool is called that `tool_choice` does not allow.

If `tool_choice`, or the deprecated `function_call`, names a tool, it allows only this tool. If `tool_choice` is
`allowed_tools`, it allows the tools of its list. The rule `tool-undeclared` reports a tool that the request does not
even declare.

## Why it matters
The client chose the tools for this turn and handles no others. A client that forces a tool to get structured output
parses the arguments of a different tool.

## What to do
* As a server's author: Constrain the name of the call to the tools that `tool_choice` allows, and not only the form of
  the call.
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
from isogloss.validator.quoting import quote_value
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.pairing import Pair, demand

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("API reference, create chat completion: tool_choice", "2026-04"),
        Citation("recorded OpenAI answers: the named tool wherever one was named", "2026-08"),
    ),
    needs=("calls", "tool_choice"),
)


def check(pair: Pair) -> Iterator[Hit]:
    """Yield a hit for the name of each call to a tool that the request declares but does not allow this time."""
    demanded = demand(pair.request)
    if demanded.names is None:
        return
    known = pair.request.declared
    for choice in pair.choices:
        for call in choice.called:
            if call.name in known and call.name not in demanded.names:
                yield Hit(f"{quote_value(call.name)} is not allowed by {demanded.option}", call.name_at, call.name)
