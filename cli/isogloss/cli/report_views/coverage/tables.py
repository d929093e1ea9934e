"""Make the tables of the view of coverage, as text cells, for text and Markdown. What no exchange holds comes first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from isogloss.cli.checking.reference import PropertyNode, tree
from isogloss.cli.report_views.coverage.counts import Coverage, Property
from isogloss.cli.report_views.tables import Table, size_in_words
from isogloss.validator.kinds import KINDS
from isogloss.validator.quoting import count_of

__all__ = ["heading", "tables"]


def heading(coverage: Coverage) -> str:
    """Return the report in one line."""
    tallies = ", ".join(f"{tally.exercised} of {tally.of} {name}" for name, tally in coverage.tallies())
    return f"{size_in_words(coverage)}: {tallies}"


def tables(coverage: Coverage) -> Iterator[Table]:
    """Yield every table of the report, in order."""
    options = tree("request").inner
    yield Table(
        "Request options",
        _about("request", coverage),
        _COLUMNS,
        _rows(coverage, options.values()),
    )
    for kind in KINDS:
        nodes: Iterable[PropertyNode] = tree(kind).inner.values()
        if kind == "request":
            nodes = [node for option in nodes if coverage.seen[option] for node in option.inner.values()]
        yield Table(
            f"Properties of {kind}s", _about(kind, coverage), _COLUMNS, _rows(coverage, _with_inner(coverage, nodes))
        )
    yield Table(
        "Rules",
        "In how many exchanges a rule could have found something, because what it is about was there.",
        ("exchanges", "found in", "rule", "is about"),
        [(f"{rule.exchanges:,}", f"{rule.found:,}", rule.rule, ", ".join(rule.needs)) for rule in coverage.rules],
    )


_COLUMNS = ("exchanges", "property", "values never seen", "values seen")


def _about(kind: str, coverage: Coverage) -> str:
    return f"In how many of {count_of(coverage.kinds[kind], 'exchange')} with a {kind} each occurs and is not null."


def _rows(coverage: Coverage, nodes: Iterable[PropertyNode]) -> list[tuple[str, ...]]:
    """Return a row for each property, those that stand in the fewest exchanges first."""
    return [_row(each) for each in sorted(map(coverage.property_of, nodes), key=lambda each: each.exchanges)]


def _with_inner(coverage: Coverage, nodes: Iterable[PropertyNode]) -> Iterator[PropertyNode]:
    """Yield properties and those inside them, except inside a property that no exchange holds: its row counts them."""
    for node in nodes:
        yield node
        if coverage.seen[node]:
            yield from _with_inner(coverage, node.inner.values())


def _row(covered: Property) -> tuple[str, ...]:
    inside = 0 if covered.exchanges else sum(1 for _ in covered.node.below())
    more = f" and {inside} inside" if inside else ""
    seen = ", ".join(f"{value} {count:,}" for value, count in covered.values.items() if count)
    return f"{covered.exchanges:,}", f"{covered.node.path}{more}", ", ".join(covered.never), seen
