"""A log probability is above 0, or the probabilities of one position add up to more than 1.

The logarithm of a probability is at most 0. One token stands at each position, so the probabilities of its
`top_logprobs` add up to at most 1. The rule allows a little more for rounding. It reports the first such value in each
list.

## Why it matters
Readers turn the value into a probability, which is then above 100 %. Usually the server sends a probability or a raw
score in place of a logarithm, so all other values of the answer are wrong as well.

## Who sends it
llama.cpp in 2024, whose probabilities of one position made up to 1.2 with a `top_p` below 1
([ggml-org/llama.cpp#7093](https://github.com/ggml-org/llama.cpp/issues/7093)).

## What to do
* As a server's author: Send the natural logarithm of the normalised probability. A value such as 0.93 is the
  probability itself. Also check whether you send raw scores that were not normalised, or that were normalised over
  other tokens than those you list.
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

import math
from collections.abc import Iterator
from itertools import repeat
from operator import lt

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.completion.logprobs._tokens import token_lists
from isogloss.validator.views import Completion

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("API reference, the chat completion object: logprobs", "2026-04"),
        Citation("recorded OpenAI answers: 0 at most in all of them", "2026-08"),
        Citation("recorded OpenAI answers: not more than 1.001 together in any of 3,517 lists", "2026-11"),
    ),
)

_ROUNDING = 1e-4
"""How far above 0 a log probability may be because a probability near 1 was rounded."""
_MOST_TOGETHER = 1.02
"""What the probabilities of a position may make together, each of them rounded by the server."""


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for the first log probability in each list that is above 0. Alternatives are checked, too.

    If there is none, yield one for the first alternatives whose probabilities make more than 1 together.
    """
    for tokens in token_lists(completion):
        if True in (above := [*map(lt, repeat(_ROUNDING), tokens.logprobs)]):
            found = tokens.every[above.index(True)]
            message = "the log probability is above 0, a probability above 1"
            yield Hit(message, (*tokens.pointer_of(found), "logprob"), found["logprob"])
            continue
        for one in tokens.ranked:
            together = sum(map(math.exp, one.logprobs))
            if not together <= _MOST_TOGETHER:  # it is NaN if one of them is missing
                together = sum(math.exp(logprob) for logprob in one.logprobs if not math.isnan(logprob))
                if together > _MOST_TOGETHER:
                    message = f"the probabilities of one position add up to {together:.2f}"
                    yield Hit(message, (*tokens.pointer_of(one.token), "top_logprobs"), one.token["top_logprobs"])
                    break
