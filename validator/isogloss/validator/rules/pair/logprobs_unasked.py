"""There are log probabilities that nobody asked for.

## Why it matters
They make an answer many times as large, in transfer and in storage. No client fails because of them.

## What to do
* As a server's author: Send `"logprobs": null` unless the request has `"logprobs": true`.
* As a client's user: Nothing breaks; drop them before you store the answer if its size matters.

## Bad
```
{"model":"gpt-4.1-mini","messages":[…]}

{"choices":[{"index":0,"logprobs":{"content":[{"token":"Yes",…}],…},…}],…}
```

## Good
```
{"model":"gpt-4.1-mini","messages":[…]}

{"choices":[{"index":0,"logprobs":null,…}],…}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.pairing import Pair
from isogloss.validator.views import is_off

RULE = Rule(
    severity=Severity.NOTE,
    sources=(
        Citation("API reference, create chat completion: logprobs, false by default", "2026-04"),
        Citation("recorded OpenAI answers: none where they were not asked for", "2026-08"),
    ),
    needs=("whole request", "logprobs", "completion"),
)


def check(pair: Pair) -> Iterator[Hit]:
    """Yield a hit for the `logprobs` of each choice that hold tokens, if the request does not want them.

    A value that is no boolean may ask for them, as the number of them does in other APIs.
    """
    if not is_off(pair.request.value.get("logprobs")):
        return
    for choice in pair.choices:
        if any((choice.logprobs or {}).values()):
            yield Hit("logprobs that were not asked for", (*choice.at, "logprobs"), choice.logprobs)
