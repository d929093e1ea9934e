"""The data of an event are neither JSON nor `[DONE]`.

The rules of the group `json` report JSON with a fault in it. This rule is about events in which nothing is JSON, and
about events without data. It also reports `data: data: {…}`, which servers send that wrap an upstream server's lines
into events of their own, JSON that is cut into several events, and an end of the stream that is spelt in another way
than `[DONE]`, even if that is JSON: `"[DONE]"`. `error-in-stream` reports an `error` event with plain text, and
`event-truncated` reports an event inside which the stream ends. White space before `[DONE]`, beside the one space that
belongs to the field, makes it something else.

## Why it matters
Clients parse the data of every event, and one event that is not JSON ends the whole answer. The `openai` package for
Python raises on it, on `data:` with nothing after it, and on two spaces before `[DONE]`. Keep-alives belong in comments
(`: ping`), which parsers skip.

## Who breaks
Hermes Agent and Omnigent, with the `openai` package for Python, on gateways that send `data:` with nothing behind it
([NousResearch/hermes-agent#111887](https://github.com/NousResearch/hermes-agent/issues/111887),
[omnigent-ai/omnigent#1474](https://github.com/omnigent-ai/omnigent/pull/1474)); Cline and Cherry Studio behind
CLIProxyAPI, which sent OpenRouter's comments as data
([router-for-me/CLIProxyAPI#942](https://github.com/router-for-me/CLIProxyAPI/issues/942)).

## What to do
* As a server's author: Write each chunk with a JSON serialiser, and send keep-alives as comments (`: ping`), and plain
  messages not at all or inside `{"error": {…}}`. Remove the field name from an upstream line before you make an event
  of it, and wait until the line is whole.
* As a client's user: Skip events whose data are empty or not JSON, and log them. A client that raises at them needs a
  filter in front of it, such as a custom transport.

## Bad
```
data: ping

data:
```

## Good
```
: ping
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from isogloss.validator.decode import decode_json
from isogloss.validator.exchange import Exchange, NotJson, Stream
from isogloss.validator.findings import Severity
from isogloss.validator.rules import ANYTHING, Citation, Hit, Rule

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("API reference, the chat completion chunk object: what each event holds", "2026-04"),
        Citation("openai (PyPI) 3.57.0, _streaming.py: json() of data that do not begin with [DONE]", "2026-11"),
    ),
    needs=("faulty events",),
    replaces=("json", "schema", "stream"),
    reach="inside",
    hides=ANYTHING,
)

_NO_WORD = rb"\\\\[nr]|[^A-Za-z]"
"""What may stand around the word of an end, or in it: anything but letters, and a line break that was escaped."""
_LONGEST_END = 40
_MOST_PARTS = 8
"""The most events into which the JSON of one chunk is cut."""


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit for each complete event whose data are missing or not JSON, and for JSON cut into several events.

    Yield one, too, for an end that is not spelt `[DONE]`, even if it is JSON. `[DONE]` is allowed. Events of the type
    `error` are left out.
    """
    body = exchange.response
    if not isinstance(body, Stream):
        return
    framed_events = body.framing.events if body.framing is not None else None
    runs = _events_of_one_json(framed_events.data, body) if framed_events is not None else []
    for run in runs:
        yield Hit("the JSON of this event goes on in the next event", event=run[0], events=run)
    reported = {number for run in runs for number in run}
    for number, value in enumerate(body.values):
        if number in reported or isinstance(value, dict):
            continue
        if framed_events is not None and (not framed_events[number].complete or framed_events[number].type == "error"):
            continue
        data = framed_events[number].data if framed_events is not None else b""
        if (value is not NotJson.DONE or data[:1].isspace()) if isinstance(value, NotJson) else _says_done(data):
            yield Hit(_message(value, data), event=number)


def _events_of_one_json(texts: Sequence[bytes], body: Stream) -> list[range]:
    """Return the numbers of the events into which a JSON text is cut, for each such text."""
    runs: list[range] = []
    for first in sorted(body.cut):
        if runs and first in runs[-1]:
            continue
        for last in range(first + 1, min(first + _MOST_PARTS, len(texts))):
            if last not in body.unsound:
                break
            if texts[last].rstrip().endswith(b"}") and decode_json(b"".join(texts[first : last + 1])) is not None:
                runs.append(range(first, last + 1))
                break
    return runs


def _says_done(data: bytes) -> bool:
    """Return whether data have no other word than "done"."""
    return len(data) <= _LONGEST_END and re.sub(_NO_WORD, b"", data).lower() == b"done"


def _message(value: object, data: bytes) -> str:
    """Say what is wrong with the data of an event; they are empty if the capture has no framing."""
    if value is NotJson.EMPTY:
        return "the event has no data"
    if value is NotJson.DONE:
        return "white space stands before [DONE]; clients take it for JSON that they cannot decode"
    if _says_done(data):
        return "the end of the stream is not spelt [DONE]; clients take it for a chunk that they cannot read"
    if data.startswith(b"data:"):
        return "the data of the event begin with `data:` again, and are not JSON"
    return "the data of the event are not JSON"
