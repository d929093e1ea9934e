"""A property is not part of the reference.

## Why it matters
It does no harm to most readers, which skip it, and it shows which dialect a server speaks. But a client that relies on
it will not find it on other servers, nor after the vendor renames it.

In a request, this is a warning: OpenAI answers with status 400, though other servers define the property. In tools, and
in messages of assistants and tools, it is a note, because OpenAI was seen to ignore it there. If the name is similar to
one in the reference, the message names that one: "did you mean `temperature`?".

## Who breaks
* `error` and others beside a good answer: the Go SDK on Foundry Local
  ([microsoft/foundry-local#273](https://github.com/microsoft/foundry-local/issues/273))
* `reasoning_content` renamed `reasoning`: Dify, LiteLLM, LibreChat, Witsy and Strands Agents on vLLM lose the thoughts
  ([vllm-project/vllm#50624](https://github.com/vllm-project/vllm/pull/50624),
  [langgenius/dify-official-plugins#2740](https://github.com/langgenius/dify-official-plugins/issues/2740),
  [BerriAI/litellm#26501](https://github.com/BerriAI/litellm/issues/26501),
  [danny-avila/LibreChat#12775](https://github.com/danny-avila/LibreChat/issues/12775),
  [nbonamy/multi-llm-ts#25](https://github.com/nbonamy/multi-llm-ts/pull/25),
  [strands-agents/harness-sdk#3252](https://github.com/strands-agents/harness-sdk/pull/3252))
* both of them, and counts outside their place in `usage`: RAGFlow on StepFun
  ([infiniflow/ragflow#17521](https://github.com/infiniflow/ragflow/pull/17521))

## What to do
* As a server's author: Keep an extension if clients want it, but document it, keep its name, and never give it the name
  of something that the reference has in another shape. Remove properties that only leaked from an internal type.
* As a client's user: Ignore properties that you do not know, and read extensions such as `reasoning_content` with a
  default, since another server names them differently. In a request, look for a misspelt name first; send extensions
  only to servers that document them.

## Bad
```json
{"role": "assistant", "content": "Hello", "reasoning_content": "…"}
```

## Good
```json
{"role": "assistant", "content": "Hello"}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Rule

RULE = Rule(
    severity=Severity.NOTE,
    catalogue=(25, 26, 28),
    sources=(
        Citation("isogloss/schemas/openai/DECISIONS.md, decision 42", "2026-11"),
        Citation("OpenAPI document openai/openai-openapi@f85dbe2", "2026-08"),
        Citation("openai (PyPI) 3.52.0, types/chat", "2026-11"),
    ),
)
