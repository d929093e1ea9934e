"""A token has more `top_logprobs` than were asked for.

Fewer are allowed. A request without `top_logprobs` asks for none, and OpenAI sends empty lists.

## Why it matters
Readers show the alternatives in as many columns as they asked for. Some servers add the chosen token to the list in
addition to the others, so that the list has one item too many.

## What to do
* As a server's author: Send as many alternatives as `top_logprobs` asks for, including the chosen token. Without the
  option, send an empty list.
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
from isogloss.validator.quoting import count_of
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.pairing import Pair
from isogloss.validator.views import Choice, items, quantity

RULE = Rule(
    severity=Severity.WARNING,
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
    if pair.request.value.get("logprobs") is not True:
        return
    requested = pair.request.value.get("top_logprobs")
    requested = 0 if requested is None else quantity(requested)
    if requested is None:
        return
    for choice in pair.choices:
        yield from _excess_hits(choice, requested)


def _excess_hits(choice: Choice, requested: int) -> Iterator[Hit]:
    for name, tokens in (choice.logprobs or {}).items():
        for position, token in items(tokens):
            alternatives = token.get("top_logprobs")
            if isinstance(alternatives, list) and len(alternatives) > requested:
                at = (*choice.at, "logprobs", name, position, "top_logprobs")
                found = count_of(len(alternatives), "alternative")
                yield Hit(f"{found} where the request asks for {requested or 'none'}", at, alternatives)
                return
