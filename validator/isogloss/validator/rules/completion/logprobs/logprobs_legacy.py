"""`logprobs` has the shape of the old Completions API.

There, `tokens`, `token_logprobs`, `top_logprobs` and `text_offset` are parallel arrays. In Chat Completions,
`content` is one array of objects, each with the token, its log probability and its alternatives.

It is an error if these arrays stand in the place of `content`, and a note if they stand beside it.

## Why it matters
Clients that validate reject the whole answer because of an optional part of it.

## Who breaks
Dyad and the AI SDK on Novita through OpenRouter
([dyad-sh/dyad#1570](https://github.com/dyad-sh/dyad/issues/1570)), users of llama-cpp-python
([abetlen/llama-cpp-python#1787](https://github.com/abetlen/llama-cpp-python/issues/1787)) and of vLLM in 2024
([vllm-project/vllm#3179](https://github.com/vllm-project/vllm/issues/3179)).

## What to do
* As a server's author: Convert to the shape of Chat Completions: one object for each token in `logprobs.content`, with
  `token`, `logprob`, `bytes` and `top_logprobs`.
* As a client's user: Do not ask for `logprobs` if you do not need them, since validating clients reject the whole
  answer. Otherwise, combine the four arrays into objects before you use them.

## Bad
```json
{"logprobs": {"tokens": ["Yes"], "token_logprobs": [-0.1], "top_logprobs": [], "text_offset": [0]}}
```

## Good
```json
{"logprobs": {"content": [{"token": "Yes", "logprob": -0.1, "bytes": [89, 101, 115], "top_logprobs": []}]}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.quoting import quote_name
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Completion

RULE = Rule(
    severity=Severity.ERROR,
    catalogue=(54,),
    sources=(
        Citation("API reference, the chat completion object: logprobs", "2026-04"),
        Citation("API reference, the (legacy) completion object: logprobs", "2026-04"),
    ),
    replaces=("missing-property", "documented-property-absent", "unknown-property", "null-value"),
    includes=("logprobs-legacy",),
)

_LEGACY_ONLY = ("tokens", "token_logprobs")
_LEGACY = (*_LEGACY_ONLY, "top_logprobs", "text_offset")


def check(completion: Completion) -> Iterator[Hit]:
    """Yield an error if `content` is missing where it should be, and a note for each old property.

    Each hit points to those behind it.
    """
    for choice in completion.choices:
        logprobs = choice.logprobs
        if logprobs is None or not any(property_name in logprobs for property_name in _LEGACY_ONLY):
            continue
        at = (*choice.at, "logprobs")
        names = [name for name in _LEGACY if name in logprobs]
        pointers = tuple((*at, name) for name in names)
        if logprobs.get("content") is None:
            message = "log probabilities in the shape of the old Completions API"
            yield Hit(message, (*at, "content"), other_pointers=((*at, "refusal"), *pointers))
        for number, (name, pointer) in enumerate(zip(names, pointers, strict=True)):
            message = f"of the old Completions API: {', '.join(map(quote_name, names[number:]))}"
            others = pointers[number + 1 :]
            yield Hit(message, pointer, logprobs[name], key=True, severity=Severity.NOTE, other_pointers=others)
