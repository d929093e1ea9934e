"""A delta has text and a tool call at once.

The reference allows it. OpenAI sends the text first, and the call in deltas of its own. Only text that is not empty
counts.

## Why it matters
Many readers look at a delta for one thing only: if there is a tool call, they do not read the text beside it. The
sentence before the call is lost, or its end.

## Who breaks
Open Interpreter ([endolith/open-interpreter#316](https://github.com/endolith/open-interpreter/issues/316)), Genkit
for Python ([genkit-ai/genkit#6233](https://github.com/genkit-ai/genkit/issues/6233)), and Copilot Chat of VS Code
0.66.0, which was seen to drop the text (2026-11).

## Who sends it
LiteLLM for Ollama and Gemini, whose messages it sends as one delta each
([endolith/open-interpreter#316](https://github.com/endolith/open-interpreter/issues/316)).

## What to do
* As a server's author: Send the text in a delta of its own before the first delta of the call, also if the model's
  parser gives you both together.
* As a client's user: Read `content` and `tool_calls` of each delta, one after the other, and never choose between them
  with `else`.

## Bad
```
data: {"choices":[{"index":0,"delta":{"content":"Let me look.","tool_calls":[…]}}]}
```

## Good
```
data: {"choices":[{"index":0,"delta":{"content":"Let me look."}}]}
data: {"choices":[{"index":0,"delta":{"tool_calls":[…]}}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.streams.trace import Trace

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("recorded OpenAI streams: no text in any delta with a tool call", "2026-11"),
        Citation("endolith/open-interpreter#316", "2026-09"),
    ),
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for the text of each delta that has a tool call, too."""
    for choice in trace.choices.values():
        for delta in choice.texts_with_calls:
            message = "text and a tool call in one delta; OpenAI sends the text in one before"
            yield Hit(message, (*delta.at, "delta", "content"), delta.delta["content"], delta.event)
