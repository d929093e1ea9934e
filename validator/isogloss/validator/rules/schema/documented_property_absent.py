"""A member is missing that the published reference requires, though OpenAI's own servers omit it.

## Why it matters
`logprobs` and `refusal` are required on paper; a client written to the paper breaks on OpenAI itself. `--strict` makes this an error.

Catalogue: row 56.

## Bad
```json
{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}
```

## Good
```json
{"index": 0, "message": {"role": "assistant", "content": "Hi", "refusal": null}, "logprobs": null, "finish_reason": "stop"}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Rule, Source

__all__ = ["RULE"]

RULE = Rule(
    name="documented-property-absent",
    severity=Severity.NOTE,
    summary="A member is missing that the published reference requires, though OpenAI's own servers omit it.",
    since="0.1.0",
    sources=(Source("isogloss/schemas/openai/DECISIONS.md", "2026-11"),),
    catalogue=(56,),
)
