"""The tables of the coverage report, as text cells, what is empty first: text and Markdown show these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from isogloss.cli.report_views.coverage.counts import Coverage, Property
from isogloss.cli.report_views.coverage.reference import KINDS, Node, tree
from isogloss.cli.report_views.tables import Table
from isogloss.validator.quoting import count_of

__all__ = ["heading", "tables"]


def heading(coverage: Coverage) -> str:
    """Return the report in one line."""
    skipped = f", {len(coverage.skipped)} skipped" if coverage.skipped else ""
    told = ", ".join(f"{one.exercised} of {one.of} {name}" for name, one in coverage.tallies())
    return f"{count_of(coverage.exchanges, 'exchange')} in {count_of(coverage.files, 'file')}{skipped}: {told}"


def tables(coverage: Coverage) -> Iterator[Table]:
    """Yield every table of the report, in order."""
    options = tree("request").inner
    yield Table(
        "Request options",
        _about("request", coverage),
        _COLUMNS,
        _rows(coverage, options.values(), whole=True),
    )
    for kind in KINDS:
        nodes: Iterable[Node] = tree(kind).inner.values()
        if kind == "request":
            nodes = [node for option in nodes if coverage.seen[option] for node in option.inner.values()]
        yield Table(f"Properties of {kind}s", _about(kind, coverage), _COLUMNS, _rows(coverage, nodes))
    yield Table(
        "Rules",
        "In how many exchanges a rule could have found something, because what it is about was there.",
        ("exchanges", "found in", "rule", "is about"),
        [(f"{one.exchanges:,}", f"{one.found:,}", one.rule, ", ".join(one.needs)) for one in coverage.rules],
    )


_COLUMNS = ("exchanges", "property", "values never seen", "values seen")


def _about(kind: str, coverage: Coverage) -> str:
    return f"In how many of {count_of(coverage.kinds[kind], 'exchange')} with a {kind} each stands, and is not null."


def _rows(coverage: Coverage, nodes: Iterable[Node], *, whole: bool = False) -> list[tuple[str, ...]]:
    """Return a row for each property, those that stand in the fewest exchanges first.

    If a property stands in no exchange, the properties inside it have no rows: its own row gives their number. With
    ``whole``, no property has rows for what is inside it.
    """
    found = [coverage.property_of(node) for node in _told(coverage, nodes, inside=not whole)]
    return [_row(one) for one in sorted(found, key=lambda one: one.exchanges)]


def _told(coverage: Coverage, nodes: Iterable[Node], *, inside: bool) -> Iterator[Node]:
    for node in nodes:
        yield node
        if inside and coverage.seen[node]:
            yield from _told(coverage, node.inner.values(), inside=inside)


def _row(one: Property) -> tuple[str, ...]:
    inside = 0 if one.exchanges else sum(1 for _ in one.node.below())
    more = f" and {inside} inside" if inside else ""
    seen = ", ".join(f"{value} {count:,}" for value, count in one.values.items() if count)
    return f"{one.exchanges:,}", f"{one.node.path}{more}", ", ".join(one.never), seen
