"""`finish_reason` announces calls, and there are none.

The finish reason is `tool_calls` and the message has no tool call, or it is `function_call` and the message has no
function call.

## Why it matters
Agents choose their next step by the finish reason: they run no tool, send the conversation back with nothing added, and
get the same answer again.

## Who breaks
Mastra, which asks again and again until its limit of steps
([mastra-ai/mastra#14187](https://github.com/mastra-ai/mastra/pull/14187)), and Open WebUI, which loops forever
([open-webui/open-webui#23095](https://github.com/open-webui/open-webui/pull/23095)). vLLM sends it if `tool_choice` is
`required` and no call could be read ([vllm-project/vllm#53255](https://github.com/vllm-project/vllm/issues/53255)).

## What to do
* As a server's author: Set `finish_reason` from the message that is sent, after its calls were parsed. Without a call
  it is `stop`. If parsing a call failed, send its text as content.
* As a client's user: Check whether `tool_calls` has items, and do not rely on the finish reason. Limit the number of
  turns of an agent, so that it cannot repeat the same turn forever.

## Bad
```json
{"message": {"role": "assistant", "content": "Done."}, "finish_reason": "tool_calls"}
```

## Good
```json
{"message": {"role": "assistant", "content": "Done."}, "finish_reason": "stop"}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.quoting import quote_value
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Completion

RULE = Rule(
    severity=Severity.ERROR,
    lacks="call",
    catalogue=(45,),
    sources=(
        Citation("API reference, the chat completion object: finish_reason", "2026-04"),
        Citation("recorded OpenAI answers: calls beside each of these reasons", "2026-08"),
    ),
    needs=("finish reason of calls", "no calls"),
    replaces=("tool-call-name-empty",),
    includes=("tool-calls-empty", "null-value", "forced-call-missing"),
)


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for each finish reason that announces calls, if the message has none of that kind."""
    for choice in completion.choices:
        reason = choice.finish_reason
        has_no_call = not (choice.function_call if reason == "function_call" else choice.message.get("tool_calls"))
        if reason in ("tool_calls", "function_call") and has_no_call:
            message, at = f"{quote_value(reason)}, but the message has none", (*choice.at, "finish_reason")
            calls_pointer = (*choice.at, "message", f"{reason}")
            yield Hit(
                message, at, reason, other_pointers=(calls_pointer, (*choice.at, "message", "function_call", "name"))
            )
