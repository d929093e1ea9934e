"""`data:` is followed by its value without a space.

The space after the colon is optional: a reader drops one space if it is there.

## Why it matters
This is legal, but clients that look for the prefix `data: ` with its space skip each of these lines, and show an empty
answer without any error. Clients that look for `data: [DONE]` with its space take `[DONE]` for JSON, and fail when the
whole answer has come.

## Who breaks
openai-python of 2023 on servers built with Spring
([openai/openai-python#498](https://github.com/openai/openai-python/issues/498)); langchain_dart's clients for Anthropic
and Mistral until October 2025
([davidmigloz/langchain_dart#790](https://github.com/davidmigloz/langchain_dart/pull/790),
[davidmigloz/langchain_dart#791](https://github.com/davidmigloz/langchain_dart/pull/791)); nullclaw on Kimi Code and
Netcatty on AxonHub, which showed an empty answer
([nullclaw/nullclaw#509](https://github.com/nullclaw/nullclaw/pull/509),
[binaricat/Netcatty#3027](https://github.com/binaricat/Netcatty/pull/3027)).

## What to do
* As a server's author: Write `data: ` with one space, as OpenAI does.
* As a client's user: Split the line at the first colon, and drop one space after it if there is one.

## Bad
```
data:{"id":"chatcmpl-1"}
```

## Good
```
data: {"id":"chatcmpl-1"}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.exchange import Exchange
from isogloss.validator.findings import Severity
from isogloss.validator.quoting import count_of
from isogloss.validator.rules import Hit, Rule
from isogloss.validator.rules.wire._response import EVENT_STREAM, framing_of

RULE = Rule(
    severity=Severity.NOTE,
    catalogue=(58,),
    sources=(EVENT_STREAM,),
    needs=("unusual framing",),
)


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit for the first `data:` line without a space."""
    framing = framing_of(exchange)
    if framing is not None and framing.no_space:
        yield Hit(f"{count_of(len(framing.no_space), 'line')} with data: and no space", offset=framing.no_space[0])
