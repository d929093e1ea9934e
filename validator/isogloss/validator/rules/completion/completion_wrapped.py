"""The completion is not the body of the answer, but stands inside another object.

The body itself has none of the properties that tell a completion from other documents, such as `object`, `created`,
`choices` and `usage`.

## Why it matters
Clients read `choices` of the body itself. The libraries of OpenAI do not refuse such a body: they return an object
without choices, and the program fails at the first use.

## Who breaks
Hermes Agent, CLIProxyAPI, OmniRoute, 9router and other gateways on the answers of `api.cline.bot`, which come as
`{"success": true, "data": {…}}`
([NousResearch/hermes-agent#63408](https://github.com/NousResearch/hermes-agent/issues/63408),
[router-for-me/CLIProxyAPI#4512](https://github.com/router-for-me/CLIProxyAPI/issues/4512),
[diegosouzapw/OmniRoute#6046](https://github.com/diegosouzapw/OmniRoute/pull/6046),
[decolua/9router#3387](https://github.com/decolua/9router/pull/3387)).

## What to do
* As a server's author: Send the completion itself as the body. What else there is to say belongs into headers, or into
  properties beside `choices`.
* As a client's user: If the body has no `choices`, look for the completion under `data`, `result` or `response`.

## Bad
```json
{"success": true, "data": {"id": "chatcmpl-1", "object": "chat.completion", "choices": [{"index": 0}]}}
```

## Good
```json
{"id": "chatcmpl-1", "object": "chat.completion", "choices": [{"index": 0}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.pointer import generic
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
        Citation("NousResearch/hermes-agent#63408", "2026-07"),
    ),
    needs=("no completion",),
)


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for a body that is no completion, but holds one."""
    if completion.value.keys().isdisjoint(OF_ANSWERS) and (pointer := pointer_of_wrapped(completion.value)):
        message = f"the completion is not the body itself, but stands in `{generic(pointer)}`"
        yield Hit(message, (), completion.value)
