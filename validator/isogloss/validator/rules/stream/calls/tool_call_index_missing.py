"""A tool call of a delta has no `index`.

## Why it matters
The index says which call the fragment continues. Without it, openai-python's stream helper raises. Other clients lose
arguments, or join the arguments of two calls.

## Who breaks
On Gemini, the stream helper of openai-python
([openai/openai-python#2806](https://github.com/openai/openai-python/issues/2806)), AstrBot
([AstrBotDevs/AstrBot#6692](https://github.com/AstrBotDevs/AstrBot/pull/6692)) and openllmetry
([traceloop/openllmetry#3697](https://github.com/traceloop/openllmetry/issues/3697)); the AI SDK on Ollama in 2024
([ollama/ollama#7881](https://github.com/ollama/ollama/issues/7881)), on SambaNova
([vercel/ai#7238](https://github.com/vercel/ai/issues/7238)) and on Grok2API
([chenyme/grok2api#239](https://github.com/chenyme/grok2api/issues/239)). Open WebUI never ran such a call, and its chat
hung without an error ([open-webui/open-webui#26860](https://github.com/open-webui/open-webui/issues/26860)).

## What to do
* As a server's author: Send `index` with every fragment of a tool call, also when each call comes whole in one chunk.
* As a client's user: Without an index, begin a new call where an id or a name appears, and append everything else to
  the last one. Parallel calls whose fragments are mixed cannot be put together.

## Bad
```json
{"tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}}]}
```

## Good
```json
{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.pointer import ABSENT
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.streams.trace import Trace

RULE = Rule(
    severity=Severity.ERROR,
    catalogue=(29,),
    replaces=("missing-property",),
    sources=(
        Citation("API reference, the chat completion chunk object", "2026-04"),
        Citation("openai (PyPI) 3.52.0, lib/streaming/_deltas.py", "2026-11"),
    ),
    hides=("beginning", "call"),
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for every fragment without an `index`."""
    for choice in trace.choices.values():
        for fragment in choice.unindexed:
            yield Hit(
                "the tool call has no index; no client can tell which call it continues",
                (*fragment.at, "index"),
                ABSENT,
                fragment.event,
            )
