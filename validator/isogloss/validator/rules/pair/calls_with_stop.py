"""`finish_reason` is `stop` beside calls, although `tool_choice` names no tool.

OpenAI sends `tool_calls` as the finish reason beside calls, and `stop` beside a call of the tool that `tool_choice`
names. Until 2025 it also sent `stop` with `"tool_choice": "required"`, so such an answer is left alone if it was
created before 2025-09-16, when `tool_calls` was first measured there. Its audio models still do. The rule
`stop-with-tool-calls` reads only the answer and cannot know which of them it was. This rule reads the request as well.
A `tool_choice` that the reference does not know may name a tool, too.

## Why it matters
Agents that rely on the finish reason take this answer for the final one, and run no tool.

## Who breaks
OpenCode on Gemini, and on LiteLLM in front of Ollama
([anomalyco/opencode#14972](https://github.com/anomalyco/opencode/issues/14972),
[anomalyco/opencode#20719](https://github.com/anomalyco/opencode/issues/20719)); extended_openai_conversation for Home
Assistant on Gemini
([jekalmin/extended_openai_conversation#281](https://github.com/jekalmin/extended_openai_conversation/pull/281)).
Vercel's workflow agents stop at any finish reason but that of calls
([vercel/workflow#1387](https://github.com/vercel/workflow/issues/1387)).

## What to do
* As a server's author: Set `finish_reason` to `tool_calls` when the message holds calls that the model chose.
* As a client's user: Run the tools whenever `tool_calls` has items, whatever the finish reason says.

## Bad
```
{"tool_choice":"auto","tools":[…],…}

{"message":{"role":"assistant","content":null,"tool_calls":[…]},"finish_reason":"stop"}
```

## Good
```
{"tool_choice":{"type":"function","function":{"name":"get_weather"}},"tools":[…],…}

{"message":{"role":"assistant","content":null,"tool_calls":[…]},"finish_reason":"stop"}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.completion.calls import _required
from isogloss.validator.rules.pairing import Pair, demand

RULE = Rule(
    severity=Severity.ERROR,
    catalogue=(44,),
    sources=(
        Citation("API reference, the chat completion object: finish_reason", "2026-04"),
        Citation("recorded OpenAI answers: stop beside calls only where tool_choice named the tool", "2026-08"),
        *_required.SOURCES,
    ),
    needs=("calls", "stop beside calls"),
    replaces=("stop-with-tool-calls",),
)


def check(pair: Pair) -> Iterator[Hit]:
    """Yield a hit for each `stop` of a choice with calls, unless the request allows it."""
    mode = demand(pair.request).mode
    if pair.completion is None or mode in ("named", "unknown"):
        return
    if mode == "required" and _required.may_end_with_stop(pair.completion):
        return
    for choice in pair.completion.choices:
        if choice.finish_reason == "stop" and (choice.calls or choice.function_call):
            yield Hit('"stop" beside a call, though tool_choice names no tool', (*choice.at, "finish_reason"), "stop")
