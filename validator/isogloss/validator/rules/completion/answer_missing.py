"""A choice holds no answer: `content` is null, and nothing stands in its place.

OpenAI sends null content only beside tool calls, a function call, a refusal or audio. An answer that ends before its
first visible character, as when a reasoning model runs into the token limit, has the empty string. A choice that the
content filter stopped may be without any.

## Why it matters
`content` is what readers print, parse or measure. They check for tool calls and refusals, and then take a string for
granted.

## What to do
* As a server's author: Send the empty string as `content` when a model ends before its first visible character, and
  null only beside calls, a refusal or audio. Check whether the text went into a property of your own, such as
  `reasoning_content`.
* As a client's user: Read `content or ""`, and treat an empty answer as one to repeat or to report. With reasoning
  models, raise `max_completion_tokens`: the limit may have been used up before the answer began.

## Bad
```json
{"message": {"role": "assistant", "content": null, "refusal": null}, "finish_reason": "stop"}
```

## Good
```json
{"message": {"role": "assistant", "content": "", "refusal": null}, "finish_reason": "length"}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Completion

__all__ = ["RULE", "check"]

RULE = Rule(
    name="answer-missing",
    severity=Severity.WARNING,
    summary="A choice holds no answer: `content` is null, and nothing stands in its place.",
    since="0.1.0",
    sources=(
        Citation('recorded OpenAI answers: null only beside calls, refusals and audio; "" in 20 cut ones', "2026-08"),
    ),
    needs=("null-content",),
)

_INSTEAD = ("refusal", "tool_calls", "function_call", "audio")


def check(completion: Completion) -> Iterator[Hit]:
    """A hit on each null content of a choice that stopped by itself or by length, without anything in its place."""
    for choice in completion.choices:
        message = choice.message
        if choice.finish_reason not in ("stop", "length") or message.get("content", "") is not None:
            continue
        if not any(message.get(name) for name in _INSTEAD):
            yield Hit("content is null, and nothing stands in its place", (*choice.at, "message", "content"), None)
