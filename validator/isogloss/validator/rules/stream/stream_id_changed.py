"""The `id` changes within a stream.

Every chunk of a stream has the id of the one completion that it is a part of. An empty or missing id does not count as
a change: other rules report those. If a gateway asks another server in the middle of an answer, the id changes once,
with a new role there, or together with `created`, `model`, `system_fingerprint` or `service_tier`. Then this finding
stands for all of these changes. If a stream holds a few whole answers, each with an id of its own, it stands for all
that is found in none of them by itself.

## Why it matters
Clients put chunks together by the id. Clients that group by it make as many answers as there are ids. The helper of
openai-node takes a new id for a new request and then fails, because the first one was never finished.

## Who breaks
openai-go lost calls, finish and usage of oMLX 0.3.9, whose first chunk kept the connection alive under an id of its own
([jundot/omlx#1478](https://github.com/jundot/omlx/issues/1478)); goose shows one reply of GigaChat behind LiteLLM as
many messages ([BerriAI/litellm#38098](https://github.com/BerriAI/litellm/issues/38098)); the .NET and Go SDKs on
Foundry Local ([microsoft/foundry-local#144](https://github.com/microsoft/foundry-local/issues/144),
[microsoft/foundry-local#221](https://github.com/microsoft/foundry-local/issues/221)); clients of Open WebUI's own API
on models of Ollama ([open-webui/open-webui#23917](https://github.com/open-webui/open-webui/issues/23917)), and of
llama.cpp ([ggml-org/llama.cpp#5876](https://github.com/ggml-org/llama.cpp/issues/5876)) and LiteLLM
([BerriAI/litellm#1571](https://github.com/BerriAI/litellm/issues/1571)) in 2024.

## What to do
* As a server's author: Make the id once for a request, and keep it for all chunks, also when several workers or
  upstream servers take part.
* As a client's user: If you read one stream at a time, all chunks of the connection belong together: ignore the ids of
  later chunks. Stream helpers that group by id cannot be used with this server.

## Bad
```
data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"content":"Hel"}}]}
data: {"id":"chatcmpl-2","choices":[{"index":0,"delta":{"content":"lo"}}]}
```

## Good
```
data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"content":"Hel"}}]}
data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"content":"lo"}}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.streams.trace import Trace

RULE = Rule(
    severity=Severity.ERROR,
    catalogue=(4, 5),
    sources=(
        Citation("API reference, the chat completion chunk object: each chunk has the same id", "2026-04"),
        Citation("recorded OpenAI streams: one id in all of them", "2026-08"),
        Citation("openai/openai-node@00458ac, src/lib/ChatCompletionStream.ts", "2026-11"),
    ),
    needs=("changing envelope",),
    replaces=(
        "role-repeated", "stream-created-changed", "stream-model-changed", "stream-fingerprint-changed",
        "stream-tier-changed",
    ),
    reach="inside",
    includes=("wrong-format",),
)  # fmt: skip

_OTHERS = ("created", "model", "system_fingerprint", "service_tier")
"""The other properties that all chunks of an answer have alike."""


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for every chunk whose id is not that of the chunk before, or for the only one with another id.

    If the id changes once, and others of these properties with it or a role, the hit is about the whole chunk. The form
    of the id of a single chunk follows from its being another one.
    """
    marks = list(trace.changes("id"))
    form = (("id",),) if trace.odd_one("id") is not None else ()
    if len(marks) == 1 and (names := _change_with_id(trace, marks[0].event)):
        event = marks[0].event
        *others, last = ("id", *names)
        message = f"{', '.join(others)} and {last} differ here, as if another answer began"
        yield Hit(message, (), trace.stream.values[event], event, other_pointers=form)
        return
    for mark in marks:
        message = "the id differs here; all chunks of a stream have one id"
        yield Hit(message, mark.at, mark.value, mark.event, other_pointers=form)


def _change_with_id(trace: Trace, event: int) -> list[str]:
    """Return what changes at an event and nowhere else.

    A role is among it if it is the second one of a choice, and the choice goes on.
    """
    names = [name for name in _OTHERS if [mark.event for mark in trace.changes(name)] == [event]]
    has_role = any(
        [mark.event for mark in choice.roles][1:] == [event] and choice.deltas[-1].event > event
        for choice in trace.choices.values()
    )
    return [*names, "role"] if has_role else names
