"""A tool is called in another form than the request declares it in.

There are three forms:

* A tool of the type `function` in `tools` is called in `tool_calls`, with the type `function`.
* A tool of the type `custom` in `tools` is called in `tool_calls`, with the type `custom`.
* A function in the deprecated `functions` is called in `function_call`.

## Why it matters
A client reads only the form that it asked for. One that sent `tools` does not look at `function_call`, and takes the
answer for an empty text. One that declared a function reads `function.arguments`, and finds nothing in a custom call.

## Who breaks
Clients of gateways that translate between the old form and the new one in requests, and not in answers.

## What to do
* As a server's author: Answer `tools` with `tool_calls`, and `functions` with `function_call`. Give each call the type
  with which its tool is declared.
* As a client's user: Declare functions as `tools` of the type `function`. Every server knows this form best.

## Bad
```
{"tools":[{"type":"function","function":{"name":"get_weather"}}],…}

{"message":{"role":"assistant","content":null,"function_call":{"name":"get_weather","arguments":"{}"}}}
```

## Good
```
{"tools":[{"type":"function","function":{"name":"get_weather"}}],…}

{"message":{"role":"assistant","content":null,"tool_calls":[
  {"id":"call_1","type":"function","function":{"name":"get_weather","arguments":"{}"}}]}}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import chain

from isogloss.validator.findings import Severity
from isogloss.validator.quoting import quote_value
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.pairing import Pair
from isogloss.validator.views import Request, Tool

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("API reference, the chat completion object: message.tool_calls, message.function_call", "2026-04"),
        Citation("recorded OpenAI answers: each in the form of its request", "2026-11"),
    ),
    needs=("calls",),
    includes=("finish-reason-without-calls",),
)

_WORDS = {
    "custom": "a custom tool",
    "function": "a tool of the type function",
    "function_call": "one of the deprecated functions",
}


def check(pair: Pair) -> Iterator[Hit]:
    """Yield a hit for each call in a form that its tool is not declared in.

    Some servers send one call in both forms. Clients find theirs, so that is no fault here.
    """
    request = pair.request
    for choice in pair.choices:
        for call in choice.called if not (choice.calls and choice.function_call) else ():
            tool, form = request.declared.get(call.name or ""), str(call.inner_at[-1])
            if tool is None or form == _form(tool) or form in (forms := _forms(request)[call.name or ""]):
                continue
            words = " and ".join(sorted(_WORDS[one] for one in forms))
            yield Hit(
                f"{quote_value(call.name)} is declared as {words}, and called as {_WORDS[form]}",
                call.name_at,
                call.name,
                other_pointers=((*choice.at, "finish_reason"),),
            )


def _form(tool: Tool) -> str:
    """Return the form of the calls of a tool."""
    return "function_call" if tool.at[0] == "functions" else str(tool.inner_at[-1])


@lru_cache(maxsize=1)
def _forms(request: Request) -> dict[str, set[str]]:
    """Return the forms of the calls of all tools, by name: a request may declare a name several times."""
    forms: dict[str, set[str]] = {}
    for tool in chain(request.tools, request.declared.values()):
        if tool.name is not None:
            forms.setdefault(tool.name, set()).add(_form(tool))
    return forms
