"""The model reasons although `reasoning_effort` is `none`.

The answer has a text of reasoning, or its usage counts reasoning tokens.

## Why it matters
A caller switches reasoning off to get a short and cheap answer. Reasoning is paid for, delays the text, and uses up a
small token limit, so that the answer is cut off before its text begins.

## Who breaks
Agents that ask for concise answers: the limit was reached inside the thoughts
([raullenchai/Rapid-MLX#1009](https://github.com/raullenchai/Rapid-MLX/pull/1009)).

## What to do
* As a server's author: Switch the model's thinking off for `none`, for example by the variable of its template. Refuse
  the value with status 400 for a model that always reasons, as OpenAI does.
* As a client's user: Look for an option of the server that switches reasoning off, such as `chat_template_kwargs`, and
  set the token limit high enough for the thoughts until then.

## Bad
```
{"reasoning_effort":"none",…}

{"choices":[{"message":{"content":"4","reasoning_content":"2 and 2 is 4."}}]}
```

## Good
```
{"reasoning_effort":"none",…}

{"choices":[{"message":{"content":"4"}}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.completion._texts import REASONING, reasoning_of
from isogloss.validator.rules.pairing import Pair
from isogloss.validator.views import integer, obj

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("API reference, create chat completion: reasoning_effort, none does not perform reasoning", "2026-04"),
        Citation("ggml-org/llama.cpp#26045: support of none", "2026-07"),
        Citation("recorded answers of cerebras, doubleword, groq and mistral: no reasoning in any of 8", "2026-11"),
    ),
    needs=("completion", "reasoning_effort none"),
)


def check(pair: Pair) -> Iterator[Hit]:
    """Yield a hit for each text of reasoning, or else for a count of reasoning tokens above 0.

    Only answers to requests with the effort `none` are checked.
    """
    if pair.completion is None or pair.request.value.get("reasoning_effort") != "none":
        return
    has_text = False
    for choice in pair.completion.choices:
        text = reasoning_of(choice.message)
        if text:
            has_text = True
            name = next(name for name in REASONING if choice.message.get(name) == text)
            yield Hit("a text of reasoning, though the request switches it off", (*choice.at, "message", name), text)
    details = obj((pair.completion.usage or {}).get("completion_tokens_details")) or {}
    count = integer(details.get("reasoning_tokens"))
    if count and not has_text:
        at = ("usage", "completion_tokens_details", "reasoning_tokens")
        yield Hit("reasoning tokens, though the request switches reasoning off", at, count)
