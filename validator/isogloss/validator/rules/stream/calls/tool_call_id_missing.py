"""The first fragment of a tool call has no `id`.

If the id comes with a later fragment, this is a warning. An id inside `function` does not count. If the fragment has
no name either, `tool-call-name-missing` says that the call has no beginning.

## Why it matters
The result of the call is sent back under its id. Clients that invent an id can go on. The others cannot answer the
call, and the next request is refused.

## Who breaks
OpenCode on NVIDIA NIM, GLM, Bedrock and Chutes
([anomalyco/opencode#12585](https://github.com/anomalyco/opencode/pull/12585)), aionrs on StepFun
([iOfficeAI/aionrs#99](https://github.com/iOfficeAI/aionrs/pull/99)); clients of llama.cpp, where it stood inside
`function` in May 2025 ([ggml-org/llama.cpp#13774](https://github.com/ggml-org/llama.cpp/issues/13774)), and of vLLM,
where it was missing in streams alone ([vllm-project/vllm#18412](https://github.com/vllm-project/vllm/issues/18412)).

## What to do
* As a server's author: Send an id that is unique in the conversation with the first fragment of each call, at the level
  of the call and not inside `function`.
* As a client's user: Invent an id if there is none at the end of the stream, and use it in both the assistant's message
  and the tool's message. A server that only compares the two accepts that.

## Bad
```json
{"tool_calls":[{"index":0,"type":"function","function":{"name":"f","arguments":"{}"}}]}
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
    catalogue=(31, 39, 40),
    replaces=("null-value",),
    includes=("tool-call-null-property",),
    sources=(
        Citation("API reference, the chat completion chunk object", "2026-04"),
        Citation("recorded OpenAI streams: the first fragment of every call has an id", "2026-08"),
        Citation("openai/openai-node@00458ac, src/lib/ChatCompletionStream.ts", "2026-11"),
    ),
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for each call whose first fragment has no id, but its type or its name."""
    for call in trace.calls:
        first = call.fragments[0]
        if first.value.get("id") is not None or not call.begins:
            continue
        message, severity = "the tool call has no id", None
        if call.id is not None:
            message, severity = "the id comes after the first fragment, where OpenAI sends it", Severity.WARNING
        elif "id" in first.function:
            message = f"the id of the tool call is inside {first.part}"
        at, value = (*first.at, "id"), first.value.get("id", ABSENT)
        events = call.events_without("id")
        yield Hit(message, at, value, first.event, severity=severity, other_pointers=(at,), events=events)
