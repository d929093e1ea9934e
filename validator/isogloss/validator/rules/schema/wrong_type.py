"""A value has another JSON type than the reference allows.

A number such as `1.0` is an integer in JSON Schema; `integer-as-float` reports it.

## Why it matters
Clients with types reject the answer. Clients without types fail later and further from the cause, or run a tool with
nothing, because they got an object instead of the string that they parse.

## Who breaks
* `created`: SiYuan and others on SambaNova
  ([siyuan-note/siyuan#14787](https://github.com/siyuan-note/siyuan/issues/14787),
  [mlcommons/modelbench#1287](https://github.com/mlcommons/modelbench/issues/1287)), clients of an AnythingLLM
  endpoint ([Mintplex-Labs/anything-llm#2926](https://github.com/Mintplex-Labs/anything-llm/issues/2926)), go-openai on
  a date as text ([sashabaranov/go-openai#1003](https://github.com/sashabaranov/go-openai/pull/1003))
* `content`: the AI SDK, Hermes Agent, RAGFlow and Symfony AI fail on Mistral's typed parts, and Open WebUI shows them
  as JSON ([vercel/ai#13703](https://github.com/vercel/ai/issues/13703),
  [NousResearch/hermes-agent#11243](https://github.com/NousResearch/hermes-agent/issues/11243),
  [infiniflow/ragflow#14805](https://github.com/infiniflow/ragflow/pull/14805),
  [symfony/ai#2422](https://github.com/symfony/ai/issues/2422),
  [open-webui/open-webui#30089](https://github.com/open-webui/open-webui/issues/30089)); the AI SDK on an object
  ([vercel/ai#8540](https://github.com/vercel/ai/issues/8540))
* `arguments`: LangChain on TGI
  ([huggingface/text-generation-inference#2136](https://github.com/huggingface/text-generation-inference/issues/2136)),
  the openai package and picoclaw on llama.cpp in March 2026
  ([ggml-org/llama.cpp#20198](https://github.com/ggml-org/llama.cpp/issues/20198),
  [sipeed/picoclaw#1292](https://github.com/sipeed/picoclaw/pull/1292))
* the `id` of a call as a number: OpenCode on NVIDIA NIM
  ([anomalyco/opencode#19947](https://github.com/anomalyco/opencode/issues/19947),
  [anomalyco/opencode#25786](https://github.com/anomalyco/opencode/issues/25786))

## What to do
* As a server's author: Send the type that the message names: `created` as an integer of seconds, `arguments` as a
  string that holds JSON, `content` as a string, the answer as an object that is serialised once. A serialiser with
  declared types keeps this from coming back.
* As a client's user: Convert the value in one place, where the answer arrives: parse `arguments` only if it is a
  string, read text out of a list of parts. Report it to the server's authors, and name the dialect with `--dialect`
  until it is fixed.

## Bad
```json
{"id": "chatcmpl-1", "created": "1760000000"}
```

## Good
```json
{"id": "chatcmpl-1", "created": 1760000000}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Rule

RULE = Rule(
    severity=Severity.ERROR,
    catalogue=(12, 13, 22, 23, 35),
    sources=(
        Citation("isogloss/schemas/openai/DECISIONS.md, decision 7", "2026-11"),
        Citation("OpenAPI document openai/openai-openapi@f85dbe2", "2026-08"),
        Citation("openai (PyPI) 3.52.0, types/chat", "2026-11"),
    ),
    hides_value=True,
    overwritten=("word", "type"),
)
