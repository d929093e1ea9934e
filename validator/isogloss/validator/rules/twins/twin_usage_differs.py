"""The prompt tokens of the same request are counted differently.

The number of tokens of a prompt does not depend on what the model writes. The rule compares answers of the same model
whose number of prompt tokens is not 0. It skips requests that use tools of the server, such as a search, because the
results of these tools are counted, too. This is a warning between streams and completions. It is a note between
captures and between repeats, because the model and its template may have been replaced in the meantime.

## Why it matters
Programs compute costs and the room that is left in the context from this number, so these are wrong on one side.

## What to do
* As a server's author: Count the prompt once, after the template was applied, and use that number for streams, too.
* As a client's user: Do not compute costs from the smaller number; count the tokens yourself where it matters.

## Bad
```
not streamed: {"usage":{"prompt_tokens":52,"completion_tokens":9,"total_tokens":61}}
streamed:     {"usage":{"prompt_tokens":1,"completion_tokens":9,"total_tokens":10}}
```

## Good
```
not streamed: {"usage":{"prompt_tokens":52,"completion_tokens":9,"total_tokens":61}}
streamed:     {"usage":{"prompt_tokens":52,"completion_tokens":8,"total_tokens":60}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.quoting import quote_value
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.twinning import TwinAnswer, Twins
from isogloss.validator.views import Request, quantity

RULE = Rule(
    severity=Severity.WARNING,
    sources=(Citation("API reference, the chat completion object: usage.prompt_tokens", "2026-04"),),
)


def check(twins: Twins) -> Iterator[Hit]:
    """Yield a hit if no number of prompt tokens occurs on both sides, and all answers name the same model.

    Requests that use tools of the server are not compared.
    """
    models = {
        answer.completion.model
        for side in (twins.left, twins.right)
        for answer in side
        if answer.completion is not None
    }
    found = twins.disjoint_values(_prompt_tokens)
    if found is None or len(models) != 1 or (twins.request is not None and _uses_server_tools(twins.request)):
        return
    left, right = map(quote_value, found)
    severity = Severity.WARNING if twins.distinction == "stream" else Severity.NOTE
    yield Hit(twins.join_sides(left, right), ("usage", "prompt_tokens"), severity=severity)


def _uses_server_tools(request: Request) -> bool:
    """Return whether the server may add results of its own tools to the prompt."""
    declares_server_tool = any(tool.type not in ("function", "custom") for tool in request.tools)
    return declares_server_tool or any(
        request.value.get(name) is not None for name in ("web_search_options", "plugins")
    )


def _prompt_tokens(answer: TwinAnswer) -> int | None:
    usage = answer.completion.usage if answer.completion is not None else None
    return quantity(usage.get("prompt_tokens")) or None if usage is not None else None
