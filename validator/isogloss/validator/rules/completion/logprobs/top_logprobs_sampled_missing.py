"""A token is likelier than one of its `top_logprobs`, and not among them with its own log probability.

The list holds the likeliest tokens of a position. An unlikely token that was sampled may be missing from it. A token
that is likelier than an item of the list has to be in it, with the same log probability.

## Why it matters
The list belongs to another position, or it writes tokens in another way: by their ids, or with other white space. Or
one of the two values was computed before the temperature was applied, and the other after. Its values do not belong to
the text.

## Who sends it
A review found code for llmman that would have written the ids of tokens instead of their text
([llmmanorg/llmman#159](https://github.com/llmmanorg/llmman/pull/159)).

## What to do
* As a server's author: Decode the alternatives in the same way as the sampled token. List the alternatives of the
  position at which that token was sampled, and compute all values from the same logits.
* As a client's user: Do not use `top_logprobs` of such a server for probabilities; `logprob` of the token itself may
  still be right.

## Bad
```json
{"token": "Yes", "logprob": -0.1, "bytes": null, "top_logprobs": [{"token": "7566", "logprob": -0.1, "bytes": null}]}
```

## Good
```json
{"token": "Yes", "logprob": -0.1, "bytes": null, "top_logprobs": [{"token": "Yes", "logprob": -0.1, "bytes": null}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.completion.logprobs._tokens import texts_of_tokens, token_lists
from isogloss.validator.views import Completion, Json, number

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("API reference, the chat completion object: logprobs, top_logprobs", "2026-04"),
        Citation("recorded OpenAI answers: in none of 3,517 lists, and none with another value", "2026-11"),
        Citation("llmmanorg/llmman#159: ids of tokens in their place, in code that a review found", "2026-04"),
    ),
)

_ROUNDING = 1e-3
_SAME = 1e-2
"""How far apart two log probabilities of one token may be."""


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for each list of tokens with ``top_logprobs`` in which the token itself has to be and is not.

    Only the first of these ``top_logprobs`` is reported.
    """
    for tokens in token_lists(completion):
        found = next(
            (one.token for one in tokens.ranked if one.alternatives and _is_left_out(one.token, one.alternatives)), None
        )
        if found is not None:
            message = "the token is likelier than one of these, and is not among them with its log probability"
            yield Hit(message, (*tokens.pointer_of(found), "top_logprobs"), found["top_logprobs"])


def _is_left_out(token: Json, alternatives: list[Json]) -> bool:
    text, logprob = token.get("token"), token.get("logprob")
    for alternative in alternatives:
        if alternative.get("token") == text and alternative.get("logprob") == logprob:
            return False
    logprob = number(logprob)
    if logprob is None or not isinstance(text, str):
        return False
    for alternative in alternatives:
        if alternative.get("token") == text and abs((number(alternative.get("logprob")) or 0.0) - logprob) <= _SAME:
            return False
    logprobs = [found for alternative in alternatives if (found := number(alternative.get("logprob"))) is not None]
    is_readable = texts_of_tokens(alternatives) is not None and len(logprobs) == len(token["top_logprobs"])
    return is_readable and logprob > min(logprobs) + _ROUNDING
