"""Two tools of a request have the same name.

This is a warning: the reference says nothing about it, but a call identifies its tool by the name alone.

## Why it matters
A call with this name can mean either of the two. Servers that pass the request on to Anthropic or DeepSeek refuse it:
tool names must be unique.

## What to do
* As a server's author: Answer 400 and name the tool, so that the mistake shows before a call becomes ambiguous.
* As a client's user: Rename one of the two; with tools from several sources (MCP servers), prefix the name with that of
  the source.

## Bad
```json
{"tools": [{"type": "function", "function": {"name": "search"}}, {"type": "function", "function": {"name": "search"}}]}
```

## Good
```json
{"tools": [{"type": "function", "function": {"name": "search"}}, {"type": "function", "function": {"name": "open"}}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Request, repeated

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("API reference, the chat completion object: tool_calls name a tool by its name alone", "2026-04"),
        Citation("tailcallhq/forgecode#892: Anthropic refuses them, through gateways, too", "2025-06"),
        Citation("decolua/9router#3333: DeepSeek refuses them; GLM, MiniMax and Kimi accept them", "2026-08"),
    ),
    needs=("tools",),
    of_options=True,
)


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for each tool name that an earlier tool already has."""
    for tool in repeated(request.tools, lambda tool: tool.name):
        yield Hit("this name already belongs to another tool", tool.name_at, tool.name)
