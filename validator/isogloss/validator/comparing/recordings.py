"""Find what changed between two recordings of the same requests, with counts and severities.

=========  ======================================================================================================
severity   changes
=========  ======================================================================================================
note       something is new; or it is gone, but this may be chance
warning    something is gone, or its rate changed; a type is new beside the old types; a property is always null now
error      existing readers cannot read it any more: another type, another name, another order, another protocol
=========  ======================================================================================================

A rule that was not broken before, but is now, has the severity of the rule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from isogloss.validator.comparing.change import Change, Example
from isogloss.validator.comparing.observing import features_of
from isogloss.validator.comparing.pairing import Pairing
from isogloss.validator.comparing.property_changes import property_changes
from isogloss.validator.comparing.rates import Rate
from isogloss.validator.comparing.strata import Stratum, strata
from isogloss.validator.comparing.tallies import AnswerWithFeatures, tally
from isogloss.validator.comparing.value_changes import fault_changes, order_changes, word_changes
from isogloss.validator.findings import Severity

__all__ = ["Changes", "changes"]

_KINDS = ("completion", "stream", "error")


class Changes(NamedTuple):
    """The changes in the answers of one dialect and endpoint, the most severe first.

    ``before`` and ``after`` are the numbers of these answers in the two recordings.
    """

    stratum: Stratum
    before: int
    after: int
    changes: list[Change]


def changes(pairing: Pairing) -> list[Changes]:
    """Return what changed in the paired answers, by dialect and endpoint."""
    all_changes = []
    for stratum, groups in strata(pairing.groups).items():
        sides = [
            [[(answer, features_of(answer)) for answer in side] for side in (group.left, group.right)]
            for group in groups
        ]
        found = list(_protocol_changes(sides))
        before, after = ([answer for group in sides for answer in group[side]] for side in (0, 1))
        for kind in _KINDS:
            was, now = (tally(answer for answer in side if answer[1].kind == kind) for side in (before, after))
            if was.answers and now.answers:
                for find in (property_changes, word_changes, order_changes, fault_changes):
                    found += find(kind, was, now)
        found.sort(key=lambda one: -one.severity)
        all_changes.append(Changes(stratum, len(before), len(after), found))
    return all_changes


def _protocol_changes(groups: Sequence[Sequence[Sequence[AnswerWithFeatures]]]) -> Iterator[Change]:
    """Yield what the transport shows differently now.

    This is compared request by request. Equal changes are counted together. What one of the recordings did not keep,
    such as the status, is not compared.
    """
    counts: Counter[tuple[str, str, str]] = Counter()
    examples: dict[tuple[str, str, str], tuple[Example, Example]] = {}
    requests: Counter[str] = Counter()
    for left, right in groups:
        has_statuses = all("answer" in seen.protocol for side in (left, right) for _, seen in side)
        answer, unused = ("answer", "form") if has_statuses else ("form", "answer")
        forms = [{seen.protocol[answer] for _, seen in side} for side in (left, right)]
        # an answer of another form also has another content type: do not report that as well
        for name in left[0][1].protocol if forms[0] & forms[1] else (answer,):
            if name == unused:
                continue
            old, new = ({seen.protocol[name] for _, seen in side if name in seen.protocol} for side in (left, right))
            if new:
                requests[name] += 1
            if new and not old & new:
                key = name, " or ".join(sorted(old)), " or ".join(sorted(new))
                counts[key] += 1
                examples.setdefault(key, (Example(left[0][0]), Example(right[0][0])))
    for (name, was, now), count in counts.items():
        rate = Rate(count, requests[name])
        message = f"{'answer' if name == 'form' else name} was {was}, is {now}"
        severity = _severity(name, was, now)
        yield Change("protocol", severity, "exchange", "", message, rate, rate, *examples[name, was, now])


def _severity(name: str, was: str, now: str) -> Severity:
    """Return the severity of a change of the transport.

    It is an error, but a note if a stream ends as it should now, and a warning if a refusal has become something else.
    """
    if name == "[DONE]" and now == "sent":
        return Severity.NOTE
    return Severity.WARNING if was.startswith("an error") else Severity.ERROR
