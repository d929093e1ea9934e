"""Turn the names in ``--select`` and ``--ignore`` into the set of active rules. Define ``--fail-on`` beside them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import click

from isogloss.cli.configuration.option_groups import join
from isogloss.validator import rules
from isogloss.validator.findings import SEVERITIES
from isogloss.validator.rules.selecting import problem_of_group, rules_named, unknown_rule

__all__ = ["active_rules", "fail_on_option", "is_rule", "problem_of_rule", "selection_options"]

_OWN_RULE = rf"{rules.EXPECTED}/[a-z0-9]+(-[a-z0-9]+)*"


selection_options = join(
    click.option(
        "--select",
        multiple=True,
        metavar="NAMES",
        help="Check only these rules or groups, comma-separated; isogloss rules lists them.",
    ),
    click.option("--ignore", multiple=True, metavar="NAMES", help="Leave out these rules or groups, comma-separated."),
)
"""Adds the options that select rules."""

fail_on_option = click.option(
    "--fail-on",
    type=click.Choice(tuple(SEVERITIES)),
    help="The lowest severity of findings that fail the run.  [default: error]",
)
"""Adds ``--fail-on`` to a command that reads a configuration, which may set it, too."""


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
    expected = frozenset(own if rules.EXPECTED in names else ())
    try:
        return expected | rules_named(
            [name for name in names if name and name != rules.EXPECTED], own, compared=compared
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def problem_of_rule(name: str, own: Sequence[str]) -> str | None:
    """Describe why a name is not that of a rule that captures are checked by, or return ``None`` if it is one."""
    if name in own:
        return None
    if name in rules.GROUPS or name == rules.EXPECTED:
        return f"{name!r} is a group: name each of its rules; see: isogloss rules"
    return problem_of_group(name, compared=False) if name in rules.names() else unknown_rule(name, groups=(), own=own)


def is_rule(name: str) -> bool:
    """Return whether a rule has this name, or an expectation of some configuration can have it."""
    return name in rules.names() or re.fullmatch(_OWN_RULE, name) is not None
