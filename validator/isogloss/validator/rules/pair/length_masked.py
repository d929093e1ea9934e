"""An answer reached the limit of tokens, and its `finish_reason` does not say so.

There are exactly as many completion tokens as `max_completion_tokens` or `max_tokens` allows, and `finish_reason` is
`stop` or `tool_calls`. Only where a call's arguments are cut is that certain, and an error: an answer may end by itself
with its last token.

## Why it matters
`length` is how a client knows that half of an answer is missing. With `stop` it shows the half as the whole; with
`tool_calls` it runs a call whose arguments end in the middle.

## Who breaks
vLLM, which sets `tool_calls` whatever ended the answer
([vllm-project/vllm#53269](https://github.com/vllm-project/vllm/issues/53269),
[vllm-project/vllm#58228](https://github.com/vllm-project/vllm/issues/58228)).

## What to do
* As a server's author: Let `length` win over `stop` and `tool_calls` when the limit ended the answer, in streams too.
* As a client's user: Compare `completion_tokens` with your limit, and treat an answer that reached it as cut. Never run
  a call whose arguments do not parse.

## Bad
```
{"max_completion_tokens":10,…}

{"choices":[{"finish_reason":"tool_calls",…}],"usage":{"completion_tokens":10,…}}
```

## Good
```
{"max_completion_tokens":10,…}

{"choices":[{"finish_reason":"length",…}],"usage":{"completion_tokens":10,…}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator import jsontext
from isogloss.validator.findings import Severity
from isogloss.validator.pointer import Pointer
from isogloss.validator.quoting import shown
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.completion._texts import argument_texts
from isogloss.validator.rules.pairing import Pair
from isogloss.validator.views import Choice, integer

__all__ = ["RULE", "check"]

RULE = Rule(
    name="length-masked",
    severity=Severity.WARNING,
    summary="An answer reached the limit of tokens, and its `finish_reason` does not say so.",
    since="0.1.0",
    sources=(
        Citation("API reference, the chat completion object: finish_reason", "2026-04"),
        Citation("recorded OpenAI answers: length wherever the limit was reached", "2026-11"),
        Citation("https://github.com/vllm-project/vllm/issues/58228", "2026-09"),
    ),
    replaces=("arguments-not-json",),
    needs=("completion", "token limit", "usage"),
)

_ENDED = ("stop", "tool_calls", "function_call")


def check(pair: Pair) -> Iterator[Hit]:
    """Yield a hit for a finish reason that hides that the answer used all its tokens."""
    get = pair.request.value.get
    limit = integer(get("max_completion_tokens")) or integer(get("max_tokens"))
    if not limit or limit < 1 or pair.completion is None or pair.completion.usage is None:
        return
    choices = pair.completion.choices
    if len(choices) != 1 or integer(pair.completion.usage.get("completion_tokens")) != limit:
        return
    choice = choices[0]
    if choice.finish_reason in _ENDED:
        cut = tuple(_cut(choice))
        message = f"{shown(choice.finish_reason)} after {limit} tokens, which is the limit"
        if cut:
            message += "; the arguments are cut"
        severity = Severity.ERROR if cut else None
        yield Hit(message, (*choice.at, "finish_reason"), choice.finish_reason, severity=severity, places=cut)


def _cut(choice: Choice) -> Iterator[Pointer]:
    """Yield the pointers of arguments that end in the middle of their JSON."""
    for call, text in argument_texts(choice):
        if call.parsed is None and jsontext.scan(text.encode("utf-8", "surrogatepass")).cut(()):
            yield call.arguments_at
