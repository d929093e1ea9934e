"""The body of an answer is a JSON object, but no completion.

It has none of the properties that tell a completion from other documents, such as `object`, `created`, `choices` and
`usage`; an `id` or a `model` alone is not enough. Or it has no `choices`, and is an answer of another API, such as the
Messages API of Anthropic. If a completion stands inside the object, this is reported by `completion-wrapped`.

## Why it matters
Clients read `choices`. The libraries of OpenAI do not refuse such a body: they return an object without choices, and
the program fails at the first use, without a word of what the server said.

## What to do
* As a server's author: Send a failure as `{"error": {…}}` with a status of 400 or above, and a completion for anything
  else.
* As a client's user: Check that `choices` is a list before you read it. If it is not, report the body as an error.

## Bad
```json
{"code": 500, "msg": "no capacity"}
```

## Good
```json
{"error": {"message": "no capacity", "type": "server_error", "param": null, "code": null}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.kinds.others import other_kind
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.completion._wrapped import pointer_of_wrapped
from isogloss.validator.views import OF_ANSWERS, Completion

RULE = Rule(
    severity=Severity.ERROR,
    replaces=("schema", "usage-absent"),
    reach="inside",
    sources=(
        Citation("API reference, the chat completion object", "2026-04"),
        Citation("recorded OpenAI answers: `object`, `created` and `choices` in 1,028 of 1,028", "2026-11"),
    ),
    needs=("no completion",),
)


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for a body without choices that is something else, and in which no completion stands."""
    value = completion.value
    if "choices" in value or pointer_of_wrapped(value):
        return
    if (other := other_kind(value)) is not None:
        yield Hit(f"the body is no completion: {other}", (), value)
    elif value.keys().isdisjoint(OF_ANSWERS):
        yield Hit("the body has no property of a completion", (), value)
