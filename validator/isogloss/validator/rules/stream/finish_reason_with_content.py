"""The chunk that finishes a choice still carries a part of its answer.

OpenAI finishes a choice with an empty delta. A part of the answer is text, a piece of a tool call or audio; an empty
string is not. If more of the answer comes later, the finish reason is not only on the wrong chunk but too early:
`content-after-finish` or `finish-reason-repeated` reports it.

## Why it matters
Clients that stop reading at the finish reason lose what comes with it: the last token of a text, or the end of a tool
call's arguments.

## Who breaks
Clients that take the finish for the end of the content, on vLLM
([vllm-project/vllm#35705](https://github.com/vllm-project/vllm/issues/35705),
[vllm-project/vllm#36944](https://github.com/vllm-project/vllm/pull/36944)); clients of Open WebUI's own API, which
finished each chunk of reasoning in August 2025
([open-webui/open-webui#16377](https://github.com/open-webui/open-webui/issues/16377)).

## What to do
* As a server's author: Send the last piece of the answer first, and then a chunk with an empty delta and the finish
  reason.
* As a client's user: Append the delta of a chunk before you look at its `finish_reason`.

## Bad
```
data: {"choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":"stop"}]}
```

## Good
```
data: {"choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}
data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.quoting import quote_name
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.streams.trace import Trace

RULE = Rule(
    severity=Severity.WARNING,
    catalogue=(49,),
    sources=(Citation("recorded OpenAI streams: the delta beside a finish_reason is empty", "2026-08"),),
    at_end=True,
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for the first finish reason of a choice if its delta carries the last part of the answer."""
    for choice in trace.choices.values():
        for mark, delta in zip(choice.finishes[:1], choice.finishing, strict=False):
            carried = delta.answer_property
            if carried is not None and not any(later.answer_property for later in choice.after):
                yield Hit(
                    f"finish_reason beside {quote_name(carried)}; OpenAI sends it on an empty delta",
                    mark.at,
                    mark.value,
                    mark.event,
                )
