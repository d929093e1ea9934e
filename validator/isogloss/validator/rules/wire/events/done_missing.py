"""A stream ends without `data: [DONE]`.

OpenAI ends every stream with it. The rule does not apply in four cases: after an error, which ends a stream on many
servers; if the stream ends inside an event, which `event-truncated` reports; if it ends before its choices are
finished, which `finish-reason-missing` reports; and if the capture kept only the chunks.

## Why it matters
`[DONE]` tells a client that the answer is complete. Without it, clients wait until a timeout or report a broken
connection, or they cannot tell a whole answer from half of one. Some run the tools only when it comes.

## Who breaks
Hugging Face's benchmark counts streams of ik_llama.cpp as broken off
([ikawrakow/ik_llama.cpp#467](https://github.com/ikawrakow/ik_llama.cpp/issues/467)), the .NET client of Azure waits for
the end of TGI's
([huggingface/text-generation-inference#1896](https://github.com/huggingface/text-generation-inference/issues/1896)),
and Open WebUI for that of vllm-mlx, which kept the connection open, too
([waybarrios/vllm-mlx#101](https://github.com/waybarrios/vllm-mlx/issues/101)). Applications in browsers on MLC in 2023
([mlc-ai/mlc-llm#1300](https://github.com/mlc-ai/mlc-llm/issues/1300)), and clients of OmniRoute
([diegosouzapw/OmniRoute#6777](https://github.com/diegosouzapw/OmniRoute/issues/6777)).

## What to do
* As a server's author: Send `data: [DONE]` followed by a blank line after the last chunk of every stream that did not
  fail.
* As a client's user: Take the end of the body as the end of the stream, and use `finish_reason` to tell a whole answer
  from a cut one.

## Bad
```
data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}
```

## Good
```
data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

data: [DONE]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.exchange import Exchange, NotJson, Stream
from isogloss.validator.findings import Severity
from isogloss.validator.kinds.events import is_error
from isogloss.validator.rules import Citation, Hit, Rule

RULE = Rule(
    severity=Severity.ERROR,
    catalogue=(57,),
    sources=(
        Citation("API reference, create chat completion: stream_options", "2026-04"),
        Citation("recorded OpenAI streams: [DONE] ends all of them", "2026-08"),
    ),
    lacks="done",
    needs=("no [DONE]",),
)


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit for the last event of a stream without `[DONE]`.

    The stream must have been captured with its framing. The last event must be complete, and no event an error.
    """
    body = exchange.response
    if not isinstance(body, Stream) or body.framing is None or not body.values or NotJson.DONE in body.values:
        return
    last = body.framing.events[-1]
    failed = last.type == "error" or any(map(is_error, body.values))
    if last.complete and not failed:
        yield Hit("the stream ends without data: [DONE]", event=len(body.values) - 1)
