"""`tool_choice`, `parallel_tool_calls` or `function_call` is set, and there is nothing to call.

The first two need `tools`, and `function_call` needs `functions`, also beside `tools`: OpenAI answers 400, only allowed
when these are specified. The choice `none` is accepted, because it is what applies without tools. An empty `tools` is
accepted here, too: the rule `tools-empty` reports it.

## Why it matters
The request is refused. This happens in clients that leave out an empty list of tools, but not the options that belong
to it.

## What to do
* As a server's author: Answer 400, as OpenAI does, or ignore the option; do not force a call that has no tools to
  choose from.
* As a client's user: Leave out `tool_choice` and `parallel_tool_calls` wherever you leave out `tools`, and
  `function_call` wherever you leave out `functions`.

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

RULE = Rule(
    severity=Severity.ERROR,
    replaces=("deprecated-property",),
    sources=(
        Citation("writer/writer-framework#1013", "2025-07"),
        Citation("Upsonic/Upsonic#323", "2025"),
        Citation("Azure-Samples/azure-search-openai-demo#1175", "2024-01"),
        Citation("MeetKai/functionary@147bc97, tests/test_request_handling.py: function_call beside tools", "2026-11"),
    ),
    needs=("tool options",),
    of_options=True,
)


_NEEDED = {"tool_choice": "tools", "parallel_tool_calls": "tools", "function_call": "functions"}


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for each option that is set in a request without the tools or functions that it is about.

    The value `none` is accepted.
    """
    for option, needed in _NEEDED.items():
        value = request.value.get(option)
        if value is not None and value != "none" and request.value.get(needed) is None:
            yield Hit(f"{quote_name(option)} needs `{needed}`", (option,), value)
