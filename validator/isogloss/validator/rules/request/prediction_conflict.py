"""A request has a `prediction` beside an option that predicted outputs do not support.

OpenAI's guide lists these options: `n` above 1, `logprobs`, penalties above 0, audio, `max_completion_tokens` and
tools. The rule reads requests for OpenAI's models (`gpt-…`), since other vendors have other limits. This is a warning,
because no refusal of OpenAI was recorded.

## Why it matters
The request is refused, or the prediction is ignored and the answer is as slow as without it. The tokens of a prediction
are paid for in any case.

## What to do
* As a server's author: Answer 400 and name the option that `prediction` excludes, or document that you support both.
* As a client's user: Remove the option, or the prediction; `max_tokens` is not among the options that are excluded.

## Bad
```json
{"model": "gpt-4.1", "messages": [{"role": "user", "content": "Rename x to y."}],
 "prediction": {"type": "content", "content": "let x = 1;"}, "max_completion_tokens": 100}
```

## Good
```json
{"model": "gpt-4.1", "messages": [{"role": "user", "content": "Rename x to y."}],
 "prediction": {"type": "content", "content": "let x = 1;"}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.quoting import quote_name
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Request, number

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("guide on predicted outputs, limitations", "2026"),
        Citation("recorded requests that OpenAI answered: none of these beside a prediction", "2026-11"),
    ),
    needs=("prediction",),
    of_options=True,
)

_GREATEST = {"n": 1, "presence_penalty": 0, "frequency_penalty": 0}
"""Options that are supported up to a value."""

_UNSUPPORTED = ("logprobs", "audio", "max_completion_tokens", "tools", "functions")


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for each option that predicted outputs do not support, or not with its value."""
    get = request.value.get
    if not isinstance(get("prediction"), dict) or not request.model.startswith("gpt-"):
        return
    for name, greatest in _GREATEST.items():
        value = number(get(name))
        if value is not None and value > greatest:
            yield Hit(f"`prediction` does not support {quote_name(name)} above {greatest}", (name,), value)
    for name in _UNSUPPORTED:
        if get(name):
            yield Hit(f"`prediction` does not support {quote_name(name)}", (name,), get(name))
    if request.wants_audio:
        at = ("modalities", request.value["modalities"].index("audio"))
        yield Hit("`prediction` supports text only", at, "audio")
