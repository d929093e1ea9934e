"""``isogloss explain``: print the page of a rule."""

from __future__ import annotations

import sys
from typing import Any

import click

from isogloss.cli.configuration.selection import is_rule
from isogloss.cli.descriptions.clients_tables import rule_breaks_as_json, rule_section
from isogloss.cli.elements.indented_json import print_json
from isogloss.cli.elements.outputs import text_or_json_option
from isogloss.cli.pages.rule_pages import sources_of
from isogloss.cli.process.terminal import color_option, write_markdown
from isogloss.validator import rules
from isogloss.validator.impact.evidence import evidence
from isogloss.validator.rules.selecting import unknown_rule

__all__ = ["as_json", "command", "markdown"]


@click.command(name="explain")
@click.argument("rule")
@text_or_json_option
@color_option
def command(rule: str, output_format: str) -> None:
    """Explain RULE: what it finds, why it matters, a bad and a good example, and which clients were seen to break.

    On a terminal the page is rendered, elsewhere it is Markdown.
    """
    if not is_rule(rule):
        is_group = rule in rules.GROUPS
        raise click.UsageError(
            f"{rule!r} is a group of rules; see: isogloss rules" if is_group else unknown_rule(rule, groups=())
        )
    if output_format == "json":
        breaks = rule_breaks_as_json(rule, evidence())
        print_json(as_json(rule) | {"page": rules.page(rule)} | ({"seen_to_break": breaks} if breaks else {}))
    else:
        write_markdown(markdown(rule) + "\n", sys.stdout)


def markdown(name: str) -> str:
    """Return the page of a rule in Markdown. Raises ``KeyError`` for an unknown name."""
    rule = rules.rule(name)
    head = f"# {name}\n\n`{rules.group_of(name)}` · {rule.severity.label} · since {rule.since}\n"
    section = rule_section(name, evidence())
    return (
        f"{head}\n{rules.page(name)}\n\n"
        + (f"{section}\n\n" if section else "")
        + f"Source: {'; '.join(sources_of(rule))}\n"
    )


def as_json(name: str) -> dict[str, Any]:
    """Return a rule as a JSON value, without its page. Raises ``KeyError`` for an unknown name."""
    rule = rules.rule(name)
    return {
        "name": name,
        "group": rules.group_of(name),
        "severity": rule.severity.label,
        "summary": rule.summary,
        "since": rule.since,
        "sources": [{"where": source.where, "date": source.date} for source in rule.sources],
    }
