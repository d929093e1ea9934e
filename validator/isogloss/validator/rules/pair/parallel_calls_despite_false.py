"""There are several calls although `parallel_tool_calls` is false.

## Why it matters
With false, a client expects one call at most. A client that can run only one call at a time runs the first and drops
the rest. The next request is then refused, because calls of the history have no answer.

## What to do
* As a server's author: End the answer after the first call when `parallel_tool_calls` is false, or refuse the option if
  you do not support it.
* As a client's user: Run all calls one after the other and answer each; if you must run one only, remove the others
  from the assistant's message before you send it back.

## Bad
```
{"parallel_tool_calls":false,"tools":[…],…}

{"tool_calls":[{"id":"call_1",…},{"id":"call_2",…}]}
```

## Good
```
{"parallel_tool_calls":false,"tools":[…],…}

{"tool_calls":[{"id":"call_1",…}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.quoting import count_of
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.pairing import Pair

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("API reference, create chat completion: parallel_tool_calls", "2026-04"),
        Citation("recorded OpenAI answers: one call at most", "2026-08"),
    ),
    needs=("calls", "parallel_tool_calls false"),
    repeats=True,
)


def check(pair: Pair) -> Iterator[Hit]:
    """Yield a hit for the second call of each choice, if the request turns parallel calls off."""
    if pair.request.value.get("parallel_tool_calls") is not False:
        return
    for choice in pair.choices:
        calls = [call for call in choice.calls if call.id or call.name]  # others are parts of a call, cut off from it
        if len(calls) > 1:
            yield Hit(f"{count_of(len(calls), 'call')}, though parallel calls are off", calls[1].at)
