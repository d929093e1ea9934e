"""A property is missing that the published reference requires, though OpenAI's own servers omit it.

These are `logprobs` of a choice, `refusal` of a message and of log probabilities, and `param` and `code` of an error.
With `--strict`, this is an error.

## Why it matters
A server that omits them does the same as OpenAI, and clients should not rely on them. A client that follows the
published reference to the letter does rely on them, and breaks on OpenAI itself.

## Who breaks
Effect on gpt-4.5-preview, which answers without `logprobs`
([openai/openai-openapi#433](https://github.com/openai/openai-openapi/issues/433),
[Effect-TS/effect#4617](https://github.com/Effect-TS/effect/issues/4617)), and openai-php on Gemini
([openai-php/client#554](https://github.com/openai-php/client/pull/554)).

## What to do
* As a server's author: Send `logprobs` and `refusal` as `null` if they have no value, and `param` and `code` in every
  error. It costs a few bytes and satisfies clients that were generated from the published reference.
* As a client's user: Make these properties optional in your model of an answer, since OpenAI itself omits them. Leave
  out `--strict` if you only want to know what differs from OpenAI's servers.

## Bad
```json
{"message": {"role": "assistant", "content": "Hello"}, "finish_reason": "stop"}
```

## Good
```json
{"message": {"role": "assistant", "content": "Hi", "refusal": null}, "logprobs": null, "finish_reason": "stop"}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Rule

RULE = Rule(
    severity=Severity.NOTE,
    catalogue=(56,),
    sources=(
        Citation("isogloss/schemas/openai/DECISIONS.md, decisions 3, 4, 5 and 29", "2026-11"),
        Citation("OpenAPI document openai/openai-openapi@f85dbe2", "2026-08"),
    ),
    includes=("documented-property-absent",),
    about_wire=True,
)
