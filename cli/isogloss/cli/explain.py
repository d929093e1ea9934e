"""``isogloss explain``: the page of a rule."""

from __future__ import annotations

import sys
from typing import Any

import click

from isogloss.cli.listing import format_option, write_json
from isogloss.cli.selection import is_rule, unknown
from isogloss.cli.terminal import color_option, write_markdown
from isogloss.validator import rules

__all__ = ["as_json", "command", "markdown"]


@click.command(name="explain")
@click.argument("rule")
@format_option
@color_option
def command(rule: str, output_format: str) -> None:
    """Explain RULE: what it finds, why it matters, who breaks, a bad and a good example.

    On a terminal the page is rendered, elsewhere it is Markdown.
    """
    if not is_rule(rule):
        raise click.UsageError(unknown(rule))
    if output_format == "json":
        write_json(as_json(rule) | {"page": rules.page(rule)})
    else:
        write_markdown(markdown(rule) + "\n", sys.stdout)


def markdown(name: str) -> str:
    """The page of a rule in Markdown. Raises ``KeyError`` for an unknown name."""
    rule = rules.rule(name)
    sources = "; ".join(f"{source.where} ({source.date})" for source in rule.sources)
    head = f"# {name}\n\n`{rules.group_of(name)}` · {rule.severity.label} · since {rule.since}\n"
    return f"{head}\n{rules.page(name)}\n\nSource: {sources}\n"


def as_json(name: str) -> dict[str, Any]:
    """What a rule is, but for its page, as a JSON value. Raises ``KeyError`` for an unknown name."""
    rule = rules.rule(name)
    return {
        "name": name,
        "group": rules.group_of(name),
        "severity": rule.severity.label,
        "summary": rule.summary,
        "since": rule.since,
        "sources": [{"where": source.where, "date": source.date} for source in rule.sources],
    }
