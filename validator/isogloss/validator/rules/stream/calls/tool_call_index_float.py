"""The `index` of a tool call is written with a fraction or an exponent.

An example is `0.0` in the place of `0`. For JSON Schema such a number is an integer, so no schema rejects it. A number
with a fraction that is not zero is a finding of `wrong-type`. The rule `integer-as-float` reports the other integers of
an answer.

## Why it matters
Readers in Go, Rust, Java or C# that expect an integer reject the chunk, and with it the call. Python and JavaScript
take `0.0` and `0` for the same index.

## What to do
* As a server's author: Count calls in an integer type. They become floats in Lua, in PHP and where JSON is decoded into
  doubles and written again.
* As a client's user: In typed languages, read the index as a double and convert it, until the server writes an integer.

## Bad
```json
{"tool_calls":[{"index":0.0,"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}}]}
```

## Good
```json
{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.quoting import quote_value
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.streams.trace import Trace

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("OpenAPI document openai/openai-openapi@f85dbe2: type integer", "2026-08"),
        Citation("JSON Schema draft 2020-12, Validation 6.1.1: a number with a zero fraction is an integer", "2022-06"),
        Citation("recorded OpenAI streams: written as an integer in all of them", "2026-11"),
    ),
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for each fragment whose index is an integer written as a float."""
    for choice in trace.choices.values():
        for fragment in choice.float_indexed:
            index = fragment.value["index"]
            message = f"`index` is an integer written as {quote_value(index)}"
            yield Hit(message, (*fragment.at, "index"), index, fragment.event)
