"""Changes in words, as every format for people tells them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from isogloss.cli.probe.matrix.server import Change, Seen
from isogloss.validator.findings import Severity

__all__ = ["described", "ended", "shown"]

_MOST = 5
"""Findings of a change that are listed in a line."""


def shown(changes: Sequence[Change]) -> list[Change]:
    """Sort the changes: first those that fail the run, then what is worse, and last what is better."""
    order = ("worse", "different", "better")
    return sorted(changes, key=lambda one: (not one.failed, order.index(one.direction)))


def ended(change: Change) -> str:
    """Return the standings of the case before and now, in words."""
    if change.before is None:
        return f"not asked before, {change.now}"
    if change.now is None:
        return f"{change.before} before, not asked"
    return change.now if change.before == change.now else f"{change.before} → {change.now}"


def described(change: Change) -> str:
    """Return the findings that are new, and those that are gone, in words."""
    parts = ((word, some) for word, some in (("new", change.new), ("gone", change.gone)) if some)
    return "; ".join(f"{word}: {_listed(some)}" for word, some in parts)


def _listed(some: Mapping[Seen, Severity]) -> str:
    order = sorted(some, key=lambda seen: (-some[seen], seen))
    names = [f"{some[seen].label}{seen}" for seen in order[:_MOST]]
    return ", ".join(names) + (f" and {len(order) - _MOST} more" if len(order) > _MOST else "")
