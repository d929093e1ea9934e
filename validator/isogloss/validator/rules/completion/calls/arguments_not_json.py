"""The arguments of a function call are not JSON.

The reference warns that a model does not always write valid JSON, so such arguments do not violate it. In a choice that
was cut (`finish_reason` `length` or `content_filter`) the arguments are cut as well, so the rule does not check them.
It does not check the input of a custom tool either, because that is free text. `arguments-empty` reports an empty
string.

## Why it matters
The call cannot be run.

## What to do
* As a server's author: With constrained decoding, the arguments of `strict` tools can always be JSON; send the text as
  the model wrote it only where that is not possible.
* As a client's user: Catch the parser's error and send it back as the result of the tool, so that the model can correct
  itself.

## Bad
```json
{"name": "get_weather", "arguments": "{'city': 'Lisbon'}"}
```

## Good
```json
{"name": "get_weather", "arguments": "{\\"city\\": \\"Lisbon\\"}"}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.completion.calls._arguments import fault_position, whole_calls
from isogloss.validator.views import Completion

RULE = Rule(
    severity=Severity.WARNING,
    lacks="call",
    sources=(
        Citation("API reference, the chat completion object: tool_calls, function, arguments", "2026-04"),
        Citation("recorded OpenAI answers: not JSON only in 12 calls cut by length", "2026-08"),
    ),
    needs=("unusual arguments",),
    overwritten=("redacted",),
)


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for each arguments text of a finished choice that is neither JSON nor empty."""
    for call, text in whole_calls(completion):
        if call.parsed is None and text.strip():
            yield Hit("the arguments are not JSON", call.arguments_at, text, character=fault_position(text))
