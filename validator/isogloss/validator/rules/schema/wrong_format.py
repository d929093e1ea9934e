"""A string does not have the form that the reference demands.

For `id`, this is a note: OpenAI always sends the prefix `chatcmpl-`, but promises it nowhere.

## Why it matters
OpenAI rejects names of tools and schemas with characters outside of `[A-Za-z0-9_-]`, with status 400. Other servers
accept them. A few clients look for the prefix of the id.

## What to do
* As a server's author: Check names of tools and schemas against `[A-Za-z0-9_-]` when a request arrives, and refuse
  others with status 400, so that a program that works with you also works elsewhere. Begin ids of completions with
  `chatcmpl-` if you can.
* As a client's user: Rename the tool or schema in your request: replace spaces, dots and slashes by `_`. Treat the `id`
  of an answer as an opaque string, and do not test its prefix.

## Bad
```json
{"type": "function", "function": {"name": "get weather"}}
```

## Good
```json
{"type": "function", "function": {"name": "get_weather"}}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Rule

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("isogloss/schemas/openai/DECISIONS.md, decision 1", "2026-11"),
        Citation("openai (PyPI) 3.52.0, types/chat", "2026-11"),
    ),
    overwritten=("beginning",),
)
