"""Log probabilities were asked for, and a choice with text has none.

A choice that has no text because it only calls tools needs no log probabilities. If `top_logprobs` were asked for, some
tokens may have fewer than that, but not all of them none.

## Why it matters
The server accepted the option and ignored it. A program that computes a confidence from the tokens fails on null, or
gets 0.

## What to do
* As a server's author: Return log probabilities when `logprobs` is true, or answer 400 if a model cannot.
* As a client's user: Test for null before you compute with them, and report "no confidence" and not 0. Look in the
  server's documentation for models that support the option.

## Bad
```
{"model":"gpt-4.1-mini","messages":[…],"logprobs":true}

{"choices":[{"index":0,"message":{"role":"assistant","content":"Yes"},"logprobs":null,…}],…}
```

## Good
```
{"model":"gpt-4.1-mini","messages":[…],"logprobs":true}

{"choices":[{"index":0,"message":{"role":"assistant","content":"Yes"},"logprobs":{"content":[{"token":"Yes",…}],…},…}],…}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.pointer import ABSENT
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.pairing import Pair
from isogloss.validator.views import Choice, integer, items

RULE = Rule(
    severity=Severity.WARNING,
    lacks="tokens",
    sources=(
        Citation("API reference, create chat completion: logprobs", "2026-04"),
        Citation("recorded OpenAI answers: none missing where they were asked for", "2026-08"),
        Citation("openai (PyPI) 3.57.0, types: top_logprobs may be fewer than requested in some cases", "2026-11"),
        Citation("SillyTavern/SillyTavern#4680: a client failed without any", "2025-10"),
    ),
    needs=("completion", "request for logprobs"),
    replaces=("documented-property-absent",),
)


def check(pair: Pair) -> Iterator[Hit]:
    """Yield a hit for each choice with text whose `logprobs` are absent, null or without any list of tokens.

    If the request wants `top_logprobs`, yield one for each choice in whose tokens all these lists are empty. Only
    answers to requests that want log probabilities are checked.
    """
    if pair.request.value.get("logprobs") is not True:
        return
    wanted = integer(pair.request.value.get("top_logprobs")) or 0
    for choice in pair.choices:
        if (choice.content or choice.refusal) and not any((choice.logprobs or {}).values()):
            yield Hit(
                "logprobs were asked for, and there are none",
                (*choice.at, "logprobs"),
                choice.value.get("logprobs", ABSENT),
            )
        elif wanted > 0:
            yield from _hits_without_alternatives(choice)


def _hits_without_alternatives(choice: Choice) -> Iterator[Hit]:
    """Yield a hit for the first list of `top_logprobs` of a choice if all of them are empty."""
    first = None
    for name, tokens in (choice.logprobs or {}).items():
        for position, token in items(tokens):
            alternatives = token.get("top_logprobs")
            if alternatives:
                return
            if alternatives == [] and first is None:
                first = (*choice.at, "logprobs", name, position, "top_logprobs")
    if first is not None:
        yield Hit("top_logprobs were asked for, and no token has any", first, [])
