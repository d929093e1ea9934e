"""There are more choices, or fewer, than `n` asks for.

Without `n`, or with null, one choice is asked for. An answer without any choice has worse to tell, and is told
elsewhere.

## Why it matters
Whoever asks for five choices and gets one takes it for the best of five. Many servers do not know `n` and pass over
it without a word; a reader that indexes into the choices then runs past their end.

## What to do
* As a server's author: Generate `n` choices, or refuse an `n` that you do not support with status 400.
* As a client's user: Send the request `n` times if the server ignores the option. Use the number of choices that came,
  and not the number that you asked for.

## Bad
```
{"model":"gpt-4.1-mini","messages":[…],"n":2}

{"choices":[{"index":0,…}],…}
```

## Good
```
{"model":"gpt-4.1-mini","messages":[…],"n":2}

{"choices":[{"index":0,…},{"index":1,…}],…}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.quoting import count_of
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.pairing import Pair
from isogloss.validator.views import integer

__all__ = ["RULE", "check"]

RULE = Rule(
    name="choice-count-mismatch",
    severity=Severity.ERROR,
    summary="There are more choices, or fewer, than `n` asks for.",
    since="0.1.0",
    sources=(
        Citation("API reference, create chat completion: n", "2026-04"),
        Citation("recorded OpenAI answers: as many choices as asked for in all of them", "2026-08"),
    ),
    needs=("completion", "number of choices"),
)


def check(pair: Pair) -> Iterator[Hit]:
    """Yield a hit if there are choices, but not `n` of them.

    A stream that broke off, or that holds an error, is not checked.
    """
    if pair.completion is None or (pair.trace is not None and (pair.trace.errors or pair.trace.cut)):
        return
    asked = pair.request.value.get("n")
    asked = 1 if asked is None else integer(asked)
    there = len(pair.completion.choices)
    if asked is not None and asked > 0 and there and there != asked:
        yield Hit(f"{count_of(there, 'choice')} where n asks for {asked}", ("choices",))
