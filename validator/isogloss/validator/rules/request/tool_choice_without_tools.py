"""`tool_choice` or `parallel_tool_calls` is set, and there are no tools.

OpenAI answers 400: only allowed when `tools` are specified. The choice `none` is accepted, because it is what applies
without tools. An empty `tools` is accepted here, too: the rule `tools-empty` reports it.

## Why it matters
The request is refused. This happens in clients that leave out an empty list of tools, but not the options that belong
to it.

## What to do
* As a server's author: Answer 400, as OpenAI does, or ignore the option; do not force a call that has no tools to
  choose from.
* As a client's user: Leave out `tool_choice` and `parallel_tool_calls` wherever you leave out `tools`.

## Bad
```json
{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hi"}], "tool_choice": "auto"}
```

## Good
```json
{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hi"}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.quoting import quote_name
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Request

__all__ = ["RULE", "check"]

RULE = Rule(
    name="tool-choice-without-tools",
    severity=Severity.ERROR,
    summary="`tool_choice` or `parallel_tool_calls` is set, and there are no tools.",
    since="0.1.0",
    sources=(
        Citation("https://github.com/writer/writer-framework/pull/1013", "2025-07"),
        Citation("https://github.com/Upsonic/Upsonic/issues/323", "2025"),
    ),
    needs=("tool options", "no tools"),
)


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for each of the two options that is set in a request without `tools`.

    The value `none` is accepted.
    """
    if request.value.get("tools") is not None:
        return
    for option in ("tool_choice", "parallel_tool_calls"):
        value = request.value.get(option)
        if value is not None and value != "none":
            yield Hit(f"{quote_name(option)} needs `tools`", (option,), value)
