"""Render the pages of rules as HTML, in parts, and write their sources in Markdown."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from isogloss.validator import rules
from isogloss.validator.rules import Rule

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markupsafe import Markup

__all__ = ["RulePage", "rule_page", "sources_of"]

_THREAD = r"(?<![\w/.@-])([\w.-]+/[\w.-]+)#(\d+)\b"
"""An issue or a pull request on GitHub, which redirects the address of an issue to that of a pull request."""


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


def sources_of(rule: Rule) -> list[str]:
    """Return each source of a rule with its date, in Markdown, with a link where it is a thread on GitHub."""
    link = r"[\1#\2](https://github.com/\1/issues/\2)"
    return [f"{re.sub(_THREAD, link, source.where)} ({source.date})" for source in rule.sources]


def _html(text: str) -> Markup:
    from markupsafe import Markup

    return Markup(_markdown().render(text))  # only our own pages come here, and HTML in them is escaped


@cache
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("table")
