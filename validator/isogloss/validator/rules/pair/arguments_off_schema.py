r"""The arguments of a call break the `parameters` of their tool.

This is an error if the tool is `strict` and the call is the only one: `strict` promises that the arguments always fit
the schema, but OpenAI does not promise this for parallel calls. Otherwise it is a warning, since a model may make
mistakes. Empty arguments are read as `{}`. The rule skips calls that were cut, and schemas that refer to other
documents or are so complex that the validation would take too long.

## Why it matters
The arguments go into a function that was written for the schema. Properties that are missing or of another type cause
errors there, far from their origin. Servers that accept `strict` and ignore it break a promise on which callers rely.

## What to do
* As a server's author: Use constrained decoding where a tool is `strict`, or refuse `strict` with status 400. For other
  tools nothing is promised, but the schema has to reach the model.
* As a client's user: Validate arguments against your schema before the function runs, and send the validator's message
  back as the tool's result. Keep schemas small and describe each property; use `strict` where the server supports it.

## Bad
```
{"tools":[{"type":"function","function":{"name":"get_weather","parameters":{"type":"object","required":["city"],…}}}],…}

{"tool_calls":[{"id":"call_1","type":"function","function":{"name":"get_weather","arguments":"{\"place\":\"Paris\"}"}}]}
```

## Good
```
{"tools":[{"type":"function","function":{"name":"get_weather","parameters":{"type":"object","required":["city"],…}}}],…}

{"tool_calls":[{"id":"call_1","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Paris\"}"}}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.foreign_schemas import ForeignSchema, WorkBudget, read
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.pairing import Pair, ended_by_itself
from isogloss.validator.views import Parsed

RULE = Rule(
    severity=Severity.WARNING,
    lacks="call",
    sources=(
        Citation("API reference, create chat completion: tools, function, parameters and strict", "2026-04"),
        Citation("guide on function calling: strict does not hold for parallel calls", "2025-06"),
    ),
    replaces=("arguments-empty",),
    needs=("calls",),
)


def check(pair: Pair) -> Iterator[Hit]:
    """Yield a hit for the arguments of each call that the schema of its tool rejects."""
    tools = pair.request.declared
    schemas = {}
    budget = WorkBudget()
    for choice in pair.choices:
        calls = choice.called if ended_by_itself(choice) else []
        for call in calls:
            tool = tools.get(call.name or "")
            if tool is None:
                continue
            if call.name not in schemas:
                schemas[call.name] = read(tool.parameters)
            schema = schemas[call.name]
            is_empty = call.arguments is not None and not call.arguments.strip()
            arguments = Parsed({}) if is_empty else call.parsed
            # other rules report arguments that are not an object, whatever the schema says
            if not isinstance(schema, ForeignSchema) or arguments is None or not isinstance(arguments.value, dict):
                continue
            mismatch = schema.mismatch(arguments.value, budget)
            if mismatch is not None:
                severity = Severity.ERROR if tool.strict and len(calls) == 1 else None
                words = "are empty, and break" if is_empty else "break"
                message = f"the arguments {words} {mismatch} of the tool's parameters"
                yield Hit(message, call.arguments_at, call.arguments, severity=severity)
