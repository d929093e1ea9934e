"""Render the pages of rules as HTML, in parts."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from isogloss.cli.pages.sources import sources_of
from isogloss.validator import rules

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markupsafe import Markup

__all__ = ["RulePage", "rule_page"]


class RulePage(NamedTuple):
    """The page of a rule: ``about`` is what stands behind its summary, ``parts`` are the sections with their titles."""

    name: str
    group: str
    severity: str
    summary: str
    since: str
    about: Markup
    parts: tuple[tuple[str, Markup], ...]
    sources: Markup


@cache
def rule_page(name: str) -> RulePage:
    """Return the page of a rule. Raises ``KeyError`` for an unknown name."""
    rule = rules.rule(name)
    about, *parts = f"\n{rules.page(name)}".split("\n## ")
    titled = [part.partition("\n") for part in parts]
    return RulePage(
        name=name,
        group=rules.group_of(name),
        severity=rule.severity.label,
        summary=rule.summary,
        since=rule.since,
        about=_html(about.lstrip().partition("\n\n")[2]),
        parts=tuple((title.strip(), _html(text)) for title, _, text in titled),
        sources=_html(f"Source: {'; '.join(sources_of(rule))}"),
    )


def _html(text: str) -> Markup:
    from markupsafe import Markup

    return Markup(_markdown().render(text))  # only our own pages come here, and HTML in them is escaped


@cache
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("table")
