"""The arguments of a function call are an empty string.

OpenAI sends `{}` for a function without parameters. The rule also reports a stream that sends only empty fragments of
the arguments, and arguments of white space alone. If the tool has to have arguments, `arguments-off-schema` reports the
call instead. In a choice that was cut (`finish_reason` `length` or `content_filter`) the arguments are cut as well, so
the rule does not check them.

## Why it matters
An empty string is not JSON. A client that parses it raises, or answers the call with an error: the tool does not run,
and the model tends to make the same call again.

## Who breaks
SillyTavern ([SillyTavern/SillyTavern#4084](https://github.com/SillyTavern/SillyTavern/pull/4084)), AIChat
([sigoden/aichat#1217](https://github.com/sigoden/aichat/pull/1217)), Open WebUI
([open-webui/open-webui#23778](https://github.com/open-webui/open-webui/issues/23778)), OpenAI Agents SDK for JavaScript
([openai/openai-agents-js#664](https://github.com/openai/openai-agents-js/issues/664)).

## Who sends it
Databricks and OpenRouter with Claude ([simonw/llm#1164](https://github.com/simonw/llm/pull/1164),
[openai/openai-agents-js#499](https://github.com/openai/openai-agents-js/pull/499)), whose own API streams an empty
string for a tool without input ([tidyverse/ellmer#228](https://github.com/tidyverse/ellmer/issues/228)).

## What to do
* As a server's author: Send `{}` for a call without arguments. In a stream, send it as a fragment before the finish
  reason if no other fragment came.
* As a client's user: Read an empty string as `{}` before you parse the arguments, and check them against your schema as
  always.

## Bad
```json
{"name": "now", "arguments": ""}
```

## Good
```json
{"name": "now", "arguments": "{}"}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.completion.calls._arguments import whole_calls
from isogloss.validator.views import Completion

RULE = Rule(
    severity=Severity.WARNING,
    lacks="call",
    sources=(
        Citation("API reference, the chat completion object: tool_calls, function, arguments", "2026-04"),
        Citation("recorded OpenAI answers: {} in each finished call without arguments", "2026-11"),
        Citation("simonw/llm#1164", "2025-06"),
    ),
    needs=("unusual arguments",),
)


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for each arguments text of a finished choice that is empty."""
    for call, text in whole_calls(completion):
        if not text.strip():
            yield Hit("the arguments are empty; OpenAI sends {} for none", call.arguments_at, text)
