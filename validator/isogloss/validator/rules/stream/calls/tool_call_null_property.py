"""A later fragment of a tool call has null for a property that it should leave out.

A fragment leaves out `id`, `type`, `function`, `name` and `arguments` if it does not bring them.

## Why it matters
Clients that copy the properties of a fragment overwrite what they know: the call loses its name and its id.

## Who breaks
dsh overwrites the name and calls an unknown tool, on OpenCode Zen
([anomalyco/opencode#43328](https://github.com/anomalyco/opencode/issues/43328)); opencodex 2.14 to 2.19 refused the
call, on SGLang ([lidge-jun/opencodex#1731](https://github.com/lidge-jun/opencodex/issues/1731)).

## What to do
* As a server's author: Leave out of later fragments what they do not bring; omit null properties in the serialiser of
  deltas.
* As a client's user: Copy from a fragment only what is not null, and append only strings to `arguments`.

## Bad
```json
{"tool_calls":[{"index":0,"id":null,"type":null,"function":{"name":null,"arguments":"{}"}}]}
```

## Good
```json
{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.quoting import quote_name
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.streams.trace import Mark, Trace

RULE = Rule(
    severity=Severity.ERROR,
    catalogue=(33,),
    replaces=("null-value",),
    includes=("tool-call-type-repeated",),
    sources=(
        Citation("API reference, the chat completion chunk object", "2026-04"),
        Citation("recorded OpenAI streams: later fragments have index and arguments alone", "2026-08"),
    ),
    about_wire=True,
    hides_value=True,
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for every null property of a fragment, except the first fragment of a call.

    Where later fragments have null arguments, those of the first one count, too.
    """
    for call in trace.calls:
        first = call.fragments[0]
        arguments_at = (*first.at, first.part, "arguments")
        nulls = call.nulls
        if first.function.get("arguments", "") is None and any(mark.at == arguments_at for mark in nulls):
            nulls = [Mark(first.event, arguments_at, None), *nulls]
        for mark in nulls:
            property_name = mark.at[-1]
            if property_name in ("id", "type", "function", "name", "arguments"):
                yield Hit(
                    f"null for {quote_name(str(property_name))}; OpenAI leaves it out where it has no value",
                    mark.at,
                    None,
                    mark.event,
                    other_pointers=((*mark.at[:5], "type"),),
                )
