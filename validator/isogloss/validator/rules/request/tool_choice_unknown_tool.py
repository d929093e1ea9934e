"""`tool_choice` names a tool that the request does not declare.

The same applies to the deprecated `function_call` and `functions`. An allowed tool (`tool_choice.allowed_tools.tools`)
has its name inside `function` or `custom`, as in `tools`. Only the Responses API has it beside `type`.

## Why it matters
OpenAI refuses the request. Other servers call a tool that the client does not have.

## What to do
* As a server's author: Answer 400 and name the tool; do not fall back to `auto`.
* As a client's user: Compare the name with those of `tools`, and take it from the declaration of the tool instead of
  writing it twice.

## Bad
```json
{"tools": [{"type": "function", "function": {"name": "get_weather"}}],
 "tool_choice": {"type": "function", "function": {"name": "get_wether"}}}
```

## Good
```json
{"tools": [{"type": "function", "function": {"name": "get_weather"}}],
 "tool_choice": {"type": "function", "function": {"name": "get_weather"}}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.pointer import Pointer
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Request, Tool, items, obj

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("API reference, create chat completion: tool_choice and function_call", "2026-04"),
        Citation("recorded requests that OpenAI answered: a declared tool in all of them", "2026-08"),
        Citation("openai (PyPI) 3.57.0, types: the form of allowed tools in Chat Completions", "2026-11"),
    ),
    needs=("tool_choice", "tool_choice of an object"),
    of_options=True,
)

_TYPES = frozenset({"function", "custom"})


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for each name in `tool_choice`, or in its allowed tools, that no tool of the same type has.

    An allowed tool without a name is reported, too, since no schema says how it has to name its tool. Requests without
    tools are not checked. Nor is a name, if the request has a tool whose name cannot be read. The same applies to
    `function_call`.
    """
    if request.tools:
        yield from _unknown_tools(request)
    functions = [value.get("name") for _, value in items(request.value.get("functions"))]
    name = (obj(request.value.get("function_call")) or {}).get("name")
    if functions and isinstance(name, str) and name not in functions and not request.declares_unknown:
        yield Hit("no function of the request has this name", ("function_call", "name"), name)


def _unknown_tools(request: Request) -> Iterator[Hit]:
    types: dict[str | None, set[str]] = {}
    for tool in request.tools:
        types.setdefault(tool.name, set()).add(tool.type)
    for tool in _chosen_tools(request):
        if tool.name is None:
            if len(tool.at) > 1:
                yield Hit(f"an allowed tool without a name in `{tool.inner_at[-1]}`", tool.at, tool.value)
        elif not _may_be_of_type(tool.type, types.get(tool.name, set())) and not request.declares_unknown:
            yield Hit("no tool of the request has this name", tool.name_at, tool.name)


def _may_be_of_type(kind: str, types: set[str]) -> bool:
    """Return whether a chosen tool may be one of those with its name, of these types; an unknown type may be any."""
    return kind in types or (bool(types) and not _TYPES.issuperset({kind, *types}))


def _chosen_tools(request: Request) -> Iterator[Tool]:
    choice = obj(request.value.get("tool_choice"))
    if choice is None:
        return
    at: Pointer = ("tool_choice",)
    if choice.get("type") != "allowed_tools":
        yield Tool(choice, at)
        return
    allowed = obj(choice.get("allowed_tools")) or {}
    for position, tool in items(allowed.get("tools")):
        yield Tool(tool, (*at, "allowed_tools", "tools", position))
