"""A rule about completions is broken by every answer of one side, and by none of the other.

The rules of the groups `completion` and `pair` check streams and completions in the same way. If only one side breaks
such a rule, the cause is on that side. Rules about the form of a stream are left out, and so are notes. The severity is
that of the broken rule, but at most a warning if the sides have so few answers that the model may be the cause.

## Why it matters
If only streams break a rule, the cause is in the code that makes streams. Nobody has to search the model, the template
or the request.

## What to do
* As a server's author: Compare the code paths of the two sides. The message names a rule, and the page of that rule
  explains what is wrong on the one side.
* As a client's user: Report the bug with both captures: they show that the request is not the cause.

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

from isogloss.validator import rules
from isogloss.validator.findings import Severity
from isogloss.validator.pointer import ABSENT, Pointer, read
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.twinning import Twins
from isogloss.validator.views import Completion

RULE = Rule(
    severity=Severity.WARNING,
    sources=(Citation("the pages of the rules that its findings name", "2026-11"),),
)

_NOT_COMPARABLE = frozenset(
    {"answer-missing", "asked-usage-missing", "service-tier-absent", "usage-null-missing", "usage-unasked"}
)
"""Rules that do not check streams and completions in the same way.

For example, no chunk needs to say that content is null.
"""
_REPORTED_BY_OTHERS = frozenset(
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
"""Rules for which another rule about twins reports that only one side breaks them."""


def check(twins: Twins) -> Iterator[Hit]:
    """Yield a hit for each rule that all answers of one side break and no answer of the other side breaks.

    Repeats are not compared. All answers must have choices.
    """
    if twins.distinction == "repeat" or not twins.have_choices:
        return
    left, right = twins.one_sided(lambda answer: set(answer.faults) - _NOT_COMPARABLE - _REPORTED_BY_OTHERS)
    for names, side, other_side in ((left, twins.left, twins.right), (right, twins.right, twins.left)):
        for rule in sorted(names):
            fault, other_completion = side[0].faults[rule], other_side[0].completion
            if (
                fault.severity > Severity.NOTE
                and other_completion is not None
                and _could_break(rule, other_completion, fault.pointer)
            ):
                severity = (
                    fault.severity if twins.severity_if_sampled(cold=False) is Severity.WARNING else Severity.WARNING
                )
                message = twins.on_one_side(f"`{rule}` is broken", left=side is twins.left)
                yield Hit(message, fault.pointer, severity=severity)


def _could_break(rule: str, completion: Completion, pointer: Pointer) -> bool:
    """Return whether a completion has what a rule needs that found a fault at a pointer in another one.

    It needs the object in which the fault was found, and some rules need the usage, wherever the fault is.
    """
    parent = pointer if pointer == ("usage",) else pointer[:-1]
    has_usage = completion.usage is not None or "usage" not in rules.rule(rule).needs
    return has_usage and read(completion.value, parent) not in (ABSENT, None)
