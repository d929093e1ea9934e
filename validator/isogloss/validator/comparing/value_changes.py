"""Find changes in the words of the protocol, in the order of a stream, and in the rules that are broken."""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.comparing.change import Change
from isogloss.validator.comparing.observing import AnswerFact
from isogloss.validator.comparing.rates import Rate, differ_significantly, how_often
from isogloss.validator.comparing.tallies import Tally
from isogloss.validator.findings import Severity
from isogloss.validator.quoting import join_list

__all__ = ["fault_changes", "order_changes", "word_changes"]

_FEWEST_ANSWERS = 4
"""With fewer answers than this, a change of all finish reasons may come from the model, and not from the server."""


def word_changes(kind: str, before: Tally, after: Tally) -> Iterator[Change]:
    """Compare the words at each path that has some in both: those that are new, gone, or changed in rate."""
    for path, words_before in before.words.items():
        words_after = after.words.get(path)
        if words_after is None:
            continue
        new = sorted(words_after.keys() - words_before.keys())
        gone = sorted(words_before.keys() - words_after.keys())
        kept = sorted(words_before.keys() & words_after.keys())
        if not kept:
            message = f"was {join_list(sorted(words_before))}, is {join_list(sorted(words_after))}"
            fewest = min(before.paths[path], after.paths[path])
            may_be_chance = path.rpartition(".")[2] == "finish_reason" and fewest < _FEWEST_ANSWERS
            severity = Severity.NOTE if may_be_chance else Severity.WARNING
            yield _change("value", severity, kind, path, message, (gone, new), before, after)
            continue
        for word in (*new, *gone, *kept):
            rates = Rate(words_before[word], before.paths[path]), Rate(words_after[word], after.paths[path])
            is_significant = differ_significantly(*rates)
            if word in new:
                yield _change("new", Severity.NOTE, kind, path, f"{word} is new", ([], [word]), before, after)
            elif is_significant and word in gone:
                yield _change("gone", Severity.WARNING, kind, path, f"{word} is gone", ([word], []), before, after)
            elif is_significant:
                message = f"is {word} {how_often(*rates)}"
                yield _change("rate", Severity.WARNING, kind, path, message, ([word], [word]), before, after)


def _change(
    change: str, severity: Severity, kind: str, path: str, message: str, words: tuple[list[str], list[str]],
    before: Tally, after: Tally,
) -> Change:  # fmt: skip
    gone, new = words
    changed = {*gone, *new}
    rates = [Rate(sum(side.words[path][word] for word in changed), side.paths[path]) for side in (before, after)]
    if change == "value":
        rates = [Rate(side.paths[path], side.paths[path]) for side in (before, after)]
    was = before.fact_examples.get(AnswerFact(path, gone[0])) if gone else None
    now = after.fact_examples.get(AnswerFact(path, new[0])) if new else None
    return Change(change, severity, kind, path, message, rates[0], rates[1], was, now)


def order_changes(kind: str, before: Tally, after: Tally) -> Iterator[Change]:
    """Compare the order of each pair of marks that the streams of both recordings have.

    The opposite order is an error.
    """
    for pair, was in before.orders.items():
        now = after.orders.get(pair)
        if now is None or was.keys() & now.keys():
            continue
        first, second = pair
        message = f"{first} came {join_list(sorted(was))} {second}, and comes {join_list(sorted(now))} it"
        severity = Severity.WARNING if "with" in (*was, *now) else Severity.ERROR
        rates = [Rate(sum(orders.values()), side.answers) for orders, side in ((was, before), (now, after))]
        examples = before.order_examples[pair], after.order_examples[pair]
        yield Change("order", severity, kind, "", message, rates[0], rates[1], *examples)


def fault_changes(kind: str, before: Tally, after: Tally) -> Iterator[Change]:
    """Compare the rules that are broken.

    A rule that was not broken before has the severity of the rule, or a lower one if this may be chance. A rule that is
    not broken any more is a note. A rule is not compared if one of the recordings did not keep what it needs, such as
    the requests.
    """
    for fault in sorted({*before.faults, *after.faults}):
        was, now = before.fault_rate(fault), after.fault_rate(fault)
        if not was.of or not now.of:
            continue
        is_significant = differ_significantly(was, now)
        if not was.seen:
            severity = after.severities[fault]
            if not is_significant and now.seen < now.of / 2:
                severity = min(severity, Severity.WARNING)
            message = f"{fault.what} is new"
        elif not now.seen:
            severity, message = Severity.NOTE, f"{fault.what} is gone"
        elif is_significant:
            severity = Severity.WARNING if now.share > was.share else Severity.NOTE
            message = f"{fault.what} {how_often(was, now)}"
        else:
            continue
        examples = before.fact_examples.get(fault), after.fact_examples.get(fault)
        yield Change("fault", severity, kind, fault.path, message, was, now, *examples)
