"""`usage` counts no tokens of the answer, although there is one, or none of the prompt, or far too few.

All three counts are 0, or only that of the completion tokens or of the prompt tokens. Or the completion tokens are so
few that each would have to spell more than 256 bytes of content and arguments. In recordings, no token spells more than
26 bytes. A gateway that translates a stream may take such a count from an event that comes before the answer.

## Why it matters
Programs that use these counts for bills, limits or displays see no usage, and nobody notices.

## What to do
* As a server's author: Fill the counts from the engine that generated the answer, or leave `usage` out. Zeros are the
  default values of a type that no code has filled in.
* As a client's user: Treat three zeros as unknown, and exclude such answers from sums and limits, or count the tokens
  yourself.

## Bad
```json
{"choices": [{"message": {"content": "Hello"}}],
 "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}}
```

## Good
```json
{"choices": [{"message": {"content": "Hello"}}],
 "usage": {"prompt_tokens": 8, "completion_tokens": 2, "total_tokens": 10}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.completion._usage import COUNTS
from isogloss.validator.views import Choice, Completion, Json, quantity

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("API reference, the chat completion object: usage", "2026-04"),
        Citation("recorded OpenAI answers: all three counts above 0 in all of them", "2026-08"),
        Citation("recorded answers of 40 vendors: at most 26 bytes of content and arguments for each token", "2026-11"),
        Citation("anthropics/anthropic-sdk-python#424: 1, from the event that begins a stream", "2024-03"),
    ),
    needs=("low usage", "usage"),
    includes=("usage-total-mismatch",),
)

_LONGEST_TOKEN = 256
"""More bytes than any token spells."""


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for a usage of 0, or for one of its counts that is 0, if a choice has text or a call.

    If no count is 0, yield one for completion tokens that are too few.
    """
    usage = completion.usage
    if usage is None:
        return
    if not any(_is_zero(usage, name) for name in COUNTS[:2]):
        tokens, size = quantity(usage.get("completion_tokens")), sum(map(_size, completion.choices))
        if tokens is not None and size > tokens * _LONGEST_TOKEN:
            words = "1 completion token" if tokens == 1 else f"{tokens} completion tokens"
            yield Hit(f"{words} for {size:,} bytes of text", ("usage", "completion_tokens"), tokens)
        return
    if not any(map(_has_answer, completion.choices)):
        return
    if all(_is_zero(usage, name) for name in COUNTS):
        yield Hit("all counts are 0, though there is an answer", ("usage",), usage)
    elif _is_zero(usage, "completion_tokens"):
        if type(usage.get("prompt_tokens")) is int:
            yield _hit_of_zero("0 completion tokens, though there is an answer", "completion_tokens", usage)
    else:
        yield _hit_of_zero("0 prompt tokens, though every prompt has some", "prompt_tokens", usage)


def _hit_of_zero(message: str, name: str, usage: Json) -> Hit:
    """Return the hit of a count that is 0. A total that is more than the other count has the right number in it."""
    prompt, answer, total = (quantity(usage.get(count_name)) or 0 for count_name in COUNTS)
    other_pointers = (("usage", "total_tokens"),) if total > prompt + answer else ()
    return Hit(message, ("usage", name), 0, other_pointers=other_pointers)


def _is_zero(usage: Json, name: str) -> bool:
    return type(usage.get(name)) is int and usage[name] == 0


def _size(choice: Choice) -> int:
    texts = (choice.content, *(call.arguments for call in choice.called))
    return sum(len(one.encode("utf-8", "surrogatepass")) for one in texts if one)


def _has_answer(choice: Choice) -> bool:
    return bool(choice.content or choice.refusal or choice.calls or choice.function_call)
