"""A stream ends though one of its choices is not finished.

The rule does not apply after an error event, nor in a capture that stops inside an event. A spoken answer of OpenAI has
no finish reason either: it ends with the update that has the time at which its audio expires, and calls of an audio
model end with a chunk that has no `choices`. Nor had answers of gpt-4-vision-preview in 2023, which ended with
`finish_details`.

## Why it matters
Without a finish reason, a whole answer and a cut one look the same. Clients report an aborted answer, wait for more, or
assume a success.

## Who breaks
pi and oh-my-pi fail, on models of OpenCode Zen
([earendil-works/pi#8460](https://github.com/earendil-works/pi/issues/8460),
[anomalyco/opencode#43882](https://github.com/anomalyco/opencode/issues/43882)), on GLM 5.1 at NVIDIA NIM
([earendil-works/pi#6226](https://github.com/earendil-works/pi/issues/6226)) and on vllm-mlx, which forgot the reason of
each natural end until July 2026 and that of some calls until August
([waybarrios/vllm-mlx#628](https://github.com/waybarrios/vllm-mlx/issues/628),
[waybarrios/vllm-mlx#673](https://github.com/waybarrios/vllm-mlx/pull/673)); the SDK of GitHub Copilot waits for ever on
Foundry Local before 1.0 ([microsoft/foundry-local#423](https://github.com/microsoft/foundry-local/issues/423)), and
AnythingLLM never ended its answer there
([microsoft/foundry-local#383](https://github.com/microsoft/foundry-local/issues/383)); LiteLLM makes up a success
([BerriAI/litellm#40260](https://github.com/BerriAI/litellm/issues/40260)).

## What to do
* As a server's author: End every choice with a delta that has a `finish_reason`: also when the token limit is reached
  (`length`), when a tool is called and when your own stop condition ends it. If generation failed, send an error event
  instead.
* As a client's user: Treat an answer without a finish reason as possibly cut: show it, but do not cache it, and do not
  run tools on it. Repeat the request if the answer has to be whole.

## Bad
```
data: {"choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":null}]}
data: [DONE]
```

## Good
```
data: {"choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":null}]}
data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}
data: [DONE]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.pointer import ABSENT, Pointer
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.streams.trace import Trace

RULE = Rule(
    severity=Severity.ERROR,
    lacks="finish",
    catalogue=(47,),
    sources=(
        Citation("API reference, the chat completion chunk object", "2026-04"),
        Citation("recorded OpenAI streams: one finish_reason for each choice in all but audio streams", "2026-08"),
        Citation("maruel/genai, recorded streams of gpt-audio-2025-08-28: calls without a finish reason", "2026-10"),
        Citation("openai/openai-node@00458ac, src/lib/ChatCompletionStream.ts", "2026-11"),
    ),
    needs=("unusual finish",),
    replaces=("done-missing",),
    includes=("missing-property",),
    reach="answer",
    at_end=True,
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for each choice without a finish reason, at its last delta.

    If none of its chunks has the property, that is what is wrong with each of them.
    """
    if trace.errors or trace.cut:
        return
    for choice in trace.choices.values():
        if not choice.finishes and not choice.implied_finish:
            last = choice.deltas[-1]
            value = last.choice.get("finish_reason", ABSENT)
            if value in (None, ABSENT, ""):  # the schema reports a wrong type
                at, message = (*last.at, "finish_reason"), f"choice {choice.index} is never finished"
                of_all: tuple[Pointer, ...] = ()
                if not any("finish_reason" in delta.choice for delta in choice.deltas):
                    message += "; no chunk has a `finish_reason`"
                    of_all = tuple({(*delta.at, "finish_reason"): None for delta in choice.deltas})
                yield Hit(message, at, value, last.event, other_pointers=of_all)
