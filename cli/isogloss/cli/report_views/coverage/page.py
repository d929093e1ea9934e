"""The coverage report as one HTML file that needs nothing else: the reference as a tree, coloured by what was seen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from isogloss.cli.pages.figures import Figure
from isogloss.cli.pages.rendering import render as page
from isogloss.cli.report_views.coverage.counts import Coverage
from isogloss.cli.report_views.coverage.reference import KINDS, Node, tree
from isogloss.cli.report_views.coverage.tables import heading
from isogloss.cli.reporters.skipping import reasons
from isogloss.cli.reporters.tables import skipped_lines
from isogloss.validator.quoting import count_of
from isogloss.validator.rules import GROUPS, group_of

__all__ = ["render"]

_STEPS = 5


class _Branch(NamedTuple):
    """A property, how strongly it is coloured, in how many exchanges it stands, its values and what is inside of it."""

    name: str
    level: str
    exchanges: int
    values: list[tuple[str, int]]
    inner: list[_Branch]
    empty: int


class _Kind(NamedTuple):
    kind: str
    about: str
    branches: list[_Branch]


def render(coverage: Coverage) -> str:
    """Return the page: the numbers, a tree for each kind of payload, and the rules by group."""
    return page(
        "coverage.html",
        title="coverage",
        summary=heading(coverage),
        checked=heading(coverage).partition(": ")[0],
        figures=[Figure(one.exercised, f"of {one.of} {name}", "known") for name, one in coverage.tallies()]
        if coverage.exchanges
        else [],
        tone="none",
        nothing="No Chat Completions traffic was found that could be checked.",
        kinds=[_kind(kind, coverage) for kind in KINDS],
        groups=[
            (group, [one for one in coverage.rules if group_of(one.rule) == group])
            for group in GROUPS
            if group not in ("dialect", "twins")
        ],
        skipped=skipped_lines(reasons(coverage.skipped, coverage.checked)),
    )


def _kind(kind: str, coverage: Coverage) -> _Kind:
    about = f"{count_of(coverage.kinds[kind], 'exchange')} with a {kind}"
    return _Kind(kind, about, _branches(tree(kind).inner.values(), coverage))


def _branches(nodes: Iterable[Node], coverage: Coverage) -> list[_Branch]:
    """Return the properties, those that stand in the fewest exchanges first."""
    return sorted((_branch(node, coverage) for node in nodes), key=lambda one: one.exchanges)


def _branch(node: Node, coverage: Coverage) -> _Branch:
    found = coverage.property_of(node)
    share = found.exchanges / coverage.kinds[node.kind] if found.exchanges else 0
    return _Branch(
        name=node.path.rpartition(".")[2],
        level=f"known s{max(1, round(share * _STEPS))}" if found.exchanges else "never",
        exchanges=found.exchanges,
        values=sorted(found.values.items(), key=lambda one: one[1]),
        inner=_branches(node.inner.values(), coverage),
        empty=sum(not coverage.seen[one] for one in node.below()),
    )
