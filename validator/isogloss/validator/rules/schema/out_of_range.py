"""A number lies outside the range that the reference allows.

## Why it matters
In a request, OpenAI answers with status 400. In an answer, these numbers are counts, indexes and times below zero or
too large for 64 bits, which do not fit into the integers of clients.

## What to do
* As a server's author: In an answer, look for a number that was never set, subtracts too much, or has overflowed:
  counts, indexes and times are never below zero, and fit into 64 bits. In a request, refuse the value with status 400
  and name the parameter, as OpenAI does.
* As a client's user: Bring the parameter of your request into the range that the message names. Another server may
  accept a wider range; keep to the range of the reference if the request is to work elsewhere.

## Bad
```json
{"temperature": 3}
```

## Good
```json
{"temperature": 1}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Rule

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("isogloss/schemas/openai/DECISIONS.md, decisions 9, 25 and 26", "2026-11"),
        Citation("OpenAPI document openai/openai-openapi@f85dbe2", "2026-08"),
    ),
    hides_value=True,
)
