"""The same request ends with another finish reason, although the answers are of the same shape.

An error where the answers agree in having calls, or in having none, and their finish reasons still say different
things of that, or where one side uses a word that the reference does not have. A warning where one side gives no
reason at all. Where one answer is cut or filtered and the other is not, the model may have written more: a note, or a
warning if chance is unlikely.

## Why it matters
Agents go by the finish reason: where it says `stop` beside calls only when streaming, the tools run in every test
without streams and never in production.

## Who breaks
Users of Gemini's compatible endpoint
([googleapis/python-genai#2868](https://github.com/googleapis/python-genai/issues/2868)) and of LiteLLM
([BerriAI/litellm#12862](https://github.com/BerriAI/litellm/issues/12862)), where streams end with `stop` beside
calls.

## What to do
* As a server's author: Compute the finish reason in one function for streams and completions, from the whole answer.
* As a client's user: Look for calls in the answer whatever the finish reason says, and test with streaming on and
  off.

## Bad
```
not streamed: {"message":{"tool_calls":[…]},"finish_reason":"tool_calls"}
streamed:     {"delta":{"tool_calls":[…]}} … {"delta":{},"finish_reason":"stop"}
```

## Good
```
not streamed: {"message":{"tool_calls":[…]},"finish_reason":"tool_calls"}
streamed:     {"delta":{"tool_calls":[…]}} … {"delta":{},"finish_reason":"tool_calls"}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.quoting import shown
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.twinning import Answer, Twins, calls_of

__all__ = ["RULE", "check"]

RULE = Rule(
    name="twin-finish-differs",
    severity=Severity.ERROR,
    summary="The same request ends with another finish reason, although the answers are of the same shape.",
    since="0.1.0",
    sources=(
        Citation("API reference, the chat completion object: finish_reason", "2026-04"),
        Citation("https://github.com/googleapis/python-genai/issues/2868", "2026-08-25"),
    ),
)

_WHOLE = frozenset({"stop", "tool_calls", "function_call"})
_KNOWN = _WHOLE | {"length", "content_filter"}


def check(twins: Twins) -> Iterator[Hit]:
    """Yield a hit if no finish reason of the first choice occurs on both sides.

    Yield nothing if the difference comes from calls that only some answers have.
    """
    found = twins.apart(_reason)
    if found is None:
        return
    shapes = {bool(calls_of(one)) for side in (twins.left, twins.right) for one in side}
    severity: Severity | None
    if "" in found:
        severity = Severity.WARNING
    elif not _KNOWN.issuperset(found):
        severity = Severity.ERROR
    elif _WHOLE.issuperset(found):
        severity = Severity.ERROR if len(shapes) == 1 else None  # what the calls bring about, twin-calls-differ says
    else:
        severity = twins.sampled(cold=False)
    if severity is not None:
        left, right = (shown(reason or None) for reason in found)
        yield Hit(twins.both(left, right), ("choices", 0, "finish_reason"), severity=severity)


def _reason(answer: Answer) -> str | None:
    """Return the finish reason of the first choice: empty if it has none, ``None`` if there is no choice."""
    return (answer.choices[0].finish_reason or "") if answer.choices else None
