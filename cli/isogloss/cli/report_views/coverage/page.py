"""Render the view of coverage as one self-contained HTML file: the reference as a tree, coloured by what was seen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from isogloss.cli.checking.reference import PropertyNode, tree
from isogloss.cli.elements.skipping import skipped_lines
from isogloss.cli.pages.rendering import NO_TRAFFIC, Figure, render_page
from isogloss.cli.report_views.coverage.counts import Coverage
from isogloss.cli.report_views.coverage.tables import heading
from isogloss.cli.report_views.tables import size_in_words
from isogloss.validator.kinds import KINDS
from isogloss.validator.quoting import count_of
from isogloss.validator.rules import GROUPS, group_of

__all__ = ["render"]

_COLOUR_STEPS = 5


class _Branch(NamedTuple):
    """A property in the tree.

    ``level`` is the class that colours it, ``exchanges`` the number of exchanges that hold it. ``inner`` are the
    properties directly inside it. ``empty`` counts the properties inside it, at any depth, that no exchange holds.
    """

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
    return render_page(
        "coverage.html",
        title="coverage",
        summary=heading(coverage),
        checked=size_in_words(coverage),
        figures=[Figure(tally.exercised, f"of {tally.of} {name}", "known") for name, tally in coverage.tallies()]
        if coverage.exchanges
        else [],
        tone="none",
        nothing=NO_TRAFFIC,
        kinds=[_kind(kind, coverage) for kind in KINDS],
        groups=[
            (group, [rule for rule in coverage.rules if group_of(rule.rule) == group])
            for group in GROUPS
            if group not in ("dialect", "twins")
        ],
        skipped=skipped_lines(coverage.skipped, coverage.checked),
    )


def _kind(kind: str, coverage: Coverage) -> _Kind:
    about = f"{count_of(coverage.kinds[kind], 'exchange')} with a {kind}"
    return _Kind(kind, about, _branches(tree(kind).inner.values(), coverage))


def _branches(nodes: Iterable[PropertyNode], coverage: Coverage) -> list[_Branch]:
    """Return the properties, those that stand in the fewest exchanges first."""
    return sorted((_branch(node, coverage) for node in nodes), key=lambda branch: branch.exchanges)


def _branch(node: PropertyNode, coverage: Coverage) -> _Branch:
    counted = coverage.property_of(node)
    share = counted.exchanges / coverage.kinds[node.kind] if counted.exchanges else 0
    return _Branch(
        name=node.path.rpartition(".")[2],
        level=f"known s{max(1, round(share * _COLOUR_STEPS))}" if counted.exchanges else "never",
        exchanges=counted.exchanges,
        values=sorted(counted.values.items(), key=lambda item: item[1]),
        inner=_branches(node.inner.values(), coverage),
        empty=sum(not coverage.seen[inner] for inner in node.below()),
    )
