"""A property has a value on one side only, or goes by another name on the other.

This is a warning for log probabilities and usage that the request asks for, and for a text that has one name on one
side and another name on the other side. It is a note for other properties. Properties that only chunks have beside
their choices are not reported. Between repeats, which may be months apart, only the names of texts are compared. The
rule does not compare what the model decides (`content`, `tool_calls`, `refusal`, a text of reasoning on one side only).
A property that is null counts as missing.

## Why it matters
A client that reads `reasoning_content` finds it in completions and misses it in streams. Nobody notices until the
text is gone from the screen.

## What to do
* As a server's author: Fill streams and completions from one data type, so that a property that is added or renamed
  changes in both.
* As a client's user: Read the property by both names, and do not rely on a property that only one side has.

## Bad
```
not streamed: {"message":{"role":"assistant","content":"42","reasoning":"…"}}
streamed:     {"delta":{"reasoning_content":"…"}} … {"delta":{"content":"42"}}
```

## Good
```
not streamed: {"message":{"role":"assistant","content":"42","reasoning":"…"}}
streamed:     {"delta":{"reasoning":"…"}} … {"delta":{"content":"42"}}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from isogloss.validator.findings import Severity
from isogloss.validator.pointer import Pointer
from isogloss.validator.quoting import quote_name
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.pairing import asks_for_usage
from isogloss.validator.rules.twinning import TwinAnswer, Twins
from isogloss.validator.views import Request

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("API reference, the chat completion object and the chunk object", "2026-04"),
        Citation("vllm-project/vllm#27755", "2025-10"),
    ),
)

_MESSAGE: Pointer = ("choices", 0, "message")
_DECIDED = frozenset(
    {"annotations", "audio", "content", "function_call", "obfuscation", "refusal", "role", "tool_calls"}
)
"""Properties of a message whose presence the model decides, or that other rules compare."""


def check(twins: Twins) -> Iterator[Hit]:
    """Yield a hit for each property that all answers of one side have and no answer of the other side has.

    In a message, only a property that seems to have another name on the other side gets a hit. Between repeats, only
    messages are compared.
    """
    if not twins.have_choices:
        return
    for at in ((), ("choices", 0)) if twins.distinction != "repeat" else ():
        left, right = twins.one_sided(partial(_filled_names, at))
        if not at and twins.distinction == "stream":
            right &= {"usage"}  # other properties that only streams have may describe a chunk
        for property_name in sorted(left | right):
            severity = _severity(twins, (*at, property_name))
            if severity is not None:
                message = twins.on_one_side(quote_name(property_name), left=property_name in left)
                yield Hit(message, (*at, property_name), severity=severity)
    left, right = twins.one_sided(partial(_filled_names, _MESSAGE))
    if len(left - _DECIDED) == len(right - _DECIDED) == 1:
        (left_name,), (right_name,) = left - _DECIDED, right - _DECIDED
        message = twins.join_sides(quote_name(left_name), quote_name(right_name))
        yield Hit(message, (*_MESSAGE, right_name), severity=Severity.WARNING, other_pointers=((*_MESSAGE, left_name),))


def _filled_names(at: Pointer, answer: TwinAnswer) -> set[str]:
    """Return the names of the properties of an object whose values are neither null nor empty."""
    properties: Any = answer.completion.value if answer.completion is not None else {}
    if at:
        properties = answer.choices[0].message if at == _MESSAGE else answer.choices[0].value
    return {property_name for property_name, value in properties.items() if value not in (None, "", [], {})}


def _severity(twins: Twins, at: Pointer) -> Severity | None:
    options = twins.request.value if twins.request is not None else {}
    if at == ("usage",):
        streams = [answer for answer in (*twins.left, *twins.right) if answer.streamed]
        if not streams or (twins.request is not None and _every_stream_asks(streams)):
            return Severity.WARNING
        return None
    if at == ("choices", 0, "logprobs"):
        return Severity.WARNING if options.get("logprobs") is True else None
    return None if at in (("choices", 0, "finish_reason"), ("choices", 0, "message")) else Severity.NOTE


def _every_stream_asks(streams: list[TwinAnswer]) -> bool:
    requests = [answer.exchange.request.value for answer in streams if answer.exchange.request is not None]
    return bool(requests) and all(isinstance(value, dict) and asks_for_usage(Request(value)) for value in requests)
