"""A request asks for something that the named dialect does not accept.

The rule is checked only with `--dialect SLUG`, and by `isogloss portability`. The OpenAI reference allows the request,
but the dialect's restrictions do not. If the server was seen to reject the property or value, this is an error. If the
server silently ignores it, or only the documentation says so, this is a warning.

## Why it matters
A request that works at OpenAI fails, or does something else, when it is sent to another server. It is cheaper to know
this before.

## What to do
* As a server's author: If your server accepts the parameter by now, correct the dialect's file with a source and a
  date. Refuse what you do not support with status 400 and the name of the parameter; do not ignore it.
* As a client's user: Remove or replace what the message names before you send the request to this server. `isogloss
  portability REQUEST` shows which other dialects accept it unchanged.

## Bad
With `--dialect groq`, whose documentation says that `logit_bias` is refused:
```json
{"model": "m", "messages": [{"role": "user", "content": "Hi"}], "logit_bias": {"1": 5}}
```

## Good
```json
{"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
```
"""

from __future__ import annotations

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Rule

RULE = Rule(
    severity=Severity.ERROR,
    sources=(Citation("the dialect's file: each restriction names its source", "2026-11"),),
)
