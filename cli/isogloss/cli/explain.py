"""``isogloss explain``: the page of a rule."""

from __future__ import annotations

import click

from isogloss.cli.selection import unknown
from isogloss.validator import rules

__all__ = ["command", "markdown"]


@click.command(name="explain")
@click.argument("rule")
def command(rule: str) -> None:
    """Explain RULE: what it finds, why it matters, who breaks, a bad and a good example."""
    if rule not in rules.names():
        raise click.UsageError(unknown(rule))
    click.echo(markdown(rule))


def markdown(name: str) -> str:
    """The page of a rule in Markdown. Raises ``KeyError`` for an unknown name."""
    rule = rules.rule(name)
    sources = "; ".join(f"{source.where} ({source.date})" for source in rule.sources)
    head = f"# {name}\n\n`{rules.group_of(name)}` · {rule.severity.label} · since {rule.since}\n"
    return f"{head}\n{rules.page(name)}\n\nSource: {sources}\n"
