"""The same request is answered on one side and refused on the other.

One side asks for a stream and the other does not, or the sides are in two captures. A temporary error, such as that of
a busy server (408, 429, 502 to 504), does not count as a refusal. Nor does one because of the key, the account, the
model or the endpoint (401 to 405, 410): the server would refuse any request. Between repeats this is a note: the
server may have been configured differently in the meantime.

## Why it matters
An application that was tested without streaming fails when streaming is switched on, and its error does not name this
cause. Libraries switch it on by themselves: many agents use only streams.

## What to do
* As a server's author: Build the request once, before the code paths for streams and completions separate, so that both
  accept the same options. If an option cannot be streamed, document that.
* As a client's user: Use the way that gets an answer, and let your tests use the same way as production.

## Bad
```
{"model":"m","messages":[…],"logprobs":true}                    status 200
{"model":"m","messages":[…],"logprobs":true,"stream":true}      status 400
```

## Good
```
{"model":"m","messages":[…],"logprobs":true}                    status 200
{"model":"m","messages":[…],"logprobs":true,"stream":true}      status 200
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.twinning import TwinAnswer, Twins

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("API reference, create chat completion: stream changes the form of the answer alone", "2026-04"),
    ),
)


def check(twins: Twins) -> Iterator[Hit]:
    """Yield a hit if all answers of one side are refusals and no answer of the other side is one."""
    found = twins.disjoint_values(lambda answer: answer.refused)
    if found is not None:
        left, right = (_outcome(side[0]) for side in (twins.left, twins.right))
        yield Hit(twins.join_sides(left, right), severity=Severity.NOTE if twins.distinction == "repeat" else None)


def _outcome(answer: TwinAnswer) -> str:
    status = answer.exchange.http.status
    return ("refused" if answer.refused else "answered") + (f" with {status}" if status is not None else "")
