"""A token has more `top_logprobs` than were asked for.

Fewer are allowed. Without `top_logprobs` in the request none are asked for, and OpenAI sends empty lists.

## Why it matters
Readers lay the alternatives out in as many columns as they asked for. Some servers put the chosen token into the list
besides the others, so that it is one longer.

## What to do
* As a server's author: Send as many alternatives as `top_logprobs` asks for, the chosen token among them and not
  besides, and an empty list without the option.
* As a client's user: Sort the alternatives by `logprob` and cut the list to the number that you asked for.

## Bad
```
{"model":"gpt-4.1-mini","messages":[…],"logprobs":true,"top_logprobs":1}

{"token":"Yes","logprob":-0.1,"bytes":[89,101,115],"top_logprobs":[{"token":"Yes",…},{"token":"No",…}]}
```

## Good
```
{"model":"gpt-4.1-mini","messages":[…],"logprobs":true,"top_logprobs":1}

{"token":"Yes","logprob":-0.1,"bytes":[89,101,115],"top_logprobs":[{"token":"Yes",…}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.pairing import Pair
from isogloss.validator.views import Choice, integer, items

__all__ = ["RULE", "check"]

RULE = Rule(
    name="top-logprobs-excess",
    severity=Severity.WARNING,
    summary="A token has more `top_logprobs` than were asked for.",
    since="0.1.0",
    sources=(
        Citation("API reference, create chat completion: top_logprobs, the maximum to return", "2026-04"),
        Citation("recorded OpenAI answers: never more than asked for", "2026-08"),
    ),
    needs=("logprobs",),
)


def check(pair: Pair) -> Iterator[Hit]:
    """Yield a hit for the first list of each choice that is longer than the request asks for.

    Only requests that ask for log probabilities are checked.
    """
    if pair.completion is None or pair.request.value.get("logprobs") is not True:
        return
    asked = pair.request.value.get("top_logprobs")
    asked = 0 if asked is None else integer(asked)
    if asked is None:
        return
    for choice in pair.completion.choices:
        yield from _longer(choice, asked)


def _longer(choice: Choice, asked: int) -> Iterator[Hit]:
    for name, tokens in (choice.logprobs or {}).items():
        for position, token in items(tokens):
            top = token.get("top_logprobs")
            if isinstance(top, list) and len(top) > asked:
                at = (*choice.at, "logprobs", name, position, "top_logprobs")
                yield Hit(f"{len(top)} alternatives where top_logprobs asks for {asked}", at, top)
                return
