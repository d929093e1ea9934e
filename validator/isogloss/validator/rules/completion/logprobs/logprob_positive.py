"""A log probability is above 0.

The logarithm of a probability is 0 at most. The rule allows a ten-thousandth for rounding. It reports the first
positive value in each list.

## Why it matters
Readers turn the value into a probability, which is then above 100 %. Usually the server sends a probability or a raw
score in place of a logarithm, so all other values of the answer are wrong as well.

## What to do
* As a server's author: Send the natural logarithm of the normalised probability. A value such as 0.93 is the
  probability itself. Also check whether you send raw scores that were not normalised.
* As a client's user: Do not compute confidences from the log probabilities of this server. If you limit them to 0, you
  hide that the other values are wrong, too.

## Bad
```json
{"token": "Yes", "logprob": 0.93, "bytes": [89, 101, 115], "top_logprobs": []}
```

## Good
```json
{"token": "Yes", "logprob": -0.0726, "bytes": [89, 101, 115], "top_logprobs": []}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.completion.logprobs._tokens import token_lists
from isogloss.validator.views import Completion, number

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("API reference, the chat completion object: logprobs", "2026-04"),
        Citation("recorded OpenAI answers: 0 at most in all of them, but for rounding (3.05e-05)", "2026-08"),
    ),
    needs=("logprobs",),
)

_ROUNDING = 1e-4
"""How far above 0 a log probability may be because a probability near 1 was rounded: OpenAI sent 3.05e-05."""


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for the first log probability in each list that is above 0. Alternatives are checked, too."""
    for tokens in token_lists(completion):
        found = next((token for token in tokens.every if (number(token.get("logprob")) or 0) > _ROUNDING), None)
        if found is not None:
            message = "the log probability is above 0, a probability above 1"
            yield Hit(message, (*tokens.pointer_of(found), "logprob"), found["logprob"])
