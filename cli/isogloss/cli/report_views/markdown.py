"""The vendor-dialect report as Markdown."""

from __future__ import annotations

import re

from isogloss.cli.report_views.survey import Survey
from isogloss.cli.report_views.tables import evidence_lines, heading, tables

__all__ = ["escaped", "render"]

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~&@:])")


def escaped(text: str) -> str:
    """The text such that Markdown shows it as it is, also in a table cell."""
    return _SPECIAL.sub(r"\\\1", text).replace("\\<", "&lt;").replace("\\>", "&gt;")


def render(survey: Survey) -> str:
    """Headings and tables."""
    parts = ["# Dialects", "", escaped(heading(survey)), ""]
    for table in tables(survey):
        parts += [f"## {table.title}", "", table.about, "", _row(table.columns), _row(("---",) * len(table.columns))]
        parts += [_row(tuple(map(escaped, row))) for row in table.rows]
        parts.append("")
    for exchange, candidates in evidence_lines(survey):
        parts += [f"* {escaped(exchange)}", *(f"    * {escaped(line)}" for line in candidates)]
    return "\n".join(parts).rstrip() + "\n"


def _row(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"
