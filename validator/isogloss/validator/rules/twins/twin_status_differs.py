"""The same request is answered on one side and refused on the other.

What differs is whether it was asked for as a stream, or which of two captures holds it. An error that passes, as of a
server that is busy (408, 429, 502 to 504), is no refusal, nor is a key that is not accepted (401, 403). Between
repeats it is a note: the server may have been set up otherwise in the meantime.

## Why it matters
An application that was tried without streaming fails when streaming is switched on, and its error tells nothing of
that. Libraries switch by themselves: many agents only stream.

## What to do
* As a server's author: Build the request once, before the paths for streams and completions part, so that both accept
  the same options. If an option cannot be streamed, document that.
* As a client's user: Ask in the way that is answered, and have your test suite ask in the way that production does.

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
from isogloss.validator.rules.twinning import Answer, Twins

__all__ = ["RULE", "check"]

RULE = Rule(
    name="twin-status-differs",
    severity=Severity.WARNING,
    summary="The same request is answered on one side and refused on the other.",
    since="0.1.0",
    sources=(
        Citation("API reference, create chat completion: stream changes the form of the answer alone", "2026-04"),
    ),
)


def check(twins: Twins) -> Iterator[Hit]:
    """Yield a hit if all answers of one side are refusals and no answer of the other side is one."""
    found = twins.apart(lambda one: one.refused)
    if found is not None:
        left, right = (_told(side[0]) for side in (twins.left, twins.right))
        yield Hit(twins.both(left, right), severity=Severity.NOTE if twins.by == "repeat" else None)


def _told(answer: Answer) -> str:
    status = answer.exchange.response.status if answer.exchange.response is not None else None
    return ("refused" if answer.refused else "answered") + (f" with {status}" if status is not None else "")
