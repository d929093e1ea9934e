"""``isogloss rules``: list the rules."""

from __future__ import annotations

import click

from isogloss.cli.commands.explain import as_json
from isogloss.cli.descriptions.listing import format_option, write_json
from isogloss.validator import rules

__all__ = ["command"]


@click.command(name="rules")
@format_option
def command(output_format: str) -> None:
    """List the rules, by group, with their severity."""
    if output_format == "json":
        write_json([as_json(name) for group in rules.GROUPS for name in rules.names(group)])
        return
    width = max(map(len, rules.names()))
    for group in rules.GROUPS:
        click.echo(f"{group}")
        for name in rules.names(group):
            rule = rules.rule(name)
            click.echo(f"  {name:<{width}}  {rule.severity.label:<7}  {rule.summary}")
