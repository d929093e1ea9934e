"""The arguments of one call are two JSON objects, one behind the other.

## Why it matters
The arguments do not parse. In a stream, each fragment looks right by itself: the server sends a whole object with every
chunk, or sends `{}` first and the arguments after it. A client joins all fragments of one call.

## Who sends it
xAI's grok-code-fast-1
([superagent-ai/grok-cli#65](https://github.com/superagent-ai/grok-cli/issues/65)).

## What to do
* As a server's author: Send each part of the arguments once. Do not send `{}` while the arguments are not known yet,
  and give each of several calls its own `index`.
* As a client's user: Use the last whole object of such arguments, but only if the other objects are equal to it or
  empty. Otherwise answer the call with an error.

## Bad
```json
{"name": "ls", "arguments": "{\\"path\\":\\".\\"}{\\"path\\":\\".\\"}"}
```

## Good
```json
{"name": "ls", "arguments": "{\\"path\\":\\".\\"}"}
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.completion._texts import argument_texts, parse_json
from isogloss.validator.views import Completion

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("API reference, the chat completion object: tool_calls, function, arguments", "2026-04"),
        Citation("recorded OpenAI answers: one object in all arguments that are whole", "2026-11"),
        Citation("superagent-ai/grok-cli#65", "2026-05"),
    ),
    needs=("unusual arguments",),
    replaces=("arguments-not-json",),
    lacks="call",
)

_BOUNDARY = re.compile(r"\}\s*\{")
_MOST_BOUNDARIES = 8


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for each arguments text that begins with a whole JSON object, and has another one behind it."""
    for call, text in argument_texts(completion):
        if call.parsed is not None:
            continue
        boundaries = islice(_BOUNDARY.finditer(text), _MOST_BOUNDARIES)
        ends = (boundary.start() for boundary in boundaries)
        end = next((end for end in ends if isinstance(parse_json(text[: end + 1]), dict)), None)
        if end is not None:
            message = "one whole JSON object, and another one behind it"
            yield Hit(message, call.arguments_at, text, character=text.index("{", end))
