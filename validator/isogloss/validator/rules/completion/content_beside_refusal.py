"""A message has both content and a refusal.

OpenAI sends only one of the two: a message with a refusal has null content, and a message with content has a null
refusal. The rule accepts empty content beside a refusal, because an empty content says nothing.

## Why it matters
Readers that show the refusal hide the content, and readers that only know content show an answer that was refused.

## What to do
* As a server's author: Set `content` to null when the model refuses, and put the text into `refusal` alone.
* As a client's user: Look at `refusal` first; if it is not empty, do not use the content as an answer.

## Bad
```json
{"role": "assistant", "content": "First, you", "refusal": "I can't help with that."}
```

## Good
```json
{"role": "assistant", "content": null, "refusal": "I can't help with that."}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Completion

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("API reference, the chat completion object: message, refusal", "2026-04"),
        Citation("recorded OpenAI answers: 33 refusals, all of them without content", "2026-08"),
    ),
    needs=("refusal",),
)


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for each refusal beside content, if neither of them is empty."""
    for choice in completion.choices:
        if choice.refusal and choice.content:
            yield Hit(
                "a refusal beside content; OpenAI sends one of the two",
                (*choice.at, "message", "refusal"),
                choice.refusal,
            )
