"""An answer speaks another dialect than that of its host.

The rule is checked only with `--dialect auto`: if the capture names the host, the host belongs to a dialect, and the
body surely speaks another one.

## Why it matters
Either the host is a gateway that passes on what it gets, or the vendor has changed its dialect, or the recording was
put together from two sources. In each case, the name of the host does not show what a client has to expect.

## What to do
* As a server's author: If your server really changed what it sends, the dialect's file is out of date: add the new
  facts with a source and a date. If you run a gateway, document whose answers it passes on.
* As a client's user: Find out who answered: look for a proxy in your base URL, and for a capture that was put together
  from two recordings. Write your client for the dialect of the body, and not for the name of the host.

## Bad
An answer from `api.deepseek.com` with `x_groq` and `usage.queue_time`.

## Good
An answer from `api.groq.com` with `x_groq` and `usage.queue_time`.
"""

from __future__ import annotations

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Rule

RULE = Rule(
    severity=Severity.NOTE,
    sources=(Citation("the dialects' files: hosts and facts", "2026-11"),),
)
