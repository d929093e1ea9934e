"""An answer has the id of an earlier answer to another request.

Only a capture that has the ids of earlier answers (`earlier_ids`) can break this rule. The recordings of `isogloss
probe` have them. If a stream was asked for, and the answer is an earlier one that was no stream, it is an error: the
server sent that one twice, and every further answer on the connection goes to the wrong request.

## Why it matters
Stores, logs and user interfaces keep answers by their id. If the id is constant, or is made from the time in seconds, a
new answer overwrites an old one or is taken for a part of it.

## Who breaks
The store of completions of Llama Stack failed on a second answer with a known id: Ollama made ids of three digits
([ogx-ai/ogx#2315](https://github.com/ogx-ai/ogx/issues/2315)).

## What to do
* As a server's author: Make a new id for each answer, with enough random digits. If an answer comes
  twice on one connection, look for the code that writes it a second time.
* As a client's user: Keep answers under an id of your own.

## Bad
```
{"id":"chatcmpl-1",…}

{"id":"chatcmpl-1",…}
```

## Good
```
{"id":"chatcmpl-8fA2",…}

{"id":"chatcmpl-Qx91",…}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.exchange import Exchange, Payload
from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule

RULE = Rule(
    severity=Severity.WARNING,
    sources=(Citation("API reference, the chat completion object: id, a unique identifier", "2026-04"),),
    needs=("ids of earlier answers",),
    replaces=("stream-refused",),
    reach="answer",
)


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit if the id of a completion is among the ids of earlier answers."""
    body = exchange.response
    if isinstance(body, Payload) and body.kind == "completion" and isinstance(body.value, dict):
        answer_id = body.value.get("id")
        if isinstance(answer_id, str) and answer_id and answer_id in exchange.probe.earlier_ids:
            if exchange.asks_for_stream:
                message = "is an earlier answer again, which was no stream, in place of the answer to this request"
                yield Hit(message, severity=Severity.ERROR)
            else:
                yield Hit("has the id of an earlier answer to another request")
