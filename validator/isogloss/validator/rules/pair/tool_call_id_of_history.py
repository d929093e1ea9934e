"""A call in an answer has an id that a call of the history has already.

## Why it matters
The next request holds two calls with one id. Servers refuse it, and clients that keep calls by their id overwrite the
earlier result, or take the new call for one that was already answered.

## Who breaks
Zeph on Kimi K2 at a gateway whose counter of ids began anew when the history got shorter: the next request was refused
([bug-ops/zeph#6501](https://github.com/bug-ops/zeph/issues/6501)). Qwen Code sent the results of both calls under one
id ([QwenLM/qwen-code#5099](https://github.com/QwenLM/qwen-code/issues/5099)).

## What to do
* As a server's author: Make ids of random characters. A counter that starts again with each answer, or a hash of name
  and arguments, gives the same id several times.
* As a client's user: Before such a call goes into the history, give it an id of your own, both in the call and in its
  result.

## Bad
```
{"messages":[…,{"role":"assistant","tool_calls":[{"id":"call_0",…}]},{"role":"tool","tool_call_id":"call_0",…}]}

{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_0",…}]}}
```

## Good
```
{"messages":[…,{"role":"assistant","tool_calls":[{"id":"call_a1",…}]},{"role":"tool","tool_call_id":"call_a1",…}]}

{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_b2",…}]}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.pairing import Pair

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("recorded OpenAI answers: no id of the history in any", "2026-11"),
        Citation("bug-ops/zeph#6501", "2026-07"),
    ),
    needs=("calls", "tool calls in messages"),
)


def check(pair: Pair) -> Iterator[Hit]:
    """Yield a hit for each call in the answer whose id a call in the history already has."""
    known = {call.id for message in pair.request.messages for call in message.calls if call.id}
    for choice in pair.choices if known else ():
        for call in choice.calls:
            if call.id in known:
                yield Hit("a call of the history has this id", (*call.at, "id"), call.id)
