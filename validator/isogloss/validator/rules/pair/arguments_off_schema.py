"""The arguments of a call break the `parameters` of their tool.

An error when the tool is `strict`, which promises that they never do, and the call is the only one: OpenAI does not
promise it of parallel calls. Else a warning, since a model is free to err. Calls that were cut are not held, nor is a
schema that refers to other documents or is so entangled that holding it would take too long.

## Why it matters
The arguments go into a function that was written for the schema: members that are missing or of another type fail
there, far from their cause. Servers that take `strict` and drop it break a promise that callers build on.

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
from isogloss.validator.foreign_schemas import Budget, ForeignSchema, read
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.pairing import Pair, whole

__all__ = ["RULE", "check"]

RULE = Rule(
    name="arguments-off-schema",
    severity=Severity.WARNING,
    summary="The arguments of a call break the `parameters` of their tool.",
    since="0.1.0",
    sources=(
        Citation("API reference, create chat completion: tools, function, parameters and strict", "2026-04"),
        Citation("guide on function calling: strict does not hold for parallel calls", "2025-06"),
    ),
    needs=("calls",),
)


def check(pair: Pair) -> Iterator[Hit]:
    """Yield a hit for the arguments of each call that the schema of its tool rejects."""
    if pair.completion is None:
        return
    tools = pair.request.declared
    schemas = {}
    budget = Budget()
    for choice in pair.completion.choices:
        calls = choice.called if whole(choice) else []
        for call in calls:
            tool = tools.get(call.name or "")
            if tool is None:
                continue
            if call.name not in schemas:
                schemas[call.name] = read(tool.parameters)
            schema, arguments = schemas[call.name], call.parsed
            # whatever the schema says, they have to be an object
            if not isinstance(schema, ForeignSchema) or arguments is None or not isinstance(arguments.value, dict):
                continue
            mismatch = schema.mismatch(arguments.value, budget)
            if mismatch is not None:
                severity = Severity.ERROR if tool.strict and len(calls) == 1 else None
                message = f"the arguments break {mismatch} of the tool's parameters"
                yield Hit(message, call.arguments_at, call.arguments, severity=severity)
