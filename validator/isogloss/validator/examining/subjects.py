"""List the subjects of an exchange, to count in how many exchanges a rule could find something.

Subjects are what rules are about. A rule could find something in an exchange that holds all of its subjects. These are
what its group looks at (a request, a stream, a completion, an answer with its request …), and those features in its
``needs`` that are no sign of the fault itself. For example, ``tool-call-unanswered`` could occur in requests whose
messages have tool calls, and ``usage-absent`` in every completion, not only in those without usage. Rules of the schema
could find something in every payload, because any payload may have a property too many.
"""

from __future__ import annotations

from functools import cache, lru_cache

from isogloss.validator import rules
from isogloss.validator.examining.contents import Contents
from isogloss.validator.examining.features import SIGNS

__all__ = ["needed_subjects", "printable_names", "subjects"]

_GROUPS: dict[str, tuple[str, ...]] = {
    "json": ("payload",),
    "schema": ("payload",),
    "wire": ("response",),
    "stream": ("stream",),
    "completion": ("completion",),
    "request": ("own request",),
    "pair": ("request", "response"),
    "twins": ("other answer to the request",),
    "dialect": (),
}
"""What each group looks at.

An ``own request`` is a request that is not wrong on purpose. Some requests of a probe are wrong on purpose. Only a
comparison has an ``other answer to the request``."""


@cache
def needed_subjects(rule: str) -> frozenset[str]:
    """Return the subjects that an exchange must hold so that the rule could find something in it."""
    if rules.group_of(rule) == rules.EXPECTED:
        return frozenset({rule})
    features = frozenset(rules.rule(rule).needs) - SIGNS
    wire_subjects = ("as sent",) if rules.is_about_wire(rule) else ()
    # a list of models is no answer to a completion request
    group_subjects = () if "models" in features else _GROUPS[rules.group_of(rule)]
    return features.union(group_subjects, wire_subjects)


@lru_cache(4096)
def subjects(contents: Contents) -> frozenset[str]:
    """Return the subjects that an exchange with these contents holds."""
    features = contents.features
    found = {*(features - SIGNS), *contents.expected}
    if "dumped" not in features:
        found.add("as sent")
    if "request" in features or ("response" in features and "text" not in features):
        found.add("payload")
    return frozenset(found)


def printable_names(needs: frozenset[str]) -> tuple[str, ...]:
    """Return the names of subjects for printing, sorted.

    Leave out the subject that every exchange has unless a client library wrote its payloads anew. An own request is
    printed as ``request``.
    """
    return tuple(sorted("request" if one == "own request" else one for one in needs - {"as sent"}))
