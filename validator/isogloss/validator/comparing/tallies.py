"""Count what the answers of one recording show, with an example of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import NamedTuple, TypeAlias

from isogloss.validator import rules
from isogloss.validator.comparing.answers import ComparedAnswer
from isogloss.validator.comparing.change import Example
from isogloss.validator.comparing.observing import MARKS, AnswerFact, AnswerFeatures
from isogloss.validator.comparing.rates import Rate
from isogloss.validator.examining.subjects import needed_subjects, subjects
from isogloss.validator.findings import Severity

__all__ = ["AnswerWithFeatures", "Tally", "tally"]

AnswerWithFeatures: TypeAlias = tuple[ComparedAnswer, AnswerFeatures]

_RECORDED = frozenset({
    "request", "own request", "as sent", "status", "content type", "times of arrival", "ids of earlier answers",
    "expected status", "expected code",
})  # fmt: skip
"""The subjects that an exchange holds or lacks by its recorder, and not by its server."""
_WHOLE = "whole answer"
_GROUPS_OF_WHOLE = frozenset({"completion", "pair"})
"""Groups of rules that need a whole answer. An incomplete stream does not count in their rates."""


class Tally(NamedTuple):
    """Counts of what the answers of one kind show: each path, each type at a path, each word, fault and order of marks.

    ``answers`` is the number of all these answers. ``orders`` counts, for each pair of ``MARKS``, how often the first
    comes ``before``, ``with`` or ``after`` the second. ``examples`` holds the first answer with each path,
    ``fact_examples`` the first with each word or fault, and ``order_examples`` the first with each pair of marks.
    ``recorded`` counts the answers by those of their subjects that depend on the recorder, and by whether they are
    whole.
    """

    answers: int
    paths: Counter[str]
    types: dict[str, Counter[str]]
    words: dict[str, Counter[str]]
    faults: Counter[AnswerFact]
    severities: Mapping[AnswerFact, Severity]
    orders: dict[tuple[str, str], Counter[str]]
    examples: dict[str, Example]
    fact_examples: dict[AnswerFact, Example]
    order_examples: dict[tuple[str, str], Example]
    recorded: Counter[frozenset[str]]

    @property
    def has_dumped(self) -> bool:
        """Whether a client library wrote some of the answers anew."""
        return any("as sent" not in kept for kept in self.recorded)

    def fault_rate(self, fault: AnswerFact) -> Rate:
        """Return how many answers break a rule, of those whose recorder kept what the rule needs."""
        is_of_whole = rules.group_of(fault.what) in _GROUPS_OF_WHOLE
        needed = (needed_subjects(fault.what) & _RECORDED) | ({_WHOLE} if is_of_whole else set())
        seen = self.faults[fault]
        return Rate(seen, max(seen, sum(count for kept, count in self.recorded.items() if needed <= kept)))

    def rate(self, path: str) -> Rate:
        """Return how many answers have a property, of those that have the object around it."""
        return Rate(self.paths[path], self.container_count(path))

    def container_count(self, path: str) -> int:
        """Return how many answers have the object or array that holds the value at a path.

        The empty path is the whole payload, which all answers have.
        """
        return self.paths[parent(path)] if path else self.answers

    def types_at(self, path: str) -> frozenset[str]:
        """Return the types of the values at a path, without null."""
        return frozenset(self.types.get(path, ())) - {"null"}


def tally(looked: Iterable[AnswerWithFeatures]) -> Tally:
    """Count what some answers of one kind show."""
    severities: dict[AnswerFact, Severity] = {}
    found = Tally(0, Counter(), {}, {}, Counter(), severities, {}, {}, {}, {}, Counter())
    answers = 0
    for one, seen in looked:
        answers += 1
        found.recorded[(subjects(one.examined.contents) & _RECORDED) | ({_WHOLE} if seen.is_whole else set())] += 1
        for path, types in seen.types.items():
            found.paths[path] += 1
            found.types.setdefault(path, Counter()).update(types)
            found.examples.setdefault(path, Example(one, seen.at[path]))
        for word in seen.words:
            found.words.setdefault(word.path, Counter())[word.what] += 1
            found.fact_examples.setdefault(word, Example(one, seen.at[word.path]))
        for fault, severity in seen.faults.items():
            found.faults[fault] += 1
            severities[fault] = max(severity, severities.get(fault, severity))
            found.fact_examples.setdefault(fault, Example(one, seen.at.get(fault.path, ())))
        for pair in combinations((mark for mark in MARKS if mark in seen.order), 2):
            first, second = (seen.order[mark] for mark in pair)
            order = "before" if first < second else "with" if first == second else "after"
            found.orders.setdefault(pair, Counter())[order] += 1
            found.order_examples.setdefault(pair, Example(one))
    return found._replace(answers=answers)


def parent(path: str) -> str:
    """Return the path of the object or array that holds the value at a path; it is empty for the payload."""
    if path.endswith("[]"):
        return path[:-2]
    if path.endswith('"]'):
        return path[: path.rindex('["')]
    return path.rpartition(".")[0]
