r"""The input of a custom call does not match the regular expression of its tool.

The tool's `format` is a grammar with the syntax `regex`. The rule reports an input in which the expression matches
nothing, not even a part. It skips what its engine may read in another way than the one of OpenAI: expressions with
flags such as `(?s)`, and inputs with other characters than ASCII. It also skips grammars in Lark, and calls that were
cut.

## Why it matters
OpenAI holds the model to the grammar, so callers pass the input on without a check: to a database, a shell, a parser of
dates.

## What to do
* As a server's author: Constrain the decoding of a custom call by its grammar, or refuse a tool that has one with
  status 400.
* As a client's user: Match the input against your grammar before you use it, and return the mismatch as the result of
  the tool.

## Bad
```
{"type":"custom","custom":{"name":"at","format":{"type":"grammar","grammar":{"syntax":"regex","definition":"^\\d{2}:\\d{2}$"}}}}

{"id":"call_1","type":"custom","custom":{"name":"at","input":"at noon"}}
```

## Good
```
{"type":"custom","custom":{"name":"at","format":{"type":"grammar","grammar":{"syntax":"regex","definition":"^\\d{2}:\\d{2}$"}}}}

{"id":"call_1","type":"custom","custom":{"name":"at","input":"12:00"}}
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.foreign_schemas import ForeignSchema, WorkBudget, read
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.pairing import Pair, ended_by_itself
from isogloss.validator.views import Tool, obj

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("API reference, create chat completion: tools, custom, format: a grammar", "2026-04"),
        Citation("guide on function calling, context-free grammars: constrain the input to a grammar", "2025-08"),
    ),
    needs=("calls",),
)

_FLAGS = r"\(\?[a-zA-Z-]+[):]"
"""Flags in a regular expression, such as ``(?s)`` and ``(?i:``; names of groups are none."""


def check(pair: Pair) -> Iterator[Hit]:
    """Yield a hit for the input of each custom call in which the expression of its tool matches nothing."""
    tools = pair.request.declared
    budget = WorkBudget()
    for choice in pair.choices:
        for call in choice.calls if ended_by_itself(choice) else ():
            tool = tools.get(call.name or "")
            if call.type != "custom" or call.arguments is None or tool is None:
                continue
            expression = _expression(tool)
            is_plain = call.arguments.isascii() and "\r" not in call.arguments
            schema = read({"pattern": expression}) if expression is not None and is_plain else None
            if isinstance(schema, ForeignSchema) and schema.mismatch(call.arguments, budget) is not None:
                yield Hit("the input does not match the tool's regular expression", call.arguments_at, call.arguments)


def _expression(tool: Tool) -> str | None:
    """Return the regular expression that is the grammar of a custom tool; ``None`` if it has none."""
    form = obj((obj(tool.value.get("custom")) or {}).get("format")) or {}
    grammar = obj(form.get("grammar")) or {}
    definition = grammar.get("definition")
    if grammar.get("syntax") != "regex" or not isinstance(definition, str) or re.search(_FLAGS, definition):
        return None
    return definition
