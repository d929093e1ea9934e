"""`null` stands where OpenAI never sends it.

## Why it matters
A property that is null is present. Clients that test for its presence go on and look into it, or overwrite an earlier
value with null. An optional property without a value should be left out.

If OpenAI's own client types allow null, this is a warning, because clients made from these types accept it. This
applies to `tool_calls`, `annotations` and `function_call` of a message, `usage`, its details and their counts, and most
of a delta. Everywhere else it is an error.

## Who breaks
* `object`: AIPerf on llama.cpp
  ([ai-dynamo/aiperf#1010](https://github.com/ai-dynamo/aiperf/issues/1010))
* `choices`: Cherry Studio on AiHubMix and GenieX
  ([CherryHQ/cherry-studio#11287](https://github.com/CherryHQ/cherry-studio/issues/11287),
  [qualcomm/GenieX#801](https://github.com/qualcomm/GenieX/pull/801)), LangChain on vLLM
  ([langchain-ai/langchain#35236](https://github.com/langchain-ai/langchain/pull/35236))
* `delta`: weave and agent-framework on Azure
  ([wandb/weave#3922](https://github.com/wandb/weave/pull/3922),
  [microsoft/agent-framework#5734](https://github.com/microsoft/agent-framework/pull/5734)), agentscope
  ([agentscope-ai/agentscope#1003](https://github.com/agentscope-ai/agentscope/issues/1003))
* `created`: go-openai on a self-hosted server
  ([sashabaranov/go-openai#1003](https://github.com/sashabaranov/go-openai/pull/1003))
* `tool_calls` and what is in them: the AI SDK on Together
  ([vercel/ai#1865](https://github.com/vercel/ai/issues/1865)), dsh on OpenCode Zen
  ([anomalyco/opencode#43328](https://github.com/anomalyco/opencode/issues/43328)), mistral-vibe on vLLM
  ([mistralai/mistral-vibe#504](https://github.com/mistralai/mistral-vibe/pull/504))
* `usage`: clients of several compatible providers
  ([typesafe-ai/system-one-adapter-python#39](https://github.com/typesafe-ai/system-one-adapter-python/issues/39)),
  `llm` ([simonw/llm#1697](https://github.com/simonw/llm/issues/1697))
* the details of `usage`, and what is in them: Effect
  ([Effect-TS/effect#5314](https://github.com/Effect-TS/effect/pull/5314)), fenic
  ([typedef-ai/fenic#380](https://github.com/typedef-ai/fenic/pull/380)), llama_index
  ([run-llama/llama_index#22812](https://github.com/run-llama/llama_index/pull/22812)) on Ollama, LM Studio and others

## What to do
* As a server's author: Leave an optional property out when it has no value (`exclude_none`, `omitempty`), and send a
  value for a required one. Keep null where the reference has it, as for `refusal`, `logprobs` and the `finish_reason`
  of a chunk.
* As a client's user: Test the value and not the presence of the property: `if message.tool_calls`, not `"tool_calls" in
  message`. When you collect a stream, skip values that are null instead of copying them over what came before.

## Bad
```json
{"role": "assistant", "content": "Hello", "refusal": null, "tool_calls": null}
```

## Good
```json
{"role": "assistant", "content": "Hello", "refusal": null}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Rule

RULE = Rule(
    severity=Severity.ERROR,
    catalogue=(4, 8, 13, 15, 16, 19, 33, 34, 37, 51, 52),
    sources=(
        Citation("isogloss/schemas/openai/DECISIONS.md, decision 39", "2026-11"),
        Citation("OpenAPI document openai/openai-openapi@f85dbe2", "2026-08"),
        Citation("recorded OpenAI answers: null nowhere else", "2026-08"),
    ),
    about_wire=True,
    hides_value=True,
)
