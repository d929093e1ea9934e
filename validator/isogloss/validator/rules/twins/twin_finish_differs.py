"""Answers of the same shape to the same request have different finish reasons.

This is an error if all answers have calls or all have none, and their finish reasons still disagree about calls. It is
also an error if one side uses a finish reason that the reference does not have. It is a warning if one side has no
finish reason at all. If one answer is cut or filtered and the other is not, the model may have written more: this is a
note, or a warning if chance is unlikely. Streams of OpenAI's audio models are not compared, since they leave out finish
reasons.

## Why it matters
Agents rely on the finish reason. If it is `stop` beside calls only when streaming, the tools run in every test without
streams and never in production.

## Who breaks
Users of Gemini's compatible endpoint
([googleapis/python-genai#2868](https://github.com/googleapis/python-genai/issues/2868)) and of LiteLLM, where streams
of Gemini, Cohere and o1-pro ended with `stop` beside calls
([BerriAI/litellm#12862](https://github.com/BerriAI/litellm/issues/12862),
[BerriAI/litellm#21041](https://github.com/BerriAI/litellm/issues/21041)): OpenCode and Cursor took the conversation for
finished.

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
from isogloss.validator.quoting import quote_value
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.twinning import TwinAnswer, Twins, calls_of
from isogloss.validator.views import is_audio_model

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("API reference, the chat completion object: finish_reason", "2026-04"),
        Citation("googleapis/python-genai#2868", "2026-08"),
    ),
)

_COMPLETE = frozenset({"stop", "tool_calls", "function_call"})
_KNOWN = _COMPLETE | {"length", "content_filter"}


def check(twins: Twins) -> Iterator[Hit]:
    """Yield a hit if no finish reason of the first choice occurs on both sides.

    Yield nothing if the difference comes from calls that only some answers have.
    """
    found = twins.disjoint_values(_finish_reason)
    if found is None:
        return
    have_calls = {bool(calls_of(answer)) for side in (twins.left, twins.right) for answer in side}
    severity: Severity | None
    if "" in found:
        severity = Severity.WARNING
    elif not _KNOWN.issuperset(found):
        severity = Severity.ERROR
    elif _COMPLETE.issuperset(found):
        severity = Severity.ERROR if len(have_calls) == 1 else None  # twin-calls-differ reports a difference in calls
    else:
        severity = twins.severity_if_sampled(cold=False)
    if severity is not None:
        left, right = (quote_value(reason or None) for reason in found)
        yield Hit(twins.join_sides(left, right), ("choices", 0, "finish_reason"), severity=severity)


def _finish_reason(answer: TwinAnswer) -> str | None:
    """Return the finish reason of the first choice: empty if it has none, ``None`` if there is no choice.

    It is ``None`` also for streams of OpenAI's audio models, which leave out finish reasons that other answers have.
    """
    if answer.streamed and answer.completion is not None and is_audio_model(answer.completion.model):
        return None
    return (answer.choices[0].finish_reason or "") if answer.choices else None
