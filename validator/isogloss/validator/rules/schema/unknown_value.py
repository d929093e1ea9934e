"""A value is not one of those that the reference lists.

If the set is open, as for `service_tier`, this is a warning: OpenAI has added values there before.

## Why it matters
Clients parse `object`, `role`, `type` and `finish_reason` into enumerations, and any other value makes the whole answer
fail. Clients without enumerations do worse: they wait for a finish that they do not recognise.

## Who breaks
* `object`: Foundry Local ([microsoft/foundry-local#31](https://github.com/microsoft/foundry-local/issues/31)); Dify
  on wisediag ([langgenius/dify#14101](https://github.com/langgenius/dify/issues/14101))
* `role`: the AI SDK and OpenCode on GLM-5 and MiniMax M2.5
  ([anomalyco/opencode#28427](https://github.com/anomalyco/opencode/issues/28427),
  [Th0rgal/sandboxed.sh#143](https://github.com/Th0rgal/sandboxed.sh/issues/143),
  [vercel/ai#15464](https://github.com/vercel/ai/pull/15464))
* `finish_reason` empty: clients of SGLang
  ([sgl-project/sglang#3912](https://github.com/sgl-project/sglang/issues/3912)) and of Ollama in 2024
  ([ollama/ollama#4357](https://github.com/ollama/ollama/issues/4357)), AnythingLLM on GenieX
  ([qualcomm/GenieX#1243](https://github.com/qualcomm/GenieX/issues/1243)), OpenCrabs on GLM
  ([adolfousier/opencrabs#1499](https://github.com/adolfousier/opencrabs/pull/1499))
* `finish_reason` of another vocabulary: `end_turn`
  ([aws-samples/bedrock-access-gateway#11](https://github.com/aws-samples/bedrock-access-gateway/issues/11)), `STOP`,
  which oh-my-pi took for an error ([can1357/oh-my-pi#9566](https://github.com/can1357/oh-my-pi/pull/9566)),
  `insufficient_system_resource` ([can1357/oh-my-pi#8563](https://github.com/can1357/oh-my-pi/pull/8563))
* `service_tier`: pydantic-ai, verifiers and graphrag on Groq, Bedrock and OpenRouter
  ([pydantic/pydantic-ai#2499](https://github.com/pydantic/pydantic-ai/issues/2499),
  [pydantic/pydantic-ai#4895](https://github.com/pydantic/pydantic-ai/issues/4895),
  [PrimeIntellect-ai/verifiers#1986](https://github.com/PrimeIntellect-ai/verifiers/pull/1986),
  [microsoft/graphrag#2390](https://github.com/microsoft/graphrag/pull/2390))

## What to do
* As a server's author: Send one of the values that the message names. Map your own to them: as a finish reason,
  `end_turn` and `eos` become `stop`, and `max_tokens` becomes `length`. If the distinction matters, put the original
  value into a property of its own.
* As a client's user: Parse such values as open strings and give unknown ones a default branch: an unknown
  `finish_reason` still ends the choice. In your own request, use one of the values that the message names.

## Bad
```json
{"index": 0, "delta": {}, "finish_reason": "end_turn"}
```

## Good
```json
{"index": 0, "delta": {}, "finish_reason": "stop"}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Rule

RULE = Rule(
    severity=Severity.ERROR,
    catalogue=(6, 10, 21, 23, 41, 43, 46, 55),
    sources=(
        Citation("isogloss/schemas/openai/DECISIONS.md, decisions 2, 8, 11 and 15 to 17", "2026-11"),
        Citation("OpenAPI document openai/openai-openapi@f85dbe2", "2026-08"),
    ),
    overwritten=("type",),
)
