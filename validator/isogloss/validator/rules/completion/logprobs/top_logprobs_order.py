"""The `top_logprobs` of a token are not in descending order.

OpenAI lists the most likely tokens, with the likeliest first.

## Why it matters
Readers take the first token for the best alternative. They also assume that no token outside the list is likelier than
the last one.

## Who sends it
vLLM, before it sorted them ([vllm-project/vllm#53722](https://github.com/vllm-project/vllm/pull/53722)).

## What to do
* As a server's author: Sort the alternatives by `logprob`, the largest first, after you have added the sampled token to
  them.
* As a client's user: Sort the list yourself before you use the rank of a token.

## Bad
```json
{"top_logprobs": [
  {"token": "No", "logprob": -2.5, "bytes": null}, {"token": "Yes", "logprob": -0.1, "bytes": null}]}
```

## Good
```json
{"top_logprobs": [
  {"token": "Yes", "logprob": -0.1, "bytes": null}, {"token": "No", "logprob": -2.5, "bytes": null}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, starmap
from operator import lt

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.completion.logprobs._tokens import token_lists
from isogloss.validator.views import Completion

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("recorded OpenAI answers: descending in all 3,517 lists", "2026-11"),
        Citation("vllm-project/vllm#53722", "2026-11"),
    ),
)


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for each list of tokens with ``top_logprobs`` in which a token is likelier than the one before it.

    Only the first of these ``top_logprobs`` is reported.
    """
    for tokens in token_lists(completion):
        found = next((one.token for one in tokens.ranked if any(starmap(lt, pairwise(one.logprobs)))), None)
        if found is not None:
            message = "an alternative is likelier than the one before it"
            yield Hit(message, (*tokens.pointer_of(found), "top_logprobs"), found["top_logprobs"])
