"""Turn the names of rules and groups in ``--select`` and ``--ignore`` into the set of active rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import click

from isogloss.cli.configuration.option_groups import join
from isogloss.validator import rules, suggesting

__all__ = ["active_rules", "is_rule", "problem_of_rule", "selection_options", "unknown"]

_OWN_RULE = rf"{rules.EXPECTED}/[a-z0-9]+(-[a-z0-9]+)*"


selection_options = join(
    click.option("--select", multiple=True, metavar="NAMES", help="Check only these rules or groups, comma-separated."),
    click.option("--ignore", multiple=True, metavar="NAMES", help="Leave out these rules or groups, comma-separated."),
)
"""Adds the options that select rules."""


def active_rules(
    select: Iterable[str],
    ignore: Iterable[str],
    own: Sequence[str] = (),
    *,
    compared: bool = False,
    may_be_none: bool = False,
) -> frozenset[str] | None:
    """Return the names of the rules that count, or ``None`` if all do.

    Each item of ``select`` and ``ignore`` is a comma-separated list of rules and groups. ``own`` are the names of the
    user's own rules. The name ``expect`` selects all of these together. ``compared`` says that answers are compared:
    then only the rules of the group :data:`rules.COMPARED` have an effect, and otherwise only the others.

    Raises ``click.UsageError`` for an unknown name, with the nearest known one, for a name without an effect, and if no
    rule is left, unless there ``may_be_none``.
    """
    selected, ignored = (_names(items, own, compared=compared) for items in (select, ignore))
    if selected is None and ignored is None:
        return None
    if selected is not None and not selected:
        raise click.UsageError(f"{rules.EXPECTED!r} selects no rule: the configuration has no table {rules.EXPECTED}")
    chosen = selected if selected is not None else frozenset((*rules.names(), *own))
    active = chosen - (ignored or frozenset())
    if not active and not may_be_none:
        raise click.UsageError("no rule is left: all that are selected are ignored, too")
    return active


def _names(items: Iterable[str], own: Sequence[str], *, compared: bool) -> frozenset[str] | None:
    """Return the rules that are named, or ``None`` if there are no items."""
    names = [part.strip() for item in items for part in item.split(",")]
    if not names:
        return None
    if not any(names):
        raise click.UsageError("no rule is named")
    found: set[str] = set()
    for name in filter(None, names):
        if name in rules.GROUPS or name in rules.names():
            if problem := _problem_of_group(name, compared=compared):
                raise click.UsageError(problem)
            found.update(rules.names(name) if name in rules.GROUPS else (name,))
        elif name == rules.EXPECTED:
            found.update(own)
        elif name in own:
            found.add(name)
        else:
            raise click.UsageError(unknown(name, own=own))
    return frozenset(found)


def _problem_of_group(name: str, *, compared: bool) -> str | None:
    """Describe why a rule or group has no effect on a command, or return ``None`` if it has one."""
    group = name if name in rules.GROUPS else rules.group_of(name)
    if (group == rules.COMPARED) is compared:
        return None
    if compared:
        return f"{name!r}: isogloss compare checks only rules about twins"
    return f"{name!r}: only isogloss compare checks rules about twins"


def problem_of_rule(name: str, own: Sequence[str]) -> str | None:
    """Describe why a name is not that of a rule that captures are checked by, or return ``None`` if it is one."""
    if name in own:
        return None
    if name in rules.GROUPS or name == rules.EXPECTED:
        return f"{name!r} is a group: name each of its rules; see: isogloss rules"
    return _problem_of_group(name, compared=False) if name in rules.names() else unknown(name, groups=(), own=own)


def is_rule(name: str) -> bool:
    """Return whether a rule has this name, or an expectation of some configuration can have it."""
    return name in rules.names() or re.fullmatch(_OWN_RULE, name) is not None


def unknown(name: str, groups: Sequence[str] = rules.GROUPS, own: Sequence[str] = ()) -> str:
    """Return the message for a name that is no rule and none of the groups."""
    known = (*groups, *rules.names(), *own)
    return suggesting.unknown("rule or group" if groups else "rule", name, known, see="isogloss rules")
