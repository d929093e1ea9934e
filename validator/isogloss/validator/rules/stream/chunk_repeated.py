"""A chunk of a stream is sent twice.

The rule is about chunks that bring several things which come once in a stream: the role of a choice, its finish reason,
the id, type and name of a call, the usage. If such a chunk comes again just as it was, this finding stands for those
about each of them. A chunk that brings only one of them is reported by the rule about it, such as `role-repeated`. A
chunk that brings only text is not reported, because text may repeat, unless its `obfuscation` shows that it is the same
chunk: that is a random text in each chunk. If one chunk holds such things twice, as two equal items of an array, this
finding stands for them, too.

## Why it matters
Clients join what they get: the name of the call becomes `get_weatherget_weather`, its arguments are two JSON objects,
and the usage is counted twice.

## What to do
* As a server's author: Look for a retry, or a buffer that is flushed twice. If a stream is taken up again after a lost
  connection, go on behind the last chunk that was sent.
* As a client's user: Leave out a chunk with a call if the same chunk came before. Do not do that with text, which may
  repeat on purpose.

## Bad
```
data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{…}}]}}]}
data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{…}}]}}]}
```

## Good
```
data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{…}}]}}]}
data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}}]}
```
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TypeAlias

from isogloss.validator.findings import Severity
from isogloss.validator.nesting import are_same
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.streams.trace import Mark, Trace

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("API reference, the chat completion chunk object", "2026-04"),
        Citation("recorded OpenAI streams: no chunk with a role, a call, a finish_reason or a usage twice", "2026-11"),
    ),
    replaces=(
        "role-repeated", "finish-reason-repeated", "usage-repeated", "tool-call-id-repeated", "tool-call-name-repeated",
        "tool-call-type-repeated", "arguments-concatenated", "arguments-not-json", "arguments-off-schema",
        "content-after-finish", "delta-after-finish",
    ),
    reach="answer",
    repeats=True,
)  # fmt: skip

_LEAST_OBFUSCATION = 6
"""Least length of a random text, in characters, that stands in one chunk only."""
_Comparison: TypeAlias = Callable[[int, int], bool]
"""Says whether two events of a stream are equal."""


def check(trace: Trace) -> Iterator[Hit]:
    """Yield one hit for all chunks that are sent again.

    One of them must bring several things that come once, or have an obfuscation.
    """
    again = [
        events
        for marks in _marks_of_what_comes_once(trace)
        if len(marks) > 1 and (events := [mark.event for mark in marks if mark.value])
    ]
    repeats: list[int] = []
    if _brings_several([event for events in again for event in events[1:]]):
        are_equal = _comparison(trace)
        repeats = [event for events in again for event in _repeats(events, are_equal)]
    repeated = sorted({*_obfuscated_repeats(trace), *(repeats if _brings_several(repeats) else ())})
    if repeated:
        has_twice = any(events_of_one[:1] == events_of_one[1:2] for events_of_one in again)
        message = "this chunk has a part twice" if has_twice else "this chunk came before, and is sent again"
        yield Hit(message, event=repeated[0], events=repeated)


def _brings_several(events: list[int]) -> bool:
    return len(set(events)) < len(events)


def _marks_of_what_comes_once(trace: Trace) -> Iterator[Sequence[Mark]]:
    yield trace.usages
    for choice in trace.choices.values():
        yield choice.roles
        yield choice.finishes
        for call in choice.called:
            yield call.ids
            yield call.types
            yield call.names


def _obfuscated_repeats(trace: Trace) -> list[int]:
    """Return the events of chunks that came before, by their obfuscation.

    Return none if different chunks have the same one: it is not random.
    """
    if not trace.chunks or "obfuscation" not in trace.chunks[0][1]:
        return []
    texts = [
        (text, event)
        for event, chunk in trace.chunks
        if isinstance(text := chunk.get("obfuscation"), str) and len(text) >= _LEAST_OBFUSCATION
    ]
    first_events = dict(reversed(texts))
    if len(first_events) == len(texts):
        return []
    found = [(first_events[text], event) for text, event in texts if first_events[text] != event]
    are_equal = _comparison(trace)
    return [event for _, event in found] if all(_repeats(events, are_equal) for events in found) else []


def _comparison(trace: Trace) -> _Comparison:
    """Return a function that compares two events. Those with many choices are compared once, not for each choice."""
    values = trace.stream.values
    return cache(lambda event, other: are_same(values[event], values[other]))


def _repeats(events: Sequence[int], are_equal: _Comparison) -> Sequence[int]:
    """Return the events after the first if all of them are equal to it; else they repeat something on purpose."""
    first, *others = events
    return others if all(are_equal(event, first) for event in others) else []
