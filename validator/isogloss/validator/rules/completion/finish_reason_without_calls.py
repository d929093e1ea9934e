"""`finish_reason` announces calls, and there are none.

`tool_calls` without any tool call, or `function_call` without one.

## Why it matters
Agents take the finish reason for their next step: they run no tool, send the conversation back with nothing added, and
get the same answer again.

## Who breaks
Mastra, which loops forever
([mastra-ai/mastra#14187](https://github.com/mastra-ai/mastra/pull/14187)). Catalogue: row 45.

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
from isogloss.validator.quoting import shown
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Completion

__all__ = ["RULE", "check"]

RULE = Rule(
    name="finish-reason-without-calls",
    severity=Severity.ERROR,
    summary="`finish_reason` announces calls, and there are none.",
    since="0.1.0",
    catalogue=(45,),
    sources=(
        Citation("API reference, the chat completion object: finish_reason", "2026-04"),
        Citation("recorded OpenAI answers: calls beside each of these reasons", "2026-08"),
    ),
    needs=("finish-calls",),
)


def check(completion: Completion) -> Iterator[Hit]:
    """A hit on each finish reason that names the member of the message that is missing or empty."""
    for choice in completion.choices:
        reason = choice.finish_reason
        without = not (choice.function_call if reason == "function_call" else choice.message.get("tool_calls"))
        if reason in ("tool_calls", "function_call") and without:
            yield Hit(f"{shown(reason)}, but the message has none", (*choice.at, "finish_reason"), reason)
