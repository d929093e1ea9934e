"""The same request is answered with calls on one side, and with other calls or none on the other.

A model that is free to call a tool may decide differently each time. Then this is a note, or a warning if chance is
unlikely or the temperature is 0. It is an error if the model did not decide: if `tool_choice` demands a call, or if the
text of the answer without calls holds the call, with the name of a tool that the request declares. If the token limit
cut that text, it is a warning.

## Why it matters
"Tools only work without streaming" is one of the most frequent reports about local servers: the code that finds calls
in the text of a model exists twice, once for whole answers and once for streams.

## Who breaks
Users of mlx-serve, whose streams held no calls at all
([ddalcu/mlx-serve#287](https://github.com/ddalcu/mlx-serve/issues/287)), and of vLLM
([vllm-project/vllm#53269](https://github.com/vllm-project/vllm/issues/53269)).

## What to do
* As a server's author: Test the parser of calls twice with the same text: whole, and cut at every character. Streams
  and completions have to hold the same calls.
* As a client's user: If you need calls and streams lose them, send requests without streaming, and report the bug with
  both captures.

## Bad
```
not streamed: {"message":{"content":null,"tool_calls":[{"function":{"name":"get_weather",…},…}]}}
streamed:     {"delta":{"content":"<tool_call>{\\"name\\": \\"get_weather\\""}} …
```

## Good
```
not streamed: {"message":{"content":null,"tool_calls":[{"function":{"name":"get_weather",…},…}]}}
streamed:     {"delta":{"tool_calls":[{"index":0,"function":{"name":"get_weather",…},…}]}} …
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.quoting import count_of, quote_name
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.pairing import demand
from isogloss.validator.rules.twinning import TwinAnswer, Twins, calls_of

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("API reference, create chat completion: tool_choice", "2026-04"),
        Citation("ddalcu/mlx-serve#287", "2026-08"),
    ),
)

_POINTER = ("choices", 0, "message", "tool_calls")


def check(twins: Twins) -> Iterator[Hit]:
    """Yield a hit if all answers of one side have calls and no answer of the other side has any.

    Otherwise yield a hit if the sides never agree on the number of calls and their names.
    """
    found = twins.disjoint_values(lambda answer: bool(calls_of(answer)) if answer.choices else None)
    if found is not None:
        answers_without_calls = twins.right if found[0] else twins.left
        has_call_as_text = all(_has_call_as_text(twins, answer) for answer in answers_without_calls)
        cut = any(choice.finish_reason == "length" for answer in answers_without_calls for choice in answer.choices)
        is_error = (_demands_call(twins) or has_call_as_text) and not cut
        severity = Severity.ERROR if is_error else Severity.WARNING if has_call_as_text else twins.severity_if_sampled()
        if severity is not None:
            left, right = (count_of(len(calls_of(side[0])), "call") for side in (twins.left, twins.right))
            yield Hit(twins.join_sides(left, right), _POINTER, severity=severity)
        return
    names = twins.disjoint_values(lambda answer: tuple(sorted(call.name or "" for call in calls_of(answer))) or None)
    if names is not None and (sampled := twins.severity_if_sampled()) is not None:
        left, right = (_calls_text(side[0]) for side in (twins.left, twins.right))
        yield Hit(twins.join_sides(left, right), _POINTER, severity=sampled)


def _demands_call(twins: Twins) -> bool:
    return twins.request is not None and demand(twins.request).mode in ("required", "named")


def _has_call_as_text(twins: Twins, answer: TwinAnswer) -> bool:
    """Return whether a text of an answer names a declared tool in a way that only the JSON or markup of a call does."""
    tools = twins.request.declared if twins.request is not None else {}
    texts = [choice.content or "" for choice in answer.choices]
    return any(f'"{tool}"' in text or f"={tool}>" in text or f"{tool}(" in text for tool in tools for text in texts)


def _calls_text(answer: TwinAnswer) -> str:
    calls = calls_of(answer)
    return f"{count_of(len(calls), 'call')} of {', '.join(sorted({quote_name(call.name or '') for call in calls}))}"
