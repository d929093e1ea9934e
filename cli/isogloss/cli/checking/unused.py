"""Say which settings had no effect on a run: paths at which nothing was found. They may be misspelt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from isogloss.cli.checking.mapping_use import MappingUse
from isogloss.cli.checking.summary import Run
from isogloss.validator.captures.mapping import Mapping as RecordMapping
from isogloss.validator.exchange import Kind
from isogloss.validator.suggesting import closest

if TYPE_CHECKING:
    from isogloss.validator.examining.expectations import Expectation  # few runs have any

__all__ = ["unused_expectations", "unused_kind", "unused_limits", "unused_mappings"]


def unused_mappings(uses: Mapping[RecordMapping, MappingUse], *, is_whole: bool) -> Iterator[str]:
    """Yield a message for each path of a mapping at which no record has anything.

    ``is_whole`` says that all files were checked for which the mappings are made. Otherwise only those count by which
    some record was read.
    """
    for mapping, use in uses.items():
        if is_whole or use.is_used:
            yield from use.unfound(mapping)


def unused_kind(run: Run, kind: Kind | None) -> Iterator[str]:
    """Yield a message if the user gave the kind of all payloads, and none of those that were read has it."""
    if kind is not None and run.exchanges and not run.payloads.get(kind):
        yield f"--kind {kind} had no effect: the captures show the kind of each payload"


def unused_limits(run: Run) -> Iterator[str]:
    """Yield a message for each limit of a rate whose rule could have found nothing in any exchange."""
    for rule in run.settings.limits if run.exchanges else ():
        if not run.rates.rate_of(rule).of:
            yield f"--fail-on-rate {rule}: no exchange holds what the rule is about"


def unused_expectations(run: Run, expectations: Iterable[Expectation], *, is_whole: bool) -> Iterator[str]:
    """Yield a message for each expectation at whose path no payload has a value, unless the reference has this path.

    ``is_whole`` says that all files were checked for which the expectations are made. Otherwise only those count whose
    path is similar to one of the reference.
    """
    kinds = {kind for kind, count in run.payloads.items() if count} | ({"completion"} if run.streams else set())
    for expectation in expectations:
        rule = expectation.rule
        seen = [contents for contents in run.rates.seen if contents.active is None or rule in contents.active]
        if not seen or expectation.kind not in kinds or any(rule in contents.expected for contents in seen):
            continue
        from isogloss.cli.checking.reference import tree  # most expectations are checked

        known = {path for node in tree(expectation.kind).below() for path in (node.path, f"{node.path}[]")}
        near = closest(expectation.at, sorted(known), 0.85)
        if expectation.at not in known and (near is not None or is_whole):
            hint = f"did you mean {near}?" if near is not None else "is its path right?"
            yield f"{rule} was not checked: no {expectation.kind} has {expectation.at}; {hint}"
