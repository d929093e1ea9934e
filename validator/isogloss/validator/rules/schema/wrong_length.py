"""A string, array or object is shorter or longer than the reference allows.

## Why it matters
In a request, OpenAI answers with status 400. In a completion, this means `choices` without a choice, although every
client reads the first one.

## What to do
* As a server's author: Send at least one choice in every completion; if the model produced nothing, send a choice with
  empty content or an error with its status. Check the lengths in requests, such as four stop sequences, and answer 400.
* As a client's user: Shorten or fill the array or string in your request to the limit that the message names. Before
  you read `choices[0]` of an answer, test that there is one, and treat its absence as a failed call.

## Bad
```json
{"stop": ["a", "b", "c", "d", "e"]}
```

## Good
```json
{"stop": ["a", "b"]}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Rule

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("isogloss/schemas/openai/DECISIONS.md, decisions 18, 26 and 31", "2026-11"),
        Citation("OpenAPI document openai/openai-openapi@f85dbe2", "2026-08"),
    ),
)
