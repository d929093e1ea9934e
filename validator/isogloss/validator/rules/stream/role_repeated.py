"""A choice of a stream names its role more than once.

OpenAI does this in one case only, which is not reported: the update that begins the audio of a spoken answer has the
role again.

## Why it matters
Clients that join the strings of a delta also join the roles. From two of them, openai-python's stream helper makes
`"assistantassistant"`, and a message with that role is refused when it is sent back.

## What to do
* As a server's author: Keep a flag for each choice, and send the role with its first delta only.
* As a client's user: Assign the role and do not append it. If a stream helper joins the roles, replace the role by
  `assistant` before you send the message back.

## Bad
```
data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"Hel"}}]}
data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"lo"}}]}
```

## Good
```
data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"Hel"}}]}
data: {"choices":[{"index":0,"delta":{"content":"lo"}}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter

from isogloss.validator.findings import Severity
from isogloss.validator.pointer import Pointer
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.streams.trace import Trace

RULE = Rule(
    severity=Severity.ERROR,
    repeats=True,
    sources=(
        Citation("recorded OpenAI streams: role on the first delta of a choice alone, except for audio", "2026-08"),
        Citation("openai (PyPI) 3.52.0, lib/streaming/_deltas.py", "2026-11"),
    ),
    needs=("unusual role",),
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for the roles that come after the first role of a choice.

    Equal roles share one hit, which has all their events. Roles beside audio are allowed. Empty roles are counted by
    `role-empty`.
    """
    for choice in trace.choices.values():
        repeated = [mark for mark in choice.roles if mark.value and isinstance(mark.value, str)][1:]
        if repeated and (spoken := [delta for delta in choice.deltas if isinstance(delta.delta.get("audio"), dict)]):
            beside_audio = {(one.event, *one.at) for one in spoken}
            repeated = [mark for mark in repeated if (mark.event, *mark.at[:2]) not in beside_audio]
        events_by_role: dict[tuple[Pointer, str], list[int]] = {}
        for place_and_role, marks in groupby(repeated, attrgetter("at", "value")):
            events_by_role.setdefault(place_and_role, []).extend([mark.event for mark in marks])
        for (at, role), events in events_by_role.items():
            message = "role is repeated; only the first delta of a choice has it"
            yield Hit(message, at, role, events[0], events=events)
