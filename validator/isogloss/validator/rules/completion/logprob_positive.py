"""A log probability is above 0.

The logarithm of a probability is 0 at most. A ten-thousandth is allowed for rounding. The first one in each list is
reported.

## Why it matters
Readers turn it into a probability, and get one above 100 %. What is seen there is usually a probability or a raw score
in place of its logarithm, so all other values of the answer mean something else as well.

## What to do
* As a server's author: Send the natural logarithm of the probability, after normalising; a value such as 0.93 is the
  probability itself. Check raw scores that were not normalised.
* As a client's user: Do not compute confidences from the log probabilities of this server. Clamping them to 0 hides
  that the others are wrong, too.

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
from isogloss.validator.rules.completion._tokens import token_lists
from isogloss.validator.views import Completion, number

__all__ = ["RULE", "check"]

RULE = Rule(
    name="logprob-positive",
    severity=Severity.WARNING,
    summary="A log probability is above 0.",
    since="0.1.0",
    sources=(
        Citation("API reference, the chat completion object: logprobs", "2026-04"),
        Citation("recorded OpenAI answers: 0 at most in all of them, but for rounding (3.05e-05)", "2026-08"),
    ),
    needs=("logprobs",),
)

_ROUNDING = 1e-4
"""What the rounding of a probability to 1 leaves: OpenAI sent 3.05e-05."""


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for the first log probability in each list that is above 0. Alternatives are checked, too."""
    for tokens in token_lists(completion):
        found = next((one for one in tokens.every if (number(one.get("logprob")) or 0) > _ROUNDING), None)
        if found is not None:
            message = "the log probability is above 0, a probability above 1"
            yield Hit(message, (*tokens.place(found), "logprob"), found["logprob"])
