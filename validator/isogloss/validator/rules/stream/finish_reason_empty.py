"""`finish_reason` is an empty string.

While a choice goes on, its `finish_reason` is `null`.

## Why it matters
Clients that test for a finish reason treat an empty one differently: some stop at the first token, others never stop,
and typed ones reject the chunk.

## Who breaks
JSON failures on SGLang ([sgl-project/sglang#3912](https://github.com/sgl-project/sglang/issues/3912)); AnythingLLM
never finishes on GenieX ([qualcomm/GenieX#1243](https://github.com/qualcomm/GenieX/issues/1243)); answers cut early by
OpenCrabs ([adolfousier/opencrabs#1499](https://github.com/adolfousier/opencrabs/pull/1499)); clients of Ollama in 2024
([ollama/ollama#4357](https://github.com/ollama/ollama/issues/4357)).

## What to do
* As a server's author: Send `null` while a choice goes on, and a value of the list once, at its end. An empty string
  usually comes from a field that is a string where it should be optional.
* As a client's user: Test whether `finish_reason` counts as true in your language, and not whether it differs from
  null. Then an empty string counts as no finish reason.

## Bad
```
data: {"choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":""}]}
```

## Good
```
data: {"choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":null}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.gaps import Gap
from isogloss.validator.streams.trace import Trace

RULE = Rule(
    severity=Severity.ERROR,
    catalogue=(41,),
    replaces=("unknown-value",),
    sources=(
        Citation("API reference, the chat completion chunk object", "2026-04"),
        Citation("recorded OpenAI streams: null until the choice is finished", "2026-08"),
    ),
    needs=("unusual finish",),
    at_end=True,
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for every empty finish reason."""
    for choice in trace.choices.values():
        for mark in choice.blank_finishes:
            yield Hit("finish_reason is empty; OpenAI sends null until the choice is finished", mark.at, "", mark.event)


def gaps(trace: Trace) -> Iterator[Gap]:
    """Yield the last chunk of each choice with a single empty finish reason, if that stands there."""
    for choice in trace.choices.values():
        last = choice.deltas[-1].event
        if [mark.event for mark in choice.blank_finishes] == [last]:
            yield Gap(last, frozenset({"finish"}))
