"""A property that every OpenAI answer has, or that a request needs, is missing.

The finding is at the object that lacks the property; its path names the property. If the object has a property with
almost the same name, such as `finishReason` for `finish_reason`, the message names that one. It says so, too, if the
property stands in the object around it, or in one inside it. An empty object has one finding, for the first property.

## Why it matters
Clients with types cannot build their model of the answer, which may be paid for already. Clients without types fail
where they first read the property. In a request, OpenAI answers with status 400.

## Who breaks
* `id`, `object` or `created`: async-openai on OpenVINO Model Server
  ([openvinotoolkit/model_server#3553](https://github.com/openvinotoolkit/model_server/issues/3553),
  [64bit/async-openai#408](https://github.com/64bit/async-openai/pull/408)), swift-llm-chat-openai on Google
  ([kevinhermawan/swift-llm-chat-openai#19](https://github.com/kevinhermawan/swift-llm-chat-openai/pull/19)),
  openai-api-rs ([dongri/openai-api-rs#146](https://github.com/dongri/openai-api-rs/pull/146)), AIPerf on
  TensorRT-Edge-LLM ([NVIDIA/TensorRT-Edge-LLM#93](https://github.com/NVIDIA/TensorRT-Edge-LLM/issues/93)),
  pydantic-ai on copilot-api ([caozhiyuan/copilot-api#247](https://github.com/caozhiyuan/copilot-api/pull/247)),
  openai-php on Mistral ([openai-php/client#292](https://github.com/openai-php/client/pull/292))
* `choices` of the usage chunk, `delta`, `finish_reason`: the openai package on ROCm ATOM
  ([ROCm/ATOM#1711](https://github.com/ROCm/ATOM/pull/1711)), OpenCode on zukijourney
  ([anomalyco/opencode#1298](https://github.com/anomalyco/opencode/issues/1298)), qwen-code
  ([QwenLM/qwen-code#1448](https://github.com/QwenLM/qwen-code/pull/1448)), LibreChat on Bedrock
  ([danny-avila/LibreChat#5563](https://github.com/danny-avila/LibreChat/pull/5563)), a client of LiteLLM's proxy
  ([BerriAI/liteLLM-proxy#19](https://github.com/BerriAI/liteLLM-proxy/issues/19))
* `delta`, on chunks with the findings of Azure's asynchronous filter: LangChain
  ([langchain-ai/langchain#18977](https://github.com/langchain-ai/langchain/issues/18977)), LiteLLM
  ([BerriAI/litellm#3811](https://github.com/BerriAI/litellm/issues/3811)), AutoGen
  ([microsoft/autogen#6465](https://github.com/microsoft/autogen/issues/6465)), Spring AI
  ([spring-projects/spring-ai#7014](https://github.com/spring-projects/spring-ai/pull/7014)), and the stream helper of
  openai-node until July 2026 ([openai/openai-node#1982](https://github.com/openai/openai-node/pull/1982))
* `id`, `type` or `arguments` of a tool call: OpenCode on NVIDIA NIM, GLM, Bedrock and Chutes
  ([anomalyco/opencode#12585](https://github.com/anomalyco/opencode/pull/12585)), aionrs on StepFun
  ([iOfficeAI/aionrs#99](https://github.com/iOfficeAI/aionrs/pull/99)), mistral-vibe and the AI SDK
  ([mistralai/mistral-vibe#504](https://github.com/mistralai/mistral-vibe/pull/504),
  [vercel/ai#6041](https://github.com/vercel/ai/issues/6041)), the AI SDK on OpenRouter
  ([OpenRouterTeam/ai-sdk-provider#287](https://github.com/OpenRouterTeam/ai-sdk-provider/issues/287))

## What to do
* As a server's author: Add the property to every answer, at the path that the finding names; build answers from one
  type so that none can be forgotten. For `id` and `created` a random id and the current time in seconds are enough.
* As a client's user: In your own request, add the property. In an answer, read it with a default (`.get("id")`, an
  optional field) if your program does not need it, and report it to the server's authors. Until it is fixed, name the
  server's dialect with `--dialect`.

## Bad
```json
{"object": "chat.completion", "created": 1760000000, "model": "gpt-4.1-mini", "choices": […]}
```

## Good
```json
{"id": "chatcmpl-1", "object": "chat.completion", "created": 1760000000, "model": "gpt-4.1-mini", "choices": […]}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Rule

RULE = Rule(
    severity=Severity.ERROR,
    catalogue=(1, 2, 3, 7, 9, 14, 18, 20, 31, 34, 36, 42),
    sources=(
        Citation("isogloss/schemas/openai/DECISIONS.md", "2026-11"),
        Citation("OpenAPI document openai/openai-openapi@f85dbe2", "2026-08"),
        Citation("recorded OpenAI answers: present in all of them", "2026-08"),
    ),
    includes=("missing-property", "documented-property-absent"),
    hides_value=True,
)
