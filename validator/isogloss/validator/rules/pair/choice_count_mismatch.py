"""There are more choices, or fewer, than `n` asks for.

If `n` is absent or null, the request asks for one choice. This rule does not check an answer without any choice: that
is reported elsewhere. In a stream, several choices may have the same index. Then they are counted as one, and no other
rule reports that a role or an end is repeated, or that their mixed texts are no JSON.

## Why it matters
A caller that asks for five choices and gets one takes it for the best of five. Many servers do not know `n` and ignore
it without an error. A reader that accesses the choices by index then reads past the end of the array.

## What to do
* As a server's author: Generate `n` choices, or refuse an `n` that you do not support with status 400. Number the
  choices of a stream by `index`. A gateway keeps the index of the server behind it.
* As a client's user: Send the request `n` times if the server ignores the option. Use the number of choices that you
  received, and not the number that you asked for.

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

RULE = Rule(
    severity=Severity.ERROR,
    lacks="choice",
    sources=(
        Citation("API reference, create chat completion: n", "2026-04"),
        Citation("recorded OpenAI answers: as many choices as asked for in all of them", "2026-08"),
    ),
    needs=("whole request", "completion", "number of choices"),
)


def check(pair: Pair) -> Iterator[Hit]:
    """Yield a hit if there are choices, but not `n` of them.

    A stream that has not ended, or that holds an error, is not checked.
    """
    if pair.completion is None or (pair.trace is not None and (pair.trace.errors or not pair.trace.ended)):
        return
    requested = pair.request.value.get("n")
    requested = 1 if requested is None else integer(requested)
    count = len(pair.completion.choices)
    if requested is not None and requested > 0 and count and count != requested:
        yield Hit(f"{count_of(count, 'choice')} where n asks for {requested}", ("choices",))
