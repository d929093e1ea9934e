"""Log probabilities were asked for, and a choice with text has none.

A choice that has no text because it only calls tools needs no log probabilities.

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

__all__ = ["RULE", "check"]

RULE = Rule(
    name="logprobs-missing",
    severity=Severity.WARNING,
    summary="Log probabilities were asked for, and a choice with text has none.",
    since="0.1.0",
    sources=(
        Citation("API reference, create chat completion: logprobs", "2026-04"),
        Citation("recorded OpenAI answers: none missing where they were asked for", "2026-08"),
    ),
    needs=("completion", "request for logprobs"),
)


def check(pair: Pair) -> Iterator[Hit]:
    """Yield a hit for each choice with text whose `logprobs` are absent, null or without any list of tokens.

    Only answers to requests that want log probabilities are checked.
    """
    if pair.completion is None or pair.request.value.get("logprobs") is not True:
        return
    for choice in pair.completion.choices:
        if (choice.content or choice.refusal) and not any((choice.logprobs or {}).values()):
            yield Hit(
                "logprobs were asked for, and there are none",
                (*choice.at, "logprobs"),
                choice.value.get("logprobs", ABSENT),
            )
