"""A tool is called that the request does not declare.

The rule says nothing if the request declares tools in a form that the reference does not have, such as
`{"name": …, "input_schema": …}`: the call may be of one of them. That form has a finding of its own.

## Why it matters
The client has nothing to run. It stops with an error, or sends an error back and pays for another turn. A server that
parses calls from the text of a model does not notice that the model invented the name. A server with tools of its own
sends their calls to the client by mistake.

## What to do
* As a server's author: Compare the names of parsed calls with those of the request, and send unknown ones as content.
  Keep calls of your built-in tools out of `tool_calls`.
* As a client's user: Look up the tool with a default for unknown names, and answer the call with "no such tool" and the
  list of names. Remove examples from the prompt that name tools which are not declared.

## Bad
```
{"tools":[{"type":"function","function":{"name":"get_weather"}}],…}

{"tool_calls":[{"id":"call_1","type":"function","function":{"name":"search_web","arguments":"{}"}}]}
```

## Good
```
{"tools":[{"type":"function","function":{"name":"get_weather"}}],…}

{"tool_calls":[{"id":"call_1","type":"function","function":{"name":"get_weather","arguments":"{}"}}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.quoting import quote_value
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.pairing import Pair

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("API reference, create chat completion: tools, a list of tools the model may call", "2026-04"),
        Citation("recorded OpenAI answers: declared tools alone", "2026-08"),
    ),
    needs=("whole request", "calls"),
)


def check(pair: Pair) -> Iterator[Hit]:
    """Yield a hit for the name of each call to a tool that the request does not declare in any form."""
    known = pair.request.declared
    calls = [call for choice in pair.choices for call in choice.called if call.name and call.name not in known]
    if calls and not pair.request.declares_unknown:
        for call in calls:
            message = f"{quote_value(call.name)} is not a tool of the request" if known else "the request has no tools"
            yield Hit(message, call.name_at, call.name)
