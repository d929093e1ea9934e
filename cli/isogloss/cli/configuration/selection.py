"""Turn the names of rules and groups in ``--select`` and ``--ignore`` into the set of active rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import click

from isogloss.validator import rules
from isogloss.validator.suggesting import closest

__all__ = ["active_rules", "is_rule", "unknown"]

_OWN_RULE = rf"{rules.EXPECTED}/[a-z0-9]+(-[a-z0-9]+)*"


def active_rules(select: Iterable[str], ignore: Iterable[str], own: Sequence[str] = ()) -> frozenset[str] | None:
    """Return the names of the rules that count, or ``None`` if all do.

    Each item of ``select`` and ``ignore`` is a comma-separated list of rules and groups. ``own`` are the names of the
    user's own rules. The name ``expect`` selects all of these together.

    Raises ``click.UsageError`` for an unknown name, with the nearest known one.
    """
    selected, ignored = _names(select, own), _names(ignore, own)
    if not selected and not ignored:
        return None
    return (selected or frozenset((*rules.names(), *own))) - ignored


def _names(items: Iterable[str], own: Sequence[str]) -> frozenset[str]:
    found: set[str] = set()
    for name in (part.strip() for item in items for part in item.split(",")):
        if name in rules.GROUPS:
            found.update(rules.names(name))
        elif name == rules.EXPECTED:
            found.update(own)
        elif name in rules.names() or name in own:
            found.add(name)
        elif name:
            raise click.UsageError(unknown(name))
    return frozenset(found)


def is_rule(name: str) -> bool:
    """Return whether a rule has this name, or an expectation of some configuration can have it."""
    return name in rules.names() or re.fullmatch(_OWN_RULE, name) is not None


def unknown(name: str, groups: Sequence[str] = rules.GROUPS) -> str:
    """Return the message for a name that is no rule and none of the groups."""
    near = closest(name, (*groups, *rules.names()))
    return f"no rule{' or group' if groups else ''} is called {name!r}" + (
        f"; did you mean {near!r}?" if near else "; see: isogloss rules"
    )
