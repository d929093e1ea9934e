"""The first delta of a choice has no `role`.

OpenAI sends the role with the first delta of each choice. If the role comes later, this is a warning. If it never
comes, this is an error, unless the stream has no end: then nobody knows whether it would have come. A role of null
counts as none.

## Why it matters
The message that a client builds starts with its role. openai-node's stream helper throws if a choice has no role at the
end. Other clients build a message whose role is unknown.

## What to do
* As a server's author: Begin each choice with a delta that has `"role": "assistant"`, even if its content is empty. Do
  the same for answers that begin with a tool call.
* As a client's user: Start the message that you build with the role `assistant`, since no other role answers. Set it
  yourself before you send the message back in the next request.

## Bad
```
data: {"choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":null}]}
```

## Good
```
data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}
data: {"choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":null}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.pointer import ABSENT
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.gaps import OF_DELTA, Gap
from isogloss.validator.streams.trace import Trace

RULE = Rule(
    severity=Severity.ERROR,
    lacks="beginning",
    replaces=("null-value", "tool-call-name-missing"),
    reach="inside",
    includes=("null-value",),
    sources=(
        Citation("recorded OpenAI streams: role on the first delta of every choice", "2026-08"),
        Citation("openai/openai-node@00458ac, src/lib/ChatCompletionStream.ts", "2026-11"),
    ),
    needs=("unusual role",),
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for each choice whose first delta has no role.

    If it has a fragment of a call and not its beginning, one hit about the whole delta says both.
    """
    for choice in trace.choices.values():
        first = choice.deltas[0]
        role = first.delta.get("role", ABSENT)
        if isinstance(first.choice.get("delta"), dict) and (role is ABSENT or role is None):
            at, value, is_late = (
                (*first.at, "delta", "role"),
                role,
                any(mark.value is not None for mark in choice.roles),
            )
            is_over = bool(choice.finishes or choice.implied_finish) or trace.ended
            message = f"no delta of choice {choice.index} has a role"
            if not is_over:
                message = f"the first delta of choice {choice.index} has no role"
            late_message = "the role comes"
            begun_before = [
                call for call in choice.called if not call.begins and call.fragments[0].event == first.event
            ]
            if begun_before:
                at, value = at[:-1], first.delta
                is_late = is_late and all(call.strings("name") for call in begun_before)
                message += ", and its call has no id and name"
                late_message = "the role, and the id and name of the call, come"
            if is_late:
                message = f"{late_message} after the first delta, where OpenAI sends {'them' if begun_before else 'it'}"
            severity = Severity.WARNING if is_late or not is_over else None
            nulls = () if is_late else ((*first.at, "delta", "role"),)  # on all other chunks, too
            yield Hit(message, at, value, first.event, severity=severity, other_pointers=nulls)


def gaps(trace: Trace) -> Iterator[Gap]:
    """Yield the first deltas of choices that have neither a role nor anything of an answer."""
    for delta in (choice.deltas[0] for choice in trace.choices.values()):
        if not delta.delta.get("role") and delta.answer_property is None:
            yield Gap(delta.event, OF_DELTA)
