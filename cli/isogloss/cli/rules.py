"""``isogloss rules``: what there is to be found."""

from __future__ import annotations

import click

from isogloss.validator import rules

__all__ = ["command"]


@click.command(name="rules")
def command() -> None:
    """List the rules, by group, with their severity."""
    width = max(map(len, rules.names()))
    for group in rules.GROUPS:
        click.echo(f"{group}")
        for name in rules.names(group):
            rule = rules.rule(name)
            click.echo(f"  {name:<{width}}  {rule.severity.label:<7}  {rule.summary}")
