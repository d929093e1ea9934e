"""A choice of a completion has a `delta` where its `message` should be.

A `delta` is a piece of a stream; an answer that was not streamed has a whole `message`.

## Why it matters
Clients read `choices[0].message`, find nothing there, and fail or show an empty answer.

## What to do
* As a server's author: Send a `message` in the answer to a request without streaming. A chunk whose `object` was
  changed to `chat.completion` is not a completion. A gateway that always requests streams from its upstream server has
  to fold the chunks first.
* As a client's user: Check that your request does not ask for a stream. If it does not, report the bug. Until it is
  fixed, read `delta` if there is no `message`.

## Bad
```json
{"object": "chat.completion", "choices": [{"index": 0, "delta": {"content": "Hello"}, "finish_reason": "stop"}]}
```

## Good
```json
{"object": "chat.completion", "choices": [{"index": 0, "message": {"content": "Hello"}, "finish_reason": "stop"}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Completion

RULE = Rule(
    severity=Severity.ERROR,
    replaces=("missing-property", "unknown-property"),
    sources=(
        Citation("API reference, the chat completion object: choices, message", "2026-04"),
        Citation("recorded OpenAI completions: a message in every choice", "2026-08"),
    ),
    needs=("delta",),
    hides_value=True,
)


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for the missing message of each choice that has a delta.

    A completion folded from a stream is not checked.
    """
    for choice in completion.choices if not completion.folded else ():
        if "delta" in choice.value and "message" not in choice.value:
            message = "a delta in place of the message; only chunks of a stream have a delta"
            yield Hit(message, (*choice.at, "message"), other_pointers=((*choice.at, "delta"),))
