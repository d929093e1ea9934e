"""`finish_reason` is `stop`, although there are tool calls.

OpenAI sends `tool_calls` if the model chose to call a tool, and `stop` if `tool_choice` named the tool that the model
had to call. The answer alone does not show which of the two it was, so this is a note. But a `tool_choice` that names a
tool cannot lead to calls of several tools, so these are an error. The same applies to `function_call`. Until 2025,
OpenAI also sent `stop` with `"tool_choice": "required"`, and its audio models still do. So calls of several tools are
only a note, too, if the answer was created before 2025-09-16 or comes from an audio model.

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
* As a server's author: Send `tool_calls` as finish reason when the model chose to call a tool. Only a call that
  `tool_choice` forced by name ends with `stop`.
* As a client's user: Run the tools whenever `tool_calls` has items, whatever the finish reason says. That is also right
  for OpenAI's forced calls.

## Bad
```json
{"message": {"content": null, "tool_calls": [
  {"id": "call_1", "type": "function", "function": {"name": "now", "arguments": "{}"}},
  {"id": "call_2", "type": "function", "function": {"name": "here", "arguments": "{}"}}]},
 "finish_reason": "stop"}
```

## Good
```json
{"message": {"content": null, "tool_calls": [
  {"id": "call_1", "type": "function", "function": {"name": "now", "arguments": "{}"}},
  {"id": "call_2", "type": "function", "function": {"name": "here", "arguments": "{}"}}]},
 "finish_reason": "tool_calls"}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.completion.calls import _required
from isogloss.validator.views import Completion

RULE = Rule(
    severity=Severity.NOTE,
    catalogue=(44,),
    sources=(
        Citation("API reference, the chat completion object: finish_reason", "2026-04"),
        Citation(
            "recorded OpenAI answers: stop beside calls 32 times, always of the tool that tool_choice named", "2026-08"
        ),
        *_required.SOURCES,
    ),
    needs=("stop beside calls",),
)


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for each `stop` beside calls. It is an error if several tools are called, except in old answers."""
    is_old = _required.may_end_with_stop(completion)
    for choice in completion.choices:
        if choice.finish_reason != "stop" or not (choice.calls or choice.function_call):
            continue
        several = len({call.name for call in choice.calls if call.name}) > 1
        yield Hit(
            '"stop" beside calls of several tools' if several else '"stop" beside a call',
            (*choice.at, "finish_reason"),
            choice.finish_reason,
            severity=Severity.ERROR if several and not is_old else None,
        )
