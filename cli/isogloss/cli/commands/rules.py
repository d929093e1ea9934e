"""``isogloss rules``: list the rules."""

from __future__ import annotations

import sys

import click

from isogloss.cli.commands.explain import as_json
from isogloss.cli.elements.indented_json import print_json
from isogloss.cli.elements.outputs import text_or_json_option
from isogloss.cli.process.terminal import write_plain
from isogloss.validator import rules

__all__ = ["command"]


@click.command(name="rules")
@text_or_json_option
def command(output_format: str) -> None:
    """List the rules, by group, with their severity."""
    if output_format == "json":
        print_json([as_json(name) for group in rules.GROUPS for name in rules.names(group)])
        return
    width = max(map(len, rules.names()))
    for group in rules.GROUPS:
        found = map(rules.rule, rules.names(group))
        lines = (f"  {rule.name:<{width}}  {rule.severity.label:<7}  {rule.summary}" for rule in found)
        write_plain([group, *lines], sys.stdout)
