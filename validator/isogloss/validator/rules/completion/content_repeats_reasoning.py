"""The content is the text of the reasoning once more.

## Why it matters
The user reads the model's thoughts in place of an answer, or the answer twice. The thoughts are sent back with every
turn, and have to be paid for every time. JSON in the content does not parse.

## Who sends it
Servers and gateways that write the thoughts of a model into both properties
([NousResearch/hermes-agent#109702](https://github.com/NousResearch/hermes-agent/pull/109702),
[dwgx/WindsurfAPI#247](https://github.com/dwgx/WindsurfAPI/pull/247)).

## What to do
* As a server's author: Write each token either to the reasoning or to the content. If a model stops before its answer
  begins, leave the content empty.
* As a client's user: Compare the two texts before you show or store the content. If they are the same, ask once
  more, or show only one of them.

## Bad
```json
{"role": "assistant", "content": "The user greets me.", "reasoning_content": "The user greets me."}
```

## Good
```json
{"role": "assistant", "content": "Hello!", "reasoning_content": "The user greets me."}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.completion._texts import reasoning_of
from isogloss.validator.views import Completion

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("NousResearch/hermes-agent#109702: the same text in both, with `stop`", "2026-09"),
        Citation("dwgx/WindsurfAPI#247: the reasoning word for word in the content", "2026-08"),
    ),
    needs=("reasoning",),
)


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for each content that is the same text as the reasoning beside it."""
    for choice in completion.choices:
        content = choice.content
        reasoning = reasoning_of(choice.message).strip()
        if content and reasoning and content.strip() == reasoning:
            yield Hit("the same text as the reasoning beside it", (*choice.at, "message", "content"), content)
