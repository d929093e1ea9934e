"""A completion has no `usage`.

Every source allows a completion without `usage`, so this is a note. But OpenAI never leaves it out. Streams have a
usage only if the request asks for it: the rule `asked-usage-missing` checks them. A `usage` that is null is a finding
of `null-value`.

## Why it matters
Nobody knows what the answer cost. Clients read the counts without checking whether there are any, and fail on an answer
that is complete.

## Who breaks
`llm` for the command line, without streams ([simonw/llm#1697](https://github.com/simonw/llm/issues/1697)), and an
adapter of the Typesafe AI SDK
([typesafe-ai/system-one-adapter-python#39](https://github.com/typesafe-ai/system-one-adapter-python/issues/39)): both
raise AttributeError.

## What to do
* As a server's author: Send `usage` with `prompt_tokens`, `completion_tokens` and `total_tokens` in every completion
  that is not streamed.
* As a client's user: Read usage with a default, and show "unknown" and not 0. If you must have a count, count the
  tokens with the model's tokenizer.

## Bad
```json
{"id": "chatcmpl-1", "object": "chat.completion", "choices": []}
```

## Good
```json
{"id": "chatcmpl-1", "object": "chat.completion", "choices": [],
 "usage": {"prompt_tokens": 8, "completion_tokens": 3, "total_tokens": 11}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Completion

RULE = Rule(
    severity=Severity.NOTE,
    catalogue=(51,),
    sources=(
        Citation("API reference, the chat completion object: usage", "2026-04"),
        Citation("recorded OpenAI answers: a usage in all of them", "2026-08"),
    ),
    needs=("no usage",),
)


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for a completion without `usage`, unless it is folded from a stream."""
    if not completion.folded and "usage" not in completion.value:
        yield Hit("the completion has no usage", ("usage",))
