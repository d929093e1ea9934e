"""The name of a tool call's function stands on more than one of its fragments.

## Why it matters
Clients that join the strings of a delta also join the names: from two of them, openai-python's stream helper makes
`"ff"`, and no such function exists. Other clients begin a new call at each name.

## Who breaks
Clients of llama.cpp in May 2025 ([ggml-org/llama.cpp#13774](https://github.com/ggml-org/llama.cpp/issues/13774))
and of vLLM ([vllm-project/vllm#18412](https://github.com/vllm-project/vllm/issues/18412)).

## What to do
* As a server's author: Send the name with the first fragment of a call only.
* As a client's user: Assign the name and do not append it, and find the call by `index`.

## Bad
```json
{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"f","arguments":""}}]}
{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{}"}}]}
```

## Good
```json
{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"f","arguments":""}}]}
{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.completion._texts import parse_json
from isogloss.validator.rules.gaps import OF_CALL, Gap
from isogloss.validator.streams.trace import CallTrace, Trace

RULE = Rule(
    severity=Severity.ERROR,
    catalogue=(39, 40),
    sources=(
        Citation("recorded OpenAI streams: the name stands on the first fragment alone", "2026-08"),
        Citation("openai (PyPI) 3.52.0, lib/streaming/_deltas.py", "2026-11"),
    ),
    replaces=("tool-undeclared",),
    includes=("tool-call-id-repeated", "tool-call-type-repeated"),
    reach="answer",
    repeats=True,
)

_MOST_TRIES = 8
"""How often it is tried whether arguments are whole, before they are."""


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for every name after the first of a call, also of one in the form of `function_call`.

    If the arguments begin again with it, behind whole ones, it is the name of another call, which has no index or no id
    of its own.
    """
    for call in trace.called:
        marks = [mark for mark in call.names if mark.value and isinstance(mark.value, str)]
        events_of_other_calls = _beginnings(call) if len(marks) > 1 else []
        for mark in marks[1:]:
            message = "the name is repeated; only the first fragment of a call has it"
            if mark.value != marks[0].value:
                message = "another name than before, or a part of it; the first fragment of a call has the whole name"
            if mark.event in events_of_other_calls:
                message = "the name is repeated, and whole arguments with it; another call needs an id and an index"
            beside = tuple((*mark.at[:-2], name) for name in ("id", "type"))
            yield Hit(message, mark.at, mark.value, mark.event, other_pointers=beside)


def gaps(trace: Trace) -> Iterator[Gap]:
    """Yield the fragments that begin another call under the index of one that was whole."""
    return (Gap(event, OF_CALL) for call in trace.called for event in _beginnings(call))


def _beginnings(call: CallTrace) -> list[int]:
    """Return the events of fragments that bring a name, and begin arguments anew behind whole ones."""
    events: list[int] = []
    pieces: list[str] = []
    tries = 0
    for fragment in call.fragments:
        text = fragment.function.get("arguments")
        if not text or not isinstance(text, str):
            continue
        may_begin = pieces and text.startswith("{") and fragment.function.get("name") and pieces[-1].endswith("}")
        if may_begin and tries < _MOST_TRIES:
            tries += 1
            if isinstance(parse_json("".join(pieces)), dict):
                events.append(fragment.event)
                pieces, tries = [], 0
        pieces.append(text)
    return events
