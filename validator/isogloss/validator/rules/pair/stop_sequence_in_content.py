r"""The content holds a stop sequence of the request.

An answer should end before the first stop sequence, and should not hold it.

## Why it matters
Agents that stop the model at `Observation:` take the text after it for the result of one of their tools, but the model
has invented this result.

## What to do
* As a server's author: Compare with the decoded text and not with tokens, since a stop sequence may span several
  tokens, and cut the text before it. In streams, hold back what may be the beginning of one.
* As a client's user: Cut the content at the first of your stop sequences yourself; that changes nothing where the
  server does it, too.

## Bad
```
{"stop":["Observation:"],…}

{"message":{"role":"assistant","content":"Action: look\nObservation:"},"finish_reason":"stop"}
```

## Good
```
{"stop":["Observation:"],…}

{"message":{"role":"assistant","content":"Action: look\n"},"finish_reason":"stop"}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.pairing import Pair

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("API reference, create chat completion: stop, which the returned text will not contain", "2026-04"),
    ),
    needs=("completion", "stop"),
)

_MOST_SEQUENCES = 16  # the number of stop sequences that are checked; OpenAI accepts four


def check(pair: Pair) -> Iterator[Hit]:
    """Yield a hit for the content of each choice that contains a stop sequence."""
    sequences = pair.request.stop_sequences[:_MOST_SEQUENCES]
    for choice in pair.choices:
        content = choice.content or ""
        starts = [start for sequence in sequences if (start := content.find(sequence)) >= 0]
        if starts:
            at = (*choice.at, "message", "content")
            yield Hit("the content holds a stop sequence", at, content, character=min(starts))
