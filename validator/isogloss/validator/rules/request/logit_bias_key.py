"""A key of `logit_bias` is not a token id.

OpenAI answers 400: only non-negative integers. The keys are the numbers of tokens in the model's vocabulary, as decimal
strings.

## Why it matters
The request is refused. Often the keys are words, but one word is often several tokens.

## What to do
* As a server's author: Answer 400 and name the key; keys that are ignored in silence hide the mistake.
* As a client's user: Encode the word with the tokenizer of the model and write the numbers of its tokens as keys; try
  it with and without a leading space.

## Bad
```json
{"logit_bias": {"hello": -100}}
```

## Good
```json
{"logit_bias": {"24912": -100}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Request, obj

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("API reference, create chat completion: logit_bias", "2026-04"),
        Citation("OkGoDoIt/OpenAI-API-dotnet#163", "2023-06"),
    ),
    needs=("logit_bias",),
    of_options=True,
)


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for each key that does not consist of decimal digits only."""
    for key, bias in (obj(request.value.get("logit_bias")) or {}).items():
        if not (key.isascii() and key.isdigit()):
            yield Hit("the key is not a token id, a number", ("logit_bias", key), bias, key=True)
