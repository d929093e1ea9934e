"""There is no blank line between two events.

If there is none after the last of them either, at the end of the stream, that is the same fault. isogloss reads each
`data` line as an event of its own where each holds a whole chunk, an error or `[DONE]`, so that the chunks are checked.
It does the same where there is no line end either, as in `data: {…}data: {…}`. The rule is not about data that stand on
several lines, which `sse-multiline-data` reports. Nor is it about a stream without any blank line on a page, or in a
file with the name of a text (`.txt`, `.log`, `.out`): whoever copied the lines, or read them one by one, has left out
the blank ones.

## Why it matters
Only a blank line ends an event. A client that keeps to the standard joins the `data` lines up to the next blank line,
and gets several JSON values where it expects one: it raises, and the answer is lost. A client that takes each line for
an event does not notice, unless the line ends are missing, too. Such streams come from servers that write one line feed
too few, and from copies by hand or by a tool that removes blank lines.

## What to do
* As a server's author: Write two line feeds after each `data` line, also after the last one and after `[DONE]`.
* As a client's user: If the stream is a fixture, record it again, or put a blank line after each `data` line. Against a
  server that sends this, only a client that reads line by line works.

## Bad
```
data: {"id":"chatcmpl-1","choices":[]}
data: [DONE]
```

## Good
```
data: {"id":"chatcmpl-1","choices":[]}

data: [DONE]

```
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from isogloss.validator.exchange import Exchange
from isogloss.validator.findings import Severity
from isogloss.validator.rules import Hit, Rule
from isogloss.validator.rules.wire._response import EVENT_STREAM, framing_of
from isogloss.validator.streams.elided import elided_lines

RULE = Rule(
    severity=Severity.ERROR,
    sources=(EVENT_STREAM,),
    needs=("unusual framing",),
)


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit with all events that follow another one without a blank line between them.

    Where a copy has dots in place of a part, it has left out the blank line, too.
    """
    framing = framing_of(exchange)
    if framing is None or not framing.unseparated:
        return
    behind_dots = {bisect_left(framing.events.offsets, offset) for offset in elided_lines(exchange)}
    numbers = [number for number in framing.unseparated if number not in behind_dots]
    if numbers:
        yield Hit("no blank line before this event", event=numbers[0], events=numbers)
