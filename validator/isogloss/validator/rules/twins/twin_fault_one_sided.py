"""A rule about completions is broken by every answer of one side, and by none of the other.

The rules of the groups `completion` and `pair` read streams and completions alike, so what breaks them on one side
only is a fault of that side. Those about the form of a stream are left out, and so are notes. It is as severe as what
was found, but no error while both sides have so few answers that a model may have brought it about.

## Why it matters
A fault that only streams have points at the code that makes streams: nobody has to look for it in the model, the
template or the request.

## What to do
* As a server's author: Compare the code paths of the two sides; the page of the rule that the message names says what
  is wrong on the one side.
* As a client's user: Report the fault with both captures, which shows that the request is not to blame.

## Bad
```
not streamed: {"function":{"name":"get_weather","arguments":"{\\"city\\": \\"Paris\\"}"}}
streamed:     {"function":{"name":"get_weather","arguments":"{\\"city\\": \\"Paris"}}
```

## Good
```
not streamed: {"function":{"name":"get_weather","arguments":"{\\"city\\": \\"Paris\\"}"}}
streamed:     {"function":{"name":"get_weather","arguments":"{\\"city\\": \\"Paris\\"}"}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.pointer import ABSENT, Pointer, read
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.twinning import Twins

__all__ = ["RULE", "check"]

RULE = Rule(
    name="twin-fault-one-sided",
    severity=Severity.WARNING,
    summary="A rule about completions is broken by every answer of one side, and by none of the other.",
    since="0.1.0",
    sources=(Citation("the pages of the rules that its findings name", "2026-11"),),
)

_OF_A_SIDE = frozenset(
    {"answer-missing", "asked-usage-missing", "service-tier-absent", "usage-null-missing", "usage-unasked"}
)
"""Rules that do not read streams and completions alike: no chunk needs to say that content is null."""
_TOLD = frozenset(
    {
        "calls-with-stop",
        "choice-count-mismatch",
        "finish-reason-without-calls",
        "forced-call-missing",
        "logprobs-missing",
        "stop-with-tool-calls",
        "usage-absent",
    }
)
"""Rules whose one-sided faults other rules about twins tell."""


def check(twins: Twins) -> Iterator[Hit]:
    """Yield a hit for each rule that all answers of one side break and no answer of the other side breaks.

    Repeats are not compared. All answers must have choices.
    """
    if twins.by == "repeat" or not all(one.choices for side in (twins.left, twins.right) for one in side):
        return
    sides = [[set(one.faults) - _OF_A_SIDE - _TOLD for one in side] for side in (twins.left, twins.right)]
    always = [set.intersection(*side) for side in sides]
    ever = [set.union(*side) for side in sides]
    for has, lacks, side in ((0, 1, twins.left), (1, 0, twins.right)):
        for rule in sorted(always[has] - ever[lacks]):
            fault = side[0].faults[rule]
            other = (twins.right if side is twins.left else twins.left)[0].completion
            if fault.severity > Severity.NOTE and other is not None and _there(other.value, fault.pointer):
                severity = fault.severity if twins.sampled(cold=False) is Severity.WARNING else Severity.WARNING
                yield Hit(twins.only(rule, left=side is twins.left), fault.pointer, severity=severity)


def _there(completion: object, pointer: Pointer) -> bool:
    """Return whether a completion has the object in which a fault was found in another one.

    Only then could the rule find the fault in this completion, too.
    """
    around = pointer if pointer == ("usage",) else pointer[:-1]
    return read(completion, around) not in (ABSENT, None)
