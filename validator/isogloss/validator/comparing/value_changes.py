"""Changes of the words of the protocol, of the order of a stream, and of the rules that are broken."""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.comparing.change import Found
from isogloss.validator.comparing.observing import Fact
from isogloss.validator.comparing.rates import Rate, differ
from isogloss.validator.comparing.tallies import Tally
from isogloss.validator.findings import Severity
from isogloss.validator.quoting import listed

__all__ = ["fault_changes", "order_changes", "word_changes"]

_FEW = 4
"""Answers below which a model may have ended all of them otherwise."""


def word_changes(kind: str, before: Tally, after: Tally) -> Iterator[Found]:
    """Compare the words at each path that has some in both: those that are new, gone, or changed in rate."""
    for path, words in before.words.items():
        now = after.words.get(path)
        if now is None:
            continue
        new, gone = sorted(now.keys() - words.keys()), sorted(words.keys() - now.keys())
        if not words.keys() & now.keys():
            told = f"was {listed(sorted(words))}, is {listed(sorted(now))}"
            few = path.rpartition(".")[2] == "finish_reason" and min(before.paths[path], after.paths[path]) < _FEW
            severity = Severity.NOTE if few else Severity.WARNING
            yield _word("value", severity, kind, path, told, (gone, new), before, after)
            continue
        for word in (*new, *gone, *sorted(words.keys() & now.keys())):
            rates = Rate(words[word], before.paths[path]), Rate(now[word], after.paths[path])
            surely = differ(*rates)
            if word in new:
                yield _word("new", Severity.NOTE, kind, path, f"{word} is new", ([], [word]), before, after)
            elif surely and word in gone:
                yield _word("gone", Severity.WARNING, kind, path, f"{word} is gone", ([word], []), before, after)
            elif surely:
                often = "more often" if rates[1].share > rates[0].share else "less often"
                yield _word("rate", Severity.WARNING, kind, path, f"is {word} {often}", ([word], [word]), before, after)


def _word(
    change: str, severity: Severity, kind: str, path: str, told: str, words: tuple[list[str], list[str]],
    before: Tally, after: Tally,
) -> Found:  # fmt: skip
    gone, new = words
    either = {*gone, *new}
    rates = [Rate(sum(side.words[path][word] for word in either), side.paths[path]) for side in (before, after)]
    if change == "value":
        rates = [Rate(side.paths[path], side.paths[path]) for side in (before, after)]
    was = before.of_fact.get(Fact(path, gone[0])) if gone else None
    now = after.of_fact.get(Fact(path, new[0])) if new else None
    return Found(change, severity, kind, path, told, rates[0], rates[1], was, now)


def order_changes(kind: str, before: Tally, after: Tally) -> Iterator[Found]:
    """Compare the order of each two marks of a stream that both have: an error if it is turned round."""
    for pair, was in before.orders.items():
        now = after.orders.get(pair)
        if now is None or was.keys() & now.keys():
            continue
        first, second = pair
        told = f"{first} came {listed(sorted(was))} {second}, and comes {listed(sorted(now))} it"
        severity = Severity.WARNING if "with" in (*was, *now) else Severity.ERROR
        rates = [Rate(sum(side.values()), one.answers) for side, one in ((was, before), (now, after))]
        yield Found("order", severity, kind, "", told, rates[0], rates[1], before.of_order[pair], after.of_order[pair])


def fault_changes(kind: str, before: Tally, after: Tally) -> Iterator[Found]:
    """Compare the rules that are broken: as severe as the rule if that is new, a note where one is broken no more."""
    for fault in sorted({*before.faults, *after.faults}):
        was, now = Rate(before.faults[fault], before.answers), Rate(after.faults[fault], after.answers)
        surely = differ(was, now)
        if not was.seen:
            severity = after.severities[fault]
            if not surely and now.seen < now.of / 2:
                severity = min(severity, Severity.WARNING)
            told = f"{fault.what} is new"
        elif not now.seen:
            severity, told = Severity.NOTE, f"{fault.what} is gone"
        elif surely:
            more = now.share > was.share
            severity = Severity.WARNING if more else Severity.NOTE
            told = f"{fault.what} {'more' if more else 'less'} often"
        else:
            continue
        examples = before.of_fact.get(fault), after.of_fact.get(fault)
        yield Found("fault", severity, kind, fault.path, told, was, now, *examples)
