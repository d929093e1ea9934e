"""`NaN`, `Infinity` or `-Infinity` stands where JSON has no such number.

## Why it matters
Python's `json.dumps` writes them by default. The log probability of a token that cannot occur is minus infinity, so
they appear in `logprobs`, and only for some prompts. Python's own parser accepts them. The parsers of JavaScript, Go
and Rust reject the whole payload.

## What to do
* As a server's author: Replace infinite and undefined numbers before you serialise: OpenAI sends `-9999.0` as the log
  probability of an impossible token. Call `json.dumps` with `allow_nan=False`, so that the fault shows in your tests.
* As a client's user: Do not ask for `logprobs` where you do not need them, as they are the usual place. A lenient
  parser (Python's own, JSON5) reads such answers, but do not pass them on unchanged.

## Bad
```text
{"token": "a", "logprob": -Infinity}
```

## Good
```text
{"token": "a", "logprob": -9999.0}
```
"""

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Rule

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("RFC 8259, 6: numeric values that cannot be represented in the grammar are not permitted", "2017-12"),
        Citation(
            "openai (PyPI) 3.52.0, ChatCompletionTokenLogprob: -9999.0 signifies a token that is very unlikely",
            "2026-11",
        ),
    ),
)
